import Synchronization

/// Calls that are due, and the way in which they are made: in order, one at a time.
///
/// A cache has one for all of its observations. An observation with a delivery of its own has
/// another, into which the cache's delivers.
package final class DeliveryLine: Sendable {
    private let outbox = Guarded(Outbox())
    private let delivery: Delivery

    package init(_ delivery: Delivery) {
        self.delivery = delivery
    }

    func append(_ items: [Outbox.Item]) {
        outbox.withLock { $0.append(items) }
    }

    /// Makes the calls that are due, or has them made, unless someone is doing so already.
    ///
    /// Must not be called under a lock.
    ///
    /// - Parameter make: Makes one call; the same each time.
    func deliver(_ make: @escaping @Sendable (Outbox.Item) -> Void) {
        guard outbox.withLock({ $0.beginDelivering() }) else { return }
        guard let runLater = delivery.runLater else {
            while !deliverSome(make) {}
            return
        }
        schedule(make, runLater)
    }

    private func schedule(
        _ make: @escaping @Sendable (Outbox.Item) -> Void,
        _ runLater: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) {
        var isDue = true
        while isDue {
            // What comes last schedules anew, the closure's end or the scheduler's return: so a
            // scheduler that runs the closure before it returns is called in a loop, not from inside
            // itself again and again.
            let isOneOver = Atomic(false)
            runLater { [self] in
                for _ in 0..<Self.roundsAtATime {
                    if deliverSome(make) { return }
                }
                // A queue's other work gets its turn, although threads go on to commit.
                if isOneOver.exchange(true, ordering: .acquiringAndReleasing) {
                    schedule(make, runLater)
                }
            }
            isDue = isOneOver.exchange(true, ordering: .acquiringAndReleasing)
        }
    }

    /// How many times a scheduled closure looks for calls that are due.
    static var roundsAtATime: Int { 64 }

    /// Makes the calls that are due now; returns whether there were none, so that delivering has
    /// ended.
    private func deliverSome(_ make: (Outbox.Item) -> Void) -> Bool {
        let items = outbox.withLock { $0.next() }
        for item in items { make(item) }
        return items.isEmpty
    }
}

extension DeliveryLine {
    /// Appends calls that are made by running them.
    package func append(_ calls: [@Sendable () -> Void]) {
        append(calls.map(Outbox.Item.completion))
    }

    /// Makes the calls that are due, or has them made, in a line that has nothing but calls that are
    /// made by running them.
    ///
    /// Must not be called under a lock.
    package func deliverCalls() {
        deliver { item in
            if case .completion(let call) = item { call() }
        }
    }
}
