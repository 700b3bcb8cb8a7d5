#if canImport(Combine) || OpenCombine

import FlatCache

/// The end of a subscription that an observer holds: when it goes, because the observation has ended,
/// the subscription finishes.
final class SubscriptionInlet<Output: Sendable>: Sendable {
    private let subscription: CachedSubscription<Output>

    init(_ subscription: CachedSubscription<Output>) {
        self.subscription = subscription
    }

    deinit { subscription.finish() }

    func receive(_ newest: FeedState<Output>) { subscription.receive(newest) }
}

#endif
