#if canImport(Combine) || OpenCombine

import FlatCache

/// The observer's end of a subscription.
///
/// The subscription finishes when the inlet is deallocated because the observation has ended.
final class SubscriptionInlet<Output: Sendable>: Sendable {
    private let subscription: CachedSubscription<Output>

    init(_ subscription: CachedSubscription<Output>) {
        self.subscription = subscription
    }

    deinit { subscription.finish() }

    func receive(_ newest: StateNotification<Output>) { subscription.receive(newest) }
}

#endif
