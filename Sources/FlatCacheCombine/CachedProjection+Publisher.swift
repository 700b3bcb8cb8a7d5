#if canImport(Combine) || OpenCombine

public import FlatCache

extension CachedProjection {
    /// A publisher of the value, now and after each change.
    ///
    /// The projection is kept current for as long as there is a subscriber.
    ///
    /// ## Concurrency
    /// See ``CachedPublisher``.
    public var publisher: CachedPublisher<Output> { CachedPublisher(stateSource) }
}

#endif
