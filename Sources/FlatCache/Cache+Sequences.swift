extension Cache {
    /// Returns the value of an entity now, and then after each change to the entity or to what it
    /// refers to.
    ///
    /// See ``Cached/values(following:)``.
    ///
    /// - Parameters:
    ///   - type: The type under which the entity is stored.
    ///   - id: The entity's identifier.
    ///   - following: How far the entity's relationships are followed.
    @inlinable
    public func values<Value: Identifiable & Sendable>(
        _ type: Value.Type,
        id: Value.ID,
        following: RelationshipDepth = .allRelationships
    ) -> CacheSequence<Value?> where Value.ID: Sendable {
        cached(type, id: id).values(following: following)
    }

    /// Returns every change to an entity or to what it refers to, in commit order.
    ///
    /// See ``Cached/changes(following:buffering:)``.
    ///
    /// - Parameters:
    ///   - type: The type under which the entity is stored.
    ///   - id: The entity's identifier.
    ///   - following: How far the entity's relationships are followed.
    ///   - policy: What is kept for a consumer that is slower than the commits.
    @inlinable
    public func changes<Value: Identifiable & Sendable>(
        _ type: Value.Type,
        id: Value.ID,
        following: RelationshipDepth = .allRelationships,
        buffering policy: BufferingPolicy = .unbounded
    ) -> CacheSequence<EntityChange<Value>> where Value.ID: Sendable {
        cached(type, id: id).changes(following: following, buffering: policy)
    }

    /// Returns every change to an entity of a type, in commit order.
    ///
    /// The changes of one commit come in the order in which it first wrote to the entities. An iterator
    /// brings those of commits after it was made. So make it before you read what is there, and a
    /// consumer misses nothing that it needs to keep a copy of the type elsewhere:
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
    /// Changes to what an entity refers to are not among them, since they leave the entity as it is.
    ///
    /// - Parameters:
    ///   - type: The type under which the entities are stored.
    ///   - policy: What is kept for a consumer that is slower than the commits. With `.unbounded` it
    ///     misses none.
    @inlinable
    public func changes<Value: Identifiable & Sendable>(
        of type: Value.Type,
        buffering policy: BufferingPolicy = .unbounded
    ) -> CacheSequence<EntityChange<Value>> where Value.ID: Sendable {
        core.changes(of: core.tables.table(of: type), buffering: policy)
    }
}

extension CacheCore {
    @usableFromInline
    func changes<Value: Identifiable & Sendable>(
        of table: Table<Value>,
        buffering policy: BufferingPolicy
    ) -> CacheSequence<EntityChange<Value>> where Value.ID: Sendable {
        CacheSequence(policy) { [self] sender in
            observeAll(of: table, initial: false, delivery: .inline) { commit in
                sender.send(contentsOf: commit.changes.map { .known($0) })
            }
        }
    }
}
