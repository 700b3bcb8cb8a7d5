#if canImport(Combine) || OpenCombine

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif
import FlatCache

/// The connection of a subscriber to a feed.
///
/// The observation keeps it, and with it the subscriber, until either ends it.
final class CachedSubscription<Output: Sendable>: Subscription, Sendable {
    private let state: Guarded<SubscriptionState<FeedState<Output>>>
    private let slot: ObserverSlot<SubscriptionState<Output>.Event>

    init<Downstream: Subscriber>(to subscriber: Downstream, _ policy: BufferingPolicy)
    where Downstream.Input == Output, Downstream.Failure == Never {
        let subscriber = SubscriberReference(subscriber)
        let state = Guarded(SubscriptionState<FeedState<Output>>(policy))
        self.state = state
        slot = ObserverSlot { event in
            switch event {
            case .value(let output):
                let demand = subscriber.receive(output)
                // Who is sending gets nothing more to send by asking.
                if demand > .none { _ = state.withLock { $0.request(demand) } }
            case .finished:
                subscriber.finish()
            }
        }
    }

    /// Begins to observe; nothing is sent before ``start()``.
    func observe(_ feed: Feed<Output>) {
        let observation = feed.observe(.inline, SubscriptionInlet(self).receive)
        state.withLock { $0.observation = observation }
    }

    /// Lets the subscriber, which has its subscription by now, have what it has asked for.
    func start() { send(state.withLock { $0.next() }) }

    func request(_ demand: Subscribers.Demand) {
        send(state.withLock { $0.request(demand) })
    }

    func cancel() {
        let remains = state.withLock { $0.cancel() }
        slot.end()
        remains.observation?.dispose()
    }

    /// Takes the newest state of what is observed.
    func receive(_ newest: FeedState<Output>) { send(state.withLock { $0.put(newest) }.event) }

    /// Notes that what is observed has gone.
    func finish() { send(state.withLock { $0.end() }) }

    /// Sends an event, and then those that have become due meanwhile.
    ///
    /// Must not be called under a lock.
    private func send(_ event: SubscriptionState<FeedState<Output>>.Event?) {
        var next = event
        while let event = next {
            switch event {
            case .value(let newest):
                // Collected before the call starts. If it has gone with the cache, the end follows.
                if let output = newest.output { slot.call(.value(output)) }
            case .finished:
                slot.call(.finished)
                cancel()
            }
            next = state.withLock { $0.next() }
        }
    }
}

#endif
