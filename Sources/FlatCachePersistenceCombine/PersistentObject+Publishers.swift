#if canImport(Combine) || OpenCombine

public import FlatCacheCombine
public import FlatCachePersistence

extension PersistentObject {
    /// Publishes the object now, and then after each change, whoever has made it.
    ///
    /// A subscriber that is slower than the changes gets the newest one and not those in between.
    ///
    /// ## Concurrency
    /// See `CachedPublisher`, of which this is one: what is said there of a commit goes for a change of the
    /// object here. It neither finishes nor fails. A subscription keeps the persistent object alive.
    public var publisher: CachedPublisher<Object?> { CachedPublisher(feed) }

    /// Publishes each change of the object, and each error that nobody could be thrown to, from now on.
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
