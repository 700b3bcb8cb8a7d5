extension CachedQuery {
    /// The elements of the result, in their order, all from one consistent state.
    ///
    /// ```swift
    /// let classics = cache.query(Book.self).where { ($0.year ?? .max) < 1970 }.sorted(by: \.title)
    /// for book in classics.elements { print(book.title) }
    /// ```
    ///
    /// - Complexity: O(*n*) in the number of elements, if the result is current. Otherwise, the
    ///   query runs.
    public var elements: [Element] { live.read(in: core) { $0.elements(at: 0...) } ?? [] }

    /// The identifiers of the elements, in their order.
    ///
    /// - Complexity: As for ``elements``.
    public var ids: [Element.ID] { live.read(in: core) { $0.ids } ?? [] }

    /// The number of elements.
    ///
    /// - Complexity: O(1), if the result is current. Otherwise, the query runs.
    public var count: Int { live.read(in: core) { $0.shown.count } ?? 0 }

    /// The elements at some positions of the result, in their order.
    ///
    /// ```swift
    /// let newest = cache.query(Book.self).sorted(by: \.year, .descending)
    /// print(newest[..<20].map(\.title))  // the first screen
    /// ```
    ///
    /// The array leaves out positions beyond the end of the result, so a screen can read as many
    /// elements as it has room for.
    ///
    /// - Parameter positions: The positions.
    /// - Complexity: O(log *n* + *k*) for *k* of *n* elements, if the result is current. Otherwise,
    ///   the query runs.
    public subscript(positions: some RangeExpression<Int>) -> [Element] {
        live.read(in: core) { $0.elements(at: positions) } ?? []
    }

    /// Returns the position of an element, or `nil` if the result doesn't contain it.
    ///
    /// ```swift
    /// let newest = cache.query(Book.self).sorted(by: \.year, .descending)
    /// if let index = newest.index(ofID: 1) { print("scroll to row \(index)") }
    /// ```
    ///
    /// - Parameter id: The identifier of the element.
    /// - Complexity: O(log *n*) in the number of elements, if the result is current. Otherwise, the
    ///   query runs.
    public func index(ofID id: Element.ID) -> Int? {
        live.read(in: core) { $0.index(of: id) } ?? nil
    }

    /// Returns the elements in a cache, a batch or a snapshot, in their order.
    ///
    /// ```swift
    /// let available = cache.query(Book.self).where { $0.copies > 0 }
    /// cache.performBatchUpdates { batch in
    ///     batch.set(Book(id: 9, title: "Kindred", copies: 3))
    ///     print(available.elements(in: batch).map(\.title))  // Kindred among them
    /// }
    /// ```
    ///
    /// The result in a batch includes the batch's writes so far.
    ///
    /// - Parameter cache: The cache of the query, a batch or a snapshot of it. Another cache is a
    ///   programmer error and traps.
    /// - Complexity: O(*n*) in the number of elements, if the result was kept current in the state
    ///   that is read. Otherwise, the query runs.
    public func elements(in cache: some ReadableCache) -> [Element] {
        live.read(in: cache, core) { $0.elements(at: 0...) }
    }

    /// Returns the identifiers of the elements in a cache, a batch or a snapshot, in their order.
    ///
    /// - Parameter cache: The cache of the query, a batch or a snapshot of it.
    /// - Complexity: As for ``elements(in:)``.
    public func ids(in cache: some ReadableCache) -> [Element.ID] {
        live.read(in: cache, core) { $0.ids }
    }
}
