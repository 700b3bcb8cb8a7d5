/// The position of a commit's notifications in a delivery queue; later commits have greater
/// tickets.
package struct DeliveryTicket: Comparable, Sendable {
    var number: UInt64

    package static func < (left: DeliveryTicket, right: DeliveryTicket) -> Bool {
        left.number < right.number
    }
}

/// The pending notifications of commits, in commit order, and the thread that makes them.
///
/// One thread delivers at a time: up to its own last commit, and a few more commits if no thread
/// waits. Then another thread takes over, so that no thread has to keep delivering the commits of
/// others.
///
/// A plain value without locks or callbacks. A `DeliveryQueue` keeps it under a lock.
struct DeliveryQueueState {
    /// The thread that delivers, and the last commit that it delivers.
    private struct Deliverer {
        /// The thread's number, or zero for a scheduled closure.
        var thread: UInt
        var target: DeliveryTicket
        /// The number of commits that it has delivered beyond its target.
        var extra = 0
    }

    /// A thread that waits until the queue is shorter or until it's the thread's turn to deliver.
    private struct Waiter {
        let thread: UInt
        let ticket: DeliveryTicket
        let sleeper: SleepingThread
    }

    /// The threads and tasks whose wait is over.
    struct Awakened {
        fileprivate(set) var threads: [SleepingThread] = []
        fileprivate(set) var tasks: [AsyncStream<Void>.Continuation] = []

        /// Wakes the threads and the tasks.
        ///
        /// Must not be called under a lock.
        func wake() {
            for thread in threads { thread.wake() }
            for task in tasks { task.finish() }
        }
    }

    /// The role of a thread that has committed.
    enum Role {
        /// The commit has been delivered, or another thread is delivering it.
        case none
        /// The thread delivers up to its commit.
        case deliver
        /// The queue is overloaded: the thread sleeps for a limited time or until it's woken.
        case wait
    }

    enum Step {
        /// Make a commit's notifications, then ask again.
        case deliver([Notification])
        /// End, since the target has been reached.
        case end
        /// End, and start a thread that delivers the rest.
        case startThread
    }

    /// The number of pending commits at which a thread that commits has to wait.
    static let overload: UInt64 = 64
    /// The number of commits that a thread delivers beyond its own if no other thread waits.
    static let maximumExtra = 8

    /// The notifications of each commit; those at indices less than `first` have been taken.
    private var commits: [[Notification]] = []
    private var first = 0
    /// The ticket of the latest commit.
    private(set) var last = DeliveryTicket(number: 0)
    /// The ticket of the latest commit whose notifications have all been made.
    private(set) var delivered = DeliveryTicket(number: 0)

    private var deliverer: Deliverer?
    private var waiters: [Waiter] = []
    /// The tasks that wait until the commits up to a ticket have been delivered, in the order of
    /// the tickets.
    private var tasks: [(ticket: DeliveryTicket, task: AsyncStream<Void>.Continuation)] = []
    /// `true` if the queue's own thread is running.
    private var hasOwnThread = false

    /// The number of commits with notifications that haven't been made.
    var backlog: UInt64 { last.number - delivered.number }

    private var isEmpty: Bool { first == commits.count }

    mutating func append(_ notifications: [Notification]) -> DeliveryTicket {
        commits.append(notifications)
        last.number += 1
        return last
    }

    /// Adds a task to wake when all notifications have been made and the deliverer has recorded
    /// that.
    mutating func append(_ task: AsyncStream<Void>.Continuation) -> DeliveryTicket {
        let ticket = append([])
        tasks.append((ticket, task))
        return ticket
    }

    // MARK: Joining

    /// Lets a thread that has committed deliver, unless another one does.
    ///
    /// - Parameter sleeper: The sleeper that is woken if the thread has to wait.
    mutating func join(
        _ thread: UInt,
        through ticket: DeliveryTicket,
        sleeper: SleepingThread?
    ) -> Role {
        guard ticket > delivered else { return .none }
        guard let current = deliverer else {
            deliverer = Deliverer(thread: thread, target: ticket)
            return .deliver
        }
        if current.thread == thread {
            // The deliverer itself has committed, in a call of an observer.
            deliverer?.target = max(current.target, ticket)
            return .none
        }
        guard backlog >= Self.overload else { return .none }
        if let sleeper {
            waiters.append(Waiter(thread: thread, ticket: ticket, sleeper: sleeper))
        }
        return .wait
    }

    /// Removes a waiting thread from the list; returns whether it delivers now.
    mutating func endWaiting(_ sleeper: SleepingThread, _ thread: UInt) -> Bool {
        if let index = waiters.firstIndex(where: { $0.sleeper === sleeper }) {
            waiters.remove(at: index)
            return false
        }
        return deliverer?.thread == thread
    }

    /// Lets a scheduled closure deliver all notifications, including future ones, unless there are
    /// none or a deliverer exists; returns whether it does.
    mutating func beginScheduling() -> Bool {
        guard deliverer == nil, !isEmpty else { return false }
        deliverer = Deliverer(thread: 0, target: DeliveryTicket(number: .max))
        return true
    }

    // MARK: The queue's own thread

    /// Returns whether a thread has to be started for commits that no thread delivers, and records
    /// its start.
    mutating func mustStartThread() -> Bool {
        guard deliverer == nil, !isEmpty, !hasOwnThread else { return false }
        hasOwnThread = true
        return true
    }

    /// Lets the queue's own thread deliver some commits; returns `false` if the thread ends,
    /// because another thread delivers or nothing is left.
    mutating func joinOwnThread(_ thread: UInt) -> Bool {
        guard deliverer == nil, !isEmpty else {
            hasOwnThread = false
            return false
        }
        let target = min(last.number, delivered.number + Self.overload)
        deliverer = Deliverer(thread: thread, target: DeliveryTicket(number: target))
        return true
    }

    // MARK: Delivering

    /// Returns the deliverer's next step after it has completed the previous one.
    ///
    /// - Parameters:
    ///   - hasDelivered: Whether the deliverer has just delivered a commit.
    ///   - awakened: The threads and tasks to wake, to which more are added.
    mutating func next(hasDelivered: Bool, awakened: inout Awakened) -> Step {
        if hasDelivered {
            delivered.number += 1
            wakeDelivered(&awakened)
        }
        if let target = deliverer?.target, delivered < target, !isEmpty {
            return .deliver(takeFirst())
        }
        return goOn(&awakened)
    }

    private mutating func wakeDelivered(_ awakened: inout Awakened) {
        while let first = tasks.first, first.ticket <= delivered {
            awakened.tasks.append(first.task)
            tasks.removeFirst()
        }
        guard !waiters.isEmpty else { return }
        for waiter in waiters where waiter.ticket <= delivered {
            awakened.threads.append(waiter.sleeper)
        }
        waiters.removeAll { $0.ticket <= delivered }
    }

    private mutating func goOn(_ awakened: inout Awakened) -> Step {
        if let next = waiters.indices.min(by: { waiters[$0].ticket < waiters[$1].ticket }) {
            let waiter = waiters.remove(at: next)
            deliverer = Deliverer(thread: waiter.thread, target: waiter.ticket)
            awakened.threads.append(waiter.sleeper)
            return .end
        }
        #if TestHooks
        let maximumExtra = Perturbation.chooses(oneIn: 2) ? 0 : Self.maximumExtra
        #else
        let maximumExtra = Self.maximumExtra
        #endif
        if let extra = deliverer?.extra, extra < maximumExtra, !isEmpty {
            deliverer?.extra += 1
            return .deliver(takeFirst())
        }
        deliverer = nil
        return mustStartThread() ? .startThread : .end
    }

    private mutating func takeFirst() -> [Notification] {
        // Usually one commit is pending. Taking it needs none of the calls of a general removal.
        if commits.count == 1, first == 0, commits.capacity <= 2 * Int(Self.overload) {
            return commits.removeLast()
        }
        var notifications: [Notification] = []
        swap(&notifications, &commits[first])
        first += 1
        if first == commits.count {
            commits.removeAll(keepingCapacity: first <= Int(Self.overload))
            first = 0
        } else if first > Int(Self.overload), first * 2 > commits.count {
            commits.removeSubrange(..<first)
            first = 0
        }
        return notifications
    }
}
