extension Cache {
    /// Returns a sequence of all changes to entities of a type, in commit order.
    ///
    /// The changes of one commit are in the order in which the commit first wrote to the entities.
    /// An iterator returns the changes of all commits after its creation. To maintain a copy of the
    /// type elsewhere, create the iterator before you read the stored values:
    ///
    /// ```swift
    /// var changes = cache.changes(of: Book.self).makeAsyncIterator()
    /// let (books, version) = cache.withSnapshot { ($0.values(of: Book.self), $0.version) }
    /// Task {
    ///     var copy = Dictionary(uniqueKeysWithValues: books.map { ($0.id, $0) })
    ///     while let change = await changes.next() {
    ///         if change.version > version { copy[change.id] = change.new }
    ///     }
    /// }
    /// ```
    ///
    /// The sequence doesn't include changes to entities that an entity refers to, since they don't
    /// change the entity itself.
    ///
    /// - Parameters:
    ///   - type: The type under which the entities are stored.
    ///   - policy: The elements to keep for a consumer that is slower than the commits. With
    ///     `.unbounded`, the consumer receives all of them.
    @inlinable
    public func changes<Value: Identifiable & Sendable>(
        of type: Value.Type,
        buffering policy: BufferingPolicy = .unbounded
    ) -> CacheSequence<EntityChange<Value>> where Value.ID: Sendable {
        core.changes(of: core.tables.table(of: type), buffering: policy)
    }
}
