#if canImport(Combine) || OpenCombine

public import FlatCache

extension CachedProjection {
    /// A publisher of the value, now and after each change.
    ///
    /// ```swift
    /// let copies = cache.query(Book.self).aggregate(.sum(of: \.copies)).publisher
    ///     .sink { print($0 ?? 0, "copies in stock") }
    /// ```
    ///
    /// The projection is kept current for as long as there is a subscriber.
    ///
    /// ## Concurrency
    /// See ``CachedPublisher``.
    public var publisher: CachedPublisher<Output> { CachedPublisher(stateSource) }
}

#endif
