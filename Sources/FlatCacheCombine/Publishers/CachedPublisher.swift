#if canImport(Combine) || OpenCombine

#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif
package import FlatCache

/// A publisher of the current state of a source, such as an entity, a list or a query, and of the
/// state after each commit that changes it.
///
/// ```swift
/// let book = cache.cached(Book.self, id: 1)
/// let subscription = book.publisher
///     .compactMap { $0?.title }
///     .removeDuplicates()
///     .sink { print($0) }
/// ```
///
/// Each subscriber has its own observation. It lasts until the subscriber cancels or the cache is
/// deallocated. When the cache is deallocated, the publisher finishes. It never fails. Neither the
/// publisher nor a subscription keeps the cache alive.
///
/// A subscriber receives as many states as it has demanded. A subscriber that is slower than the
/// commits receives the newest state without the intermediate ones, and never an older state after
/// a newer one. When the cache is deallocated, the latest state that hasn't been sent is still sent
/// once the subscriber demands it, followed by the completion. The elements of a list are the
/// exception, since they're removed with the cache.
///
/// ## Concurrency
/// Subscribing begins an observation and waits for no other thread. If the current state has been
/// demanded by then, it arrives before `subscribe` returns. If the cache is delivering at that
/// time, on another thread or further up the stack, it arrives after the notifications of earlier
/// commits. If `subscribe` is called in a batch, it arrives after the batch.
///
/// Later states arrive wherever the cache delivers: for `CacheDelivery.inline`, on the committing
/// thread. A state that is available when the subscriber demands it arrives on the demanding
/// thread. A subscriber that is isolated to the main actor needs `receive(on:)`, or a cache that
/// delivers there.
///
/// The calls of one subscriber are made one at a time and under no lock. During a call, the
/// subscriber may read and write the cache, demand more, and cancel. Its reads include the commit
/// that caused the call. States that its writes cause arrive after the call has returned.
///
/// After `cancel()` has returned, no new call starts on any thread. A call that another thread
/// started earlier may still be running, or may not even have reached the subscriber's first line.
public struct CachedPublisher<Output: Sendable>: Publisher, Sendable {
    /// A cache's publishers never fail.
    public typealias Failure = Never

    /// A function that calls a closure with the present state and after each commit.
    ///
    /// The closure is released when the observation ends.
    package typealias Observe =
        @Sendable (
            _ receive: @escaping @Sendable (StateNotification<Output>) -> Void
        ) -> Disposable

    private let observe: Observe
    /// The policy for states that the subscriber hasn't demanded yet.
    private let policy: BufferingPolicy

    package init(buffering policy: BufferingPolicy = .newest(1), _ observe: @escaping Observe) {
        self.observe = observe
        self.policy = policy
    }

    /// Begins an observation for a subscriber.
    ///
    /// - Parameter subscriber: The subscriber.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Never {
        let subscription = CachedSubscription(to: subscriber, policy)
        subscription.begin(observe)
        subscriber.receive(subscription: subscription)
        subscription.start()
    }
}

#endif
