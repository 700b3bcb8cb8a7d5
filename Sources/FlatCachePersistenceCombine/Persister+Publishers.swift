#if canImport(Combine) || OpenCombine

import FlatCache
public import FlatCacheCombine
public import FlatCachePersistence

extension Persister {
    /// A publisher of the value, now and after each change by any writer.
    ///
    /// ```swift
    /// let subscription = settings.$theme.publisher.sink { print($0) }  // prints the theme
    /// settings.theme = "dark"  // prints "dark"
    /// ```
    ///
    /// A subscriber that is slower than the changes receives the newest value without the
    /// intermediate ones.
    ///
    /// ## Concurrency
    /// See `CachedPublisher`. Its statements about commits apply to changes of the value. The
    /// publisher neither finishes nor fails. A subscription keeps the persister alive.
    public var publisher: CachedPublisher<Value> { CachedPublisher(stateSource) }

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
    /// See ``publisher``.
    public var updatesPublisher: CachedPublisher<Result<Update, any Error>> {
        CachedPublisher(updateSource, buffering: .unbounded)
    }
}

#endif
