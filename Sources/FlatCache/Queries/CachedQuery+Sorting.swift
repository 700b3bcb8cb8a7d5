extension CachedQuery {
    /// Returns a query in the order of a key, instead of the previous order.
    ///
    /// ```swift
    /// let query = cache.query(Book.self).sorted(by: \.year, .descending).then(by: \.title)
    /// ```
    ///
    /// Entities whose key is `nil` come last in both directions, after entities whose key doesn't
    /// equal itself, such as NaN. Entities with equal keys are in the order of their identifiers if
    /// these are comparable, otherwise in an order that differs between runs of the program. The
    /// same applies to all entities of a query without an order.
    ///
    /// ## Concurrency
    /// The cache calls the closure on any thread that reads the query, begins to observe it or
    /// commits. In a commit and in a batch, the closure runs under the writers' lock. It must
    /// depend on its argument alone. If it writes to the cache, the process traps.
    ///
    /// - Parameters:
    ///   - key: A closure that returns the key of a value, or `nil`.
    ///   - direction: The direction.
    @inlinable
    public func sorted<Key: Comparable & Sendable>(
        by key: @escaping @Sendable (Element) -> Key?,
        _ direction: SortDirection = .ascending
    ) -> CachedQuery {
        with { $0.orders = [] }.then(by: key, direction)
    }

    /// Returns a query in the order of a key that reads other entities, instead of the previous
    /// order.
    ///
    /// ```swift
    /// let query = cache.query(Book.self).sorted { book, cache in
    ///     book.author.flatMap { cache[$0] }?.name
    /// }
    /// ```
    ///
    /// See `sorted(by:_:)` with a closure of one argument.
    ///
    /// ## Concurrency
    /// The cache calls the closure on any thread that reads the query, begins to observe it or
    /// commits. In a commit and in a batch, the closure runs under the writers' lock. It must
    /// depend on its arguments alone, and read the cache only through the second one. If it
    /// writes to the cache, the process traps.
    ///
    /// - Parameters:
    ///   - key: A closure that returns the key of a value, or `nil`. It may read other entities
    ///     from its second argument.
    ///   - direction: The direction.
    @inlinable
    public func sorted<Key: Comparable & Sendable>(
        by key: @escaping @Sendable (Element, QueryReader) -> Key?,
        _ direction: SortDirection = .ascending
    ) -> CachedQuery {
        with { $0.orders = [] }.then(by: key, direction)
    }

    /// Returns a query with a further key that orders entities whose previous keys are equal.
    ///
    /// ```swift
    /// let query = cache.query(Book.self).sorted(by: \.year).then(by: \.title, .descending)
    /// ```
    ///
    /// `nil` keys come last in both directions.
    ///
    /// ## Concurrency
    /// The cache calls the closure on any thread that reads the query, begins to observe it or
    /// commits. In a commit and in a batch, the closure runs under the writers' lock. It must
    /// depend on its argument alone. If it writes to the cache, the process traps.
    ///
    /// - Parameters:
    ///   - key: A closure that returns the key of a value, or `nil`.
    ///   - direction: The direction.
    @inlinable
    public func then<Key: Comparable & Sendable>(
        by key: @escaping @Sendable (Element) -> Key?,
        _ direction: SortDirection = .ascending
    ) -> CachedQuery {
        with { $0.orders.append { value, _ in QuerySortKey(key(value), direction) } }
    }

    /// Returns a query with a further key that reads other entities.
    ///
    /// ```swift
    /// let query = cache.query(Book.self).sorted(by: \.year).then { book, cache in
    ///     book.author.flatMap { cache[$0] }?.name
    /// }
    /// ```
    ///
    /// `nil` keys come last in both directions.
    ///
    /// ## Concurrency
    /// The cache calls the closure on any thread that reads the query, begins to observe it or
    /// commits. In a commit and in a batch, the closure runs under the writers' lock. It must
    /// depend on its arguments alone, and read the cache only through the second one. If it
    /// writes to the cache, the process traps.
    ///
    /// - Parameters:
    ///   - key: A closure that returns the key of a value, or `nil`. It may read other entities
    ///     from its second argument.
    ///   - direction: The direction.
    @inlinable
    public func then<Key: Comparable & Sendable>(
        by key: @escaping @Sendable (Element, QueryReader) -> Key?,
        _ direction: SortDirection = .ascending
    ) -> CachedQuery {
        with {
            $0.usesReader = true
            $0.orders.append { value, reader in QuerySortKey(key(value, reader), direction) }
        }
    }
}

/// The direction of an order.
///
/// ```swift
/// let newest = cache.query(Book.self).sorted(by: \.year, .descending)
/// ```
public enum SortDirection: Hashable, Sendable {
    /// The order from the least to the greatest key.
    case ascending
    /// The order from the greatest to the least key.
    case descending
}
