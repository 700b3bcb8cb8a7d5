extension CachedQuery {
    /// Returns a query of the entities that also have a key in an index.
    ///
    /// ```swift
    /// let byAuthor = CacheIndex("author", \Book.author)
    /// let books = cache.query(Book.self).where(byAuthor, equals: Related("le-guin"))
    /// ```
    ///
    /// With an index of a relationship, the query is the inverse of the relationship. If a query
    /// has conditions on several indexes, a run reads the entities of the condition that the fewest
    /// entities meet.
    ///
    /// - Parameters:
    ///   - index: The index.
    ///   - key: The key.
    /// - Complexity: A run of the query takes O(*k* + log *n*) to read the *k* entities that meet
    ///   the condition, of *n* entities in the index.
    public func `where`<Key: Hashable & Sendable>(
        _ index: CacheIndex<Element, Key>,
        equals key: Key
    ) -> CachedQuery {
        self.where(index, in: [key])
    }

    /// Returns a query of the entities that also have at least one of several keys in an index.
    ///
    /// ```swift
    /// let byAuthor = CacheIndex("author", \Book.author)
    /// let books = cache.query(Book.self).where(byAuthor, in: [Related("le-guin"), Related("lem")])
    /// ```
    ///
    /// - Parameters:
    ///   - index: The index.
    ///   - keys: The keys.
    /// - Complexity: As for `where(_:equals:)`, for each key.
    public func `where`<Key: Hashable & Sendable>(
        _ index: CacheIndex<Element, Key>,
        in keys: Set<Key>
    ) -> CachedQuery {
        filtered(by: IndexCondition(index, .keys(keys)))
    }

    /// Returns a query of the entities that also have a key in a range of an index.
    ///
    /// ```swift
    /// let byYear = CacheIndex("year", \Book.year)
    /// let books = cache.query(Book.self).where(byYear, in: 1960..<1970)
    /// ```
    ///
    /// - Parameters:
    ///   - index: The index.
    ///   - range: The range, such as `1960..<1970`, `...1970` or `1960...`.
    /// - Complexity: As for `where(_:equals:)`.
    public func `where`<Key: Hashable & Comparable & Sendable>(
        _ index: CacheIndex<Element, Key>,
        in range: some RangeExpression<Key> & Sendable
    ) -> CachedQuery {
        filtered(by: IndexCondition(index, .range(IndexRange(range))))
    }

    private func filtered<Key>(by condition: IndexCondition<Element, Key>) -> CachedQuery {
        with {
            // The condition comes before conditions that read other entities. The cache doesn't
            // evaluate values that the index leaves out, so their rows must read no entities.
            $0.conditions.insert({ value, _ in condition.holds(for: value) }, at: 0)
            $0.indexConditions.append(condition)
        }
    }
}
