#if canImport(Combine) || OpenCombine

public import FlatCacheCombine
public import FlatCachePersistence

extension Persister {
    /// Publishes the value now, and then after each change, whoever has made it.
    ///
    /// A subscriber that is slower than the changes gets the newest value and not those in between.
    ///
    /// ## Concurrency
    /// See `CachedPublisher`, of which this is one: what is said there of a commit goes for a change of the
    /// value here. It neither finishes nor fails. A subscription keeps the persister alive.
    public var publisher: CachedPublisher<Value> { CachedPublisher(feed) }

    /// Publishes each change of the value, and each error that nobody could be thrown to, from now on.
    ///
    /// What a subscriber has not asked for yet is kept in memory, without bound.
    ///
    /// ## Concurrency
    /// See ``publisher``.
    public var updatesPublisher: CachedPublisher<Result<Update, any Error>> {
        CachedPublisher(updateFeed, buffering: .unbounded)
    }
}

#endif
