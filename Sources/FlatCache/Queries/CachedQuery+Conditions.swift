extension CachedQuery {
    /// Returns a query of the entities that also meet a condition.
    ///
    /// ```swift
    /// let available = cache.query(Book.self).where { $0.copies > 0 }
    /// ```
    ///
    /// ## Concurrency
    /// The cache calls the closure on any thread that reads the query, begins to observe it or
    /// commits. In a commit and in a batch, the closure runs under the writers' lock. It must
    /// depend on its argument alone. If it writes to the cache, the process traps.
    ///
    /// - Parameter condition: A closure that depends on the value alone.
    public func `where`(_ condition: @escaping @Sendable (Element) -> Bool) -> CachedQuery {
        with { $0.conditions.append { value, _ in condition(value) } }
    }

    /// Returns a query of the entities that also meet a condition that reads other entities.
    ///
    /// See `where(_:)` with a closure of one argument.
    ///
    /// ```swift
    /// let query = cache.query(Book.self)
    ///     .where { book, cache in book.author?.value(in: cache)?.name == "Ursula K. Le Guin" }
    /// ```
    ///
    /// ## Concurrency
    /// The cache calls the closure on any thread that reads the query, begins to observe it or
    /// commits. In a commit and in a batch, the closure runs under the writers' lock. It must
    /// depend on its arguments alone, and read the cache only through the second one. If it
    /// writes to the cache, the process traps.
    ///
    /// - Parameter condition: A closure that depends on the value and on the entities that it reads
    ///   from its second argument.
    public func `where`(
        _ condition: @escaping @Sendable (Element, QueryReader) -> Bool
    ) -> CachedQuery {
        with {
            $0.conditions.append(condition)
            $0.usesReader = true
        }
    }
}
