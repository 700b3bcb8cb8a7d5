#if canImport(Combine) || OpenCombine

public import FlatCache

extension CachedQuery {
    /// A publisher of the elements, now and after each change to them or to their order.
    ///
    /// ```swift
    /// let available = cache.query(Book.self).where { $0.copies > 0 }.publisher
    ///     .sink { books in print(books.map(\.title)) }
    /// ```
    ///
    /// The query is kept current for as long as there is a subscriber.
    ///
    /// ## Concurrency
    /// See ``CachedPublisher``.
    public var publisher: CachedPublisher<[Element]> { CachedPublisher(stateSource) }
}

#endif
