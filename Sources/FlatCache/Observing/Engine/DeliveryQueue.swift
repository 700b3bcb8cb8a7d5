import Synchronization

/// A queue that makes notifications one at a time, in the order in which they were enqueued.
///
/// A cache has one queue for all of its observations. An observation with its own delivery has
/// another queue that receives its events from the cache's queue.
///
/// With the delivery `.inline`, a thread that has committed delivers the notifications up to its
/// own commit, unless another thread is delivering.
///
/// If the queue is overloaded, the thread waits for its turn. This slows down only threads that
/// commit faster than the observers work. The thread waits for at most a hundredth of a second,
/// because an observer may be waiting for a lock that the thread holds.
///
/// If no other thread takes over, the queue starts its own thread for the rest. It's a thread and
/// not a task, because all threads that run tasks may be waiting for a notification.
package final class DeliveryQueue: Sendable {
    private let state = Locked(DeliveryQueueState())
    private let delivery: CacheDelivery

    package init(_ delivery: CacheDelivery) {
        self.delivery = delivery
    }

    func append(_ notifications: [Notification]) -> DeliveryTicket {
        state.withLock { $0.append(notifications) }
    }

    /// Adds the initial notification of an observation, unless another thread has added it.
    ///
    /// The queue's lock makes the check and the addition one step. The initial notification
    /// therefore precedes all others, whether the registering thread or a notifying thread comes
    /// first.
    ///
    /// - Returns: The notification's ticket, or `nil` if the observation has no initial
    ///   notification.
    func append(_ notification: Notification?, initialOf registration: PendingRegistration)
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

    /// Waits until the notifications in the queue have been made, or the task is cancelled.
    ///
    /// If no other notifications follow, the thread that made them no longer delivers by then. A
    /// task that waits and then commits therefore delivers its own notifications.
    ///
    /// Must not be called under a lock.
    func waitForObservers() async {
        let (end, task) = AsyncStream.makeStream(of: Void.self)
        deliver(through: state.withLock { $0.append(task) })
        for await _ in end {}
    }

    /// The number of commits with notifications that haven't been made.
    package var backlog: Int { Int(state.withLock { $0.backlog }) }

    /// Makes the notifications up to a commit, or schedules them, unless another thread is doing
    /// so.
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

    /// Lets another thread make the notifications in the queue.
    func deliverInBackground() {
        if let runLater = delivery.runLater {
            if state.withLock({ $0.beginScheduling() }) { schedule(runLater) }
        } else if state.withLock({ $0.mustStartThread() }) {
            startThread()
        }
    }

    // MARK: Inline

    /// The longest time for which a thread waits if the queue is overloaded, in nanoseconds.
    private static let maximumWait: Int64 = 10_000_000

    private func waitToDeliver(_ thread: UInt, through ticket: DeliveryTicket) {
        let sleeper = SleepingThread()
        switch state.withLock({ $0.join(thread, through: ticket, sleeper: sleeper) }) {
        case .none: return
        case .deliver: deliverToTarget()
        case .wait:
            sleeper.sleep(nanoseconds: Self.maximumWait)
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

    private enum Ending {
        case reachedLimit
        case end
        case startThread
    }

    /// Makes the notifications of the next commits, as the deliverer.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of commits to deliver.
    ///   - hasDelivered: Whether the deliverer has already delivered a commit.
    private func deliver(atMost limit: Int, hasDelivered: Bool = false) -> Ending {
        var hasDelivered = hasDelivered
        for _ in 0..<limit {
            var awakened = DeliveryQueueState.Awakened()
            let step = state.withLock { $0.next(hasDelivered: hasDelivered, awakened: &awakened) }
            awakened.wake()
            #if TestHooks
            Perturbation.perturb()
            #endif
            switch step {
            case .deliver(let notifications):
                // The deliverer may be inside an ingest or the closure of a load. The writes of
                // observers don't belong to that ingest, and the load doesn't wait for the tasks of
                // observers.
                EnclosingCalls.withoutCalls {
                    Ingestion.withoutScope {
                        for notification in notifications { notification.make() }
                    }
                }
                hasDelivered = true
                #if TestHooks
                Perturbation.delay()
                #endif
            case .end: return .end
            case .startThread: return .startThread
            }
        }
        return .reachedLimit
    }

    // MARK: Scheduled

    /// The number of commits that a scheduled closure delivers before another closure takes over,
    /// so that other work on a dispatch queue gets its turn.
    static var commitsAtATime: Int { 256 }

    private func schedule(
        _ runLater: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
        hasDelivered: Bool = false
    ) {
        var hasDelivered = hasDelivered
        var isDue = true
        while isDue {
            // Either the closure ends first, or the scheduler returns first. The later of the two
            // events schedules the next closure. A scheduler that runs the closure before it
            // returns is therefore called in a loop, not recursively.
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
    /// Adds calls that are made together.
    package func append(_ calls: [@Sendable () -> Void]) {
        _ = append(calls.map(Notification.action))
    }

    /// Makes the calls in the queue, or schedules them, unless another thread is doing so.
    ///
    /// Must not be called under a lock.
    package func deliverCalls() { deliver(through: state.withLock { $0.last }) }
}
