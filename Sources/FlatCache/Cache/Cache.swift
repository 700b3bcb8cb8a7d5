/// A flat, normalized, observable store of model values, safe to use from any thread.
///
/// The cache stores each entity once, under its type and identifier. A ``Cached`` handle reads the
/// latest value of its entity. An observer is called once per commit that changes its entity or any
/// entity that it refers to.
///
/// ```swift
/// let cache = Cache()
/// cache.set(Book(id: 1, title: "The Dispossessed"))
///
/// let book = cache.cached(Book.self, id: 1)
/// let observation = book.observe { print("Now called \($0.title)") }
/// cache.set(Book(id: 1, title: "The Dispossessed: An Ambiguous Utopia"))
/// observation.dispose()
/// ```
///
/// ## Concurrency
/// Reading, writing and beginning an observation are synchronous. After a write outside a batch
/// returns, every thread reads its result. Loads, asynchronous ingests and ``waitForObservers()``
/// suspend their task.
///
/// Writers take turns. Readers never wait for them, not even for a long batch. The cache calls
/// observers outside all locks, in commit order, one call at a time. Unless a ``CacheDelivery``
/// says otherwise, the committing thread calls them before its write returns, or another thread
/// that is already delivering calls them.
public final class Cache: CacheType, Sendable {
    @usableFromInline let core: CacheCore

    /// Creates an empty cache.
    ///
    /// ```swift
    /// let cache = Cache()
    /// cache.set(Book(id: 1, title: "Tehanu"))
    /// ```
    ///
    /// - Parameter delivery: The delivery that decides where and when the cache calls observers and
    ///   the completions of batches. The default calls them at once, on a thread that commits.
    public convenience init(delivery: CacheDelivery = .inline) {
        self.init(configuration: CacheConfiguration(delivery: delivery))
    }

    /// Creates an empty cache with a configuration.
    ///
    /// ```swift
    /// var configuration = CacheConfiguration()
    /// configuration.limit(Book.self, .count(1_000), staleAfter: .seconds(60))
    /// let cache = Cache(configuration: configuration)
    /// ```
    ///
    /// - Parameter configuration: The limits, lifetimes, loaders and indexes of the types, the
    ///   delivery of the observers' calls, and the clock that determines when values become stale
    ///   and expire.
    public init(configuration: CacheConfiguration) {
        core = CacheCore(configuration)
        for makeIndex in configuration.indexes { makeIndex(core) }
        for drop in configuration.listDroppings.values { drop(core) }
    }

    // Pending notifications are delivered before the observers are released. Handles read `nil`
    // from now on.
    deinit { core.close() }

    /// The number of the latest commit, or zero before the first one.
    ///
    /// ```swift
    /// let before = cache.version
    /// cache.set(book)
    /// print(cache.version > before)  // true, unless the equal book was stored already
    /// ```
    ///
    /// Each commit that changes something has a greater number than the one before it. If the
    /// version is the same before and after some work, the values are the same, too.
    public var version: UInt64 { core.clock.visibleVersion }
}

extension Cache {
    /// Waits until the observers of all earlier commits have been called.
    ///
    /// ```swift
    /// cache.set(book)
    /// await cache.waitForObservers()
    /// // Every observer of the book has received it, wherever it is called.
    /// ```
    ///
    /// A call of `set` returns after the calls of all inline observers, unless another thread was
    /// delivering. Observers on an actor or a queue are called later. This method returns when both
    /// kinds have received all commits whose calls had returned before this call, and when the
    /// completions of those batches have run. A sequence counts as notified when its buffer
    /// contains the element.
    ///
    /// A task that a sequence has resumed may commit while the thread that resumed it still
    /// delivers, and that thread then calls the observers of the commit. After this method has
    /// returned, the task's next commit calls its inline observers before it returns, unless other
    /// threads write.
    ///
    /// If a delivery never runs its closure, this method returns only when the task is cancelled.
    ///
    /// ## Concurrency
    /// An observer must not wait for code that awaits this method.
    public func waitForObservers() async {
        await core.deliveryQueue.waitForObservers()
        // All earlier notifications have been delivered, or are in an observer's own queue.
        for queue in core.ownQueues.withLock({ Array($0.values) }) {
            await queue.waitForObservers()
        }
    }
}

extension Cache {
    /// Creates the table of a type, compiled for it in the client's module.
    @inlinable
    package func makeTable<Value: Identifiable & Sendable>(of type: Value.Type)
    where Value.ID: Sendable {
        _ = core.tables.table(of: type)
    }

    /// Runs a closure whose writes become one commit, and calls a completion after the observers of
    /// that commit.
    ///
    /// ```swift
    /// cache.performBatchUpdates { batch in
    ///     batch.set(contentsOf: books)
    /// } completion: {
    ///     print("The observers have received the books.")
    /// }
    /// ```
    ///
    /// See ``CacheType/performBatchUpdates(_:)``.
    ///
    /// - Parameters:
    ///   - updates: A closure that writes to the batch. The batch is valid until the closure
    ///     returns.
    ///   - completion: A closure that the cache calls once, by the cache's own delivery and under
    ///     no lock. The call follows those of the observers of this commit and of all earlier
    ///     commits. Observers with a separate delivery, such as `isolation:`, may be called later:
    ///     ``waitForObservers()`` waits for all of them. The completion is also called if the batch
    ///     changes nothing, but not if `updates` throws. The completion of a batch inside another
    ///     batch follows the outer batch, and isn't called if the outer batch throws.
    /// - Returns: The result of `updates`.
    /// - Throws: Any error that `updates` throws.
    @discardableResult
    public func performBatchUpdates<Result, Failure: Error>(
        _ updates: (CacheBatch) throws(Failure) -> Result,
        completion: @escaping @Sendable () -> Void
    ) throws(Failure) -> Result {
        try core.performBatchUpdates(updates, completion: completion)
    }
}
