#if canImport(Combine) || OpenCombine

import FlatCache
public import FlatCacheCombine
public import FlatCachePersistence

extension Persister {
    /// A publisher of the value, now and after each change by any writer.
    ///
    /// A subscriber that is slower than the changes receives the newest value without the
    /// intermediate ones.
    ///
    /// ## Concurrency
    /// See `CachedPublisher`, whose statements about commits apply to changes of the value. The
    /// publisher neither finishes nor fails. A subscription keeps the persister alive.
    public var publisher: CachedPublisher<Value> { CachedPublisher(stateSource) }

    /// A publisher of each future change of the value, and of each error that no caller could
    /// receive.
    ///
    /// Updates that a subscriber hasn't demanded yet are kept in memory, without limit.
    ///
    /// ## Concurrency
    /// See ``publisher``.
    public var updatesPublisher: CachedPublisher<Result<Update, any Error>> {
        CachedPublisher(updateSource, buffering: .unbounded)
    }
}

#endif
