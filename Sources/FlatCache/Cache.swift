/// A flat, normalized, observable store of model values, safe to use from any thread.
///
/// Every entity exists once, under its type and identifier. Whoever holds a ``Cached`` handle sees
/// its latest value; whoever observes hears of each change to it and to anything that it refers to,
/// once per commit.
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
/// Everything is synchronous: when a call that writes returns, every thread reads what it has
/// written. Writers take turns; readers never wait for them, not even for a batch that runs for
/// long. Observers are called outside all locks, in commit order, one call at a time: unless a
/// ``CacheDelivery`` says otherwise, by a thread that commits, before its call returns, or by another one
/// that is delivering already.
///
/// ## Topics
///
/// ### Reading
/// - ``get(_:id:)``
/// - ``withSnapshot(_:)``
/// - ``cached(_:id:)``
///
/// ### Writing
/// - ``set(_:)``
/// - ``update(_:id:_:)``
/// - ``remove(_:id:)``
/// - ``performBatchUpdates(_:)``
///
/// ### Observing
/// - ``observe(_:id:initial:following:delivery:_:)``
/// - ``observeChanges(_:id:initial:following:delivery:_:)``
public final class Cache: Sendable {
    @usableFromInline let core: CacheCore

    /// Creates an empty cache.
    ///
    /// - Parameter delivery: Where and when observers and completions of batches are called; at once,
    ///   by a thread that commits, unless something else is given.
    public convenience init(delivery: CacheDelivery = .inline) {
        self.init(configuration: CacheConfiguration(delivery: delivery))
    }

    /// Creates an empty cache that keeps what a configuration says.
    ///
    /// - Parameter configuration: What is kept of each type and for how long, and where observers are
    ///   called.
    public init(configuration: CacheConfiguration) {
        core = CacheCore(configuration)
    }

    // Observers are told what has been committed, then released; handles read `nil` from now on.
    deinit { core.close() }

    /// The number of the latest commit; zero before the first one.
    ///
    /// Each commit that changes something has a number greater than the one before.
    public var version: UInt64 { core.clock.visibleVersion }
}
