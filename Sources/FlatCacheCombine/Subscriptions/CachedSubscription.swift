#if canImport(Combine) || OpenCombine

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif
import FlatCache

/// The connection between a subscriber and a source.
///
/// The observation keeps the subscription and its subscriber alive until the observation ends or
/// the subscriber cancels.
final class CachedSubscription<Output: Sendable>: Subscription, Sendable {
    private let state: Locked<SubscriptionState<StateNotification<Output>>>
    private let slot: ObserverSlot<SubscriptionState<Output>.Event>

    init<Downstream: Subscriber>(to subscriber: Downstream, _ policy: BufferingPolicy)
    where Downstream.Input == Output, Downstream.Failure == Never {
        let subscriber = SubscriberReference(subscriber)
        let state = Locked(SubscriptionState<StateNotification<Output>>(policy))
        self.state = state
        slot = ObserverSlot { event in
            switch event {
            case .value(let output):
                let demand = subscriber.receive(output)
                // This thread is already sending, so the new demand yields no event here.
                if demand > .none { _ = state.withLock { $0.request(demand) } }
            case .finished:
                subscriber.finish()
            }
        }
    }

    /// Begins the observation without sending anything before ``start()``.
    func begin(_ observe: CachedPublisher<Output>.Observe) {
        let observation = observe(SubscriptionInlet(self).receive)
        state.withLock { $0.observation = observation }
    }

    /// Sends the events that the subscriber has demanded since it received the subscription.
    func start() { send(state.withLock { $0.next() }) }

    func request(_ demand: Subscribers.Demand) {
        send(state.withLock { $0.request(demand) })
    }

    func cancel() {
        let remains = state.withLock { $0.cancel() }
        slot.end()
        remains.observation?.dispose()
    }

    /// Receives the newest state of the source.
    func receive(_ newest: StateNotification<Output>) {
        send(state.withLock { $0.put(newest) }.event)
    }

    /// Finishes the subscription, because the observation has ended.
    func finish() { send(state.withLock { $0.end() }) }

    /// Sends an event, and then the events that have become due meanwhile.
    ///
    /// Must not be called under a lock.
    private func send(_ event: SubscriptionState<StateNotification<Output>>.Event?) {
        var next = event
        while let event = next {
            switch event {
            case .value(let newest):
                // The state is collected before the call starts. If it was removed with its cache,
                // the end follows.
                if let output = newest.state { slot.call(.value(output)) }
            case .finished:
                slot.call(.finished)
                cancel()
            }
            next = state.withLock { $0.next() }
        }
    }
}

#endif
