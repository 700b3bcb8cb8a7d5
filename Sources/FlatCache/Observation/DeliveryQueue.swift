import Synchronization

/// Makes notifications in the order in which they were enqueued, one at a time.
///
/// A cache has one queue for all of its observations. An observation with a delivery of its own has
/// another one, to which the cache's queue hands on.
///
/// With the delivery `.inline` a thread that has committed delivers what is in the queue up to the
/// end of its own commit, unless another thread is delivering. If it finds the queue overloaded, it
/// waits for its turn, for a hundredth of a second at most: an observer may be waiting for a lock that
/// this thread holds. So a thread that commits faster than the observers work is held up, and no
/// other one. A thread of the queue's own delivers the rest if no other thread comes: not a task,
/// since all threads of the pool may be waiting for a notification.
package final class DeliveryQueue: Sendable {
    private let state = Guarded(DeliveryQueueState())
    private let delivery: CacheDelivery

    package init(_ delivery: CacheDelivery) {
        self.delivery = delivery
    }

    /// Adds the notifications of a commit.
    func append(_ notifications: [Notification]) -> DeliveryTicket {
        state.withLock { $0.append(notifications) }
    }

    /// Adds an observation's initial notification, unless that has been done.
    ///
    /// The queue's lock makes the check and the addition one step. So whichever comes first, the thread
    /// that registers the observation or one that notifies it, the initial notification comes first.
    ///
    /// - Returns: The notification's ticket; `nil` if the observation has none.
    func append(_ notification: Notification?, initialOf registration: Registration)
        -> DeliveryTicket?
    {
        state.withLock { state in
            if !registration.hasInitialTicket {
                registration.hasInitialTicket = true
                registration.initialTicket = notification.map { state.append([$0]) }
            }
            return registration.initialTicket
        }
    }

    /// The number of commits whose notifications haven't all been made.
    package var backlog: Int { Int(state.withLock { $0.backlog }) }

    /// Makes the notifications up to a commit's, or has them made, unless that is under way.
    ///
    /// Must not be called under a lock.
    func deliver(through ticket: DeliveryTicket) {
        if let runLater = delivery.runLater {
            if state.withLock({ $0.beginScheduling() }) { schedule(runLater) }
            return
        }
        let thread = currentThread
        switch state.withLock({ $0.join(thread, through: ticket, sleeper: nil) }) {
        case .none: return
        case .deliver: deliverToTarget()
        case .wait: waitToDeliver(thread, through: ticket)
        }
    }

    /// Has the notifications made that are in the queue, by another thread.
    func deliverInBackground() {
        if let runLater = delivery.runLater {
            if state.withLock({ $0.beginScheduling() }) { schedule(runLater) }
        } else if state.withLock({ $0.mustStartThread() }) {
            startThread()
        }
    }

    // MARK: Inline

    /// How long a thread waits at most that finds the queue overloaded.
    private static let longestWait: Int64 = 10_000_000

    private func waitToDeliver(_ thread: UInt, through ticket: DeliveryTicket) {
        let sleeper = SleepingThread()
        switch state.withLock({ $0.join(thread, through: ticket, sleeper: sleeper) }) {
        case .none: return
        case .deliver: deliverToTarget()
        case .wait:
            sleeper.sleep(nanoseconds: Self.longestWait)
            if state.withLock({ $0.endWaiting(sleeper, thread) }) { deliverToTarget() }
        }
    }

    private func deliverToTarget() {
        if deliver(atMost: .max) == .startThread { startThread() }
    }

    private func startThread() {
        runOnNewThread { [self] in
            while state.withLock({ $0.joinOwnThread(currentThread) }) { _ = deliver(atMost: .max) }
        }
    }

    /// Why a deliverer stops.
    private enum Ending {
        case reachedLimit
        case end
        case startThread
    }

    /// Makes the notifications of the next commits, as the deliverer.
    ///
    /// - Parameters:
    ///   - limit: How many commits' at most.
    ///   - hasDelivered: Whether the deliverer has delivered one already.
    private func deliver(atMost limit: Int, hasDelivered: Bool = false) -> Ending {
        var hasDelivered = hasDelivered
        for _ in 0..<limit {
            var woken: [SleepingThread] = []
            let step = state.withLock { $0.next(hasDelivered: hasDelivered, woken: &woken) }
            for sleeper in woken { sleeper.wake() }
            switch step {
            case .deliver(let notifications):
                for notification in notifications { notification.make() }
                hasDelivered = true
            case .end: return .end
            case .startThread: return .startThread
            }
        }
        return .reachedLimit
    }

    // MARK: Scheduled

    /// How many commits a scheduled closure delivers before another one takes over, so that a queue's
    /// other work gets its turn.
    static var commitsAtATime: Int { 256 }

    private func schedule(
        _ runLater: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
        hasDelivered: Bool = false
    ) {
        var hasDelivered = hasDelivered
        var isDue = true
        while isDue {
            // The later one of the closure's end and the scheduler's return schedules anew. So a
            // scheduler that runs the closure before it returns is called in a loop, not from inside
            // itself again and again.
            let isOneOver = Atomic(false)
            runLater { [self, hasDelivered] in
                guard
                    deliver(atMost: Self.commitsAtATime, hasDelivered: hasDelivered)
                        == .reachedLimit
                else { return }
                if isOneOver.exchange(true, ordering: .acquiringAndReleasing) {
                    schedule(runLater, hasDelivered: true)
                }
            }
            isDue = isOneOver.exchange(true, ordering: .acquiringAndReleasing)
            hasDelivered = true
        }
    }
}

extension DeliveryQueue {
    /// Adds calls that belong together.
    package func append(_ calls: [@Sendable () -> Void]) {
        _ = append(calls.map(Notification.action))
    }

    /// Makes the calls that are in the queue, or has them made, unless that is under way.
    ///
    /// Must not be called under a lock.
    package func deliverCalls() { deliver(through: state.withLock { $0.last }) }
}

package typealias DeliveryLine = DeliveryQueue
