#if canImport(Combine) || OpenCombine

import FlatCache
public import FlatCacheCombine
public import FlatCachePersistence

extension Persister {
    /// A publisher of each future change of the value, and of each error that no caller could
    /// receive.
    ///
    /// ```swift
    /// let subscription = settings.$theme.updatesPublisher.sink { result in
    ///     if case .failure(let error) = result { print(error) }
    /// }
    /// ```
    ///
    /// Updates that a subscriber hasn't demanded yet are kept in memory, without limit.
    ///
    /// ## Concurrency
    /// See `CachedPublisher`. Its statements about commits apply to changes of the value. The
    /// publisher neither finishes nor fails. A subscription keeps the persister alive.
    public var updatesPublisher: CachedPublisher<Result<Update, any Error>> {
        changePublisher
    }
}

extension PersistentObject {
    /// A publisher of each future change of the object, and of each error that no caller could
    /// receive.
    ///
    /// Updates that a subscriber hasn't demanded yet are kept in memory, without limit.
    ///
    /// ## Concurrency
    /// See ``FlatCachePersistence/Persister/updatesPublisher``.
    public var updatesPublisher: CachedPublisher<Result<Update, any Error>> {
        changePublisher
    }
}

extension CacheSource {
    fileprivate var changePublisher: CachedPublisher<Change> {
        CachedPublisher(buffering: .unbounded) { [self] receive in
            _observeChanges(delivery: .inline) { receive(.known($0)) }
        }
    }
}

#endif
