extension Cached {
    /// Returns a projection of the entity to a value that a closure computes.
    ///
    /// While you observe the projection, the cache computes the value again in each commit that
    /// changes the entity or an entity that the closure has read.
    ///
    /// ```swift
    /// let line = cache.cached(Book.self, id: 1).map { book, cache in
    ///     "\(book.title) by \(book.author.flatMap { cache[$0] }?.name ?? "someone")"
    /// }
    /// let observation = line.observe { print($0 ?? "not here") }
    /// ```
    ///
    /// The projection's value is `nil` while the entity has no value.
    ///
    /// ## Concurrency
    /// The cache calls the closure on any thread that reads the projection, begins to observe it or
    /// commits. In a commit and in a batch, the closure runs under the writers' lock. It must
    /// depend on its arguments alone, and read the cache only through the second one. If it
    /// writes to the cache, the process traps.
    ///
    /// - Parameter transform: A closure that returns the value. It may read other entities from its
    ///   second argument.
    public func map<Output: Equatable & Sendable>(
        _ transform: @escaping @Sendable (Value, QueryReader) -> Output
    ) -> CachedProjection<Output?> {
        projection(usesReader: true, transform)
    }

    /// Returns a projection of the entity to a value that depends on the entity alone.
    ///
    /// ```swift
    /// let title = cache.cached(Book.self, id: 1).map { $0.title }
    /// let observation = title.observe { print($0 ?? "not here") }
    /// ```
    ///
    /// See `map(_:)` with a closure of two arguments.
    ///
    /// ## Concurrency
    /// As for a closure of two arguments. The closure must depend on its argument alone.
    ///
    /// - Parameter transform: A closure that returns the value.
    public func map<Output: Equatable & Sendable>(
        _ transform: @escaping @Sendable (Value) -> Output
    ) -> CachedProjection<Output?> {
        projection(usesReader: false) { value, _ in transform(value) }
    }

    private func projection<Output: Equatable & Sendable>(
        usesReader: Bool,
        _ transform: @escaping @Sendable (Value, QueryReader) -> Output
    ) -> CachedProjection<Output?> {
        var plan = QueryPlan<Value>(sharedAs: nil, pinsElements: false)
        let identifiers = CacheIndex<Value, Value.ID>("identifier") { $0.id }
        let condition = IndexCondition(identifiers, .keys([id]), isIdentity: true)
        plan.conditions.append { value, _ in condition.holds(for: value) }
        plan.indexConditions.append(condition)
        let definition = plan.definition(
            usesReader: usesReader,
            payload: { MappedRow(output: transform($0, $1)) },
            isUpdated: { old, new, _ in old.output != new.output },
            combining: NoSummary()
        )
        let live = LiveQuery(definition, number: core.nextRegistration(), of: table)
        return CachedProjection(
            LiveProjection(live: live, core: core) { $0.first?.output }
        )
    }
}
