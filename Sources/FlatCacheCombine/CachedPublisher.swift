#if canImport(Combine) || OpenCombine

#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif
public import FlatCache

/// Publishes the current state of something in a cache, an entity, a list or what an alias points to,
/// and then the state after each commit that changes it.
///
/// ```swift
/// let book = cache.cached(Book.self, id: 1)
/// let subscription = book.publisher
///     .compactMap { $0?.title }
///     .removeDuplicates()
///     .sink { print($0) }
/// ```
///
/// Each subscriber has an observation of its own, from when it subscribes until it cancels or the
/// cache goes. Then the publisher finishes; it never fails. Neither the publisher nor a subscription
/// keeps the cache alive.
///
/// A subscriber gets as many states as it has asked for. One that is slower than the commits gets the
/// newest state and not those in between, and never an older state after a newer one. When the cache
/// goes, the last state that a subscriber has not got is still sent once it asks for one, and the
/// completion after that; only the elements of a list have gone with the cache.
///
/// ## Concurrency
/// Subscribing begins to observe, so it waits for another thread's batch. The current state comes
/// before `subscribe` returns, if it is asked for by then, unless the cache is delivering just then, on
/// another thread or further up the stack: its turn comes after what has been committed before.
///
/// Later states come where the cache delivers, for `CacheDelivery.inline` on the thread that commits, or on
/// the thread that asks for one which is there already. A subscriber that is isolated to the main actor
/// needs `receive(on:)`, or a cache that delivers there.
///
/// The calls of one subscriber come one at a time and under no lock. It may read and write the cache,
/// ask for more, and cancel from inside them; what it reads contains the commit that it is told of, and
/// what it writes comes to it after the call has returned.
///
/// After `cancel()` has returned, on whatever thread, no new call starts. One that another thread has
/// started before may still be running, and may not even have come to the subscriber's first line.
public struct CachedPublisher<Output: Sendable>: Publisher, Sendable {
    /// A cache's publishers never fail.
    public typealias Failure = Never

    private let feed: Feed<Output>
    /// What is kept for a subscriber that has not asked for it yet.
    private let policy: BufferingPolicy

    @usableFromInline
    package init(_ feed: Feed<Output>) {
        self.init(feed, buffering: .newest(1))
    }

    package init(_ feed: Feed<Output>, buffering policy: BufferingPolicy) {
        self.feed = feed
        self.policy = policy
    }

    /// Begins to observe for a subscriber.
    ///
    /// - Parameter subscriber: The subscriber.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Never {
        let subscription = CachedSubscription(to: subscriber, policy)
        subscription.observe(feed)
        subscriber.receive(subscription: subscription)
        subscription.start()
    }
}

#endif
