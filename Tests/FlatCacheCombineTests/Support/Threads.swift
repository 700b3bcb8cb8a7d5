#if canImport(Combine) || OpenCombine

import FlatCache
import Foundation

/// An event for which threads wait.
///
/// It stays fired.
final class Signal: @unchecked Sendable {
    // Guarded by `condition`.
    private var hasFired = false
    private let condition = NSCondition()

    var isFired: Bool { condition.withLock { hasFired } }

    func fire() {
        condition.withLock {
            hasFired = true
            condition.broadcast()
        }
    }

    /// Waits for the event.
    ///
    /// - Returns: `true` if the event happened in time.
    func wait() -> Bool {
        let deadline = Date(timeIntervalSinceNow: 900)
        return condition.withLock {
            while !hasFired, condition.wait(until: deadline) {}
            return hasFired
        }
    }
}

/// Starts a thread that runs a closure, and returns a signal that fires when the closure has
/// returned and is released.
func onThread(_ body: @escaping @Sendable () -> Void) -> Signal {
    let end = Signal()
    let body = Locked<(@Sendable () -> Void)?>(body)
    Thread.detachNewThread {
        body.withLock { $0.take() }?()
        end.fire()
    }
    return end
}

/// Runs closures at once, each on a thread of its own.
///
/// - Returns: `true` if all closures returned in time.
func onThreads(_ bodies: (@Sendable () -> Void)...) -> Bool {
    let start = Signal()
    let ends = bodies.map { body in
        onThread { if start.wait() { body() } }
    }
    start.fire()
    return ends.allSatisfy { $0.wait() }
}

/// Blocks the thread until another thread makes a condition hold.
///
/// - Returns: `true` if the condition holds in time.
func eventually(_ condition: () -> Bool) -> Bool {
    let deadline = Date(timeIntervalSinceNow: 900)
    while !condition() {
        guard Date() < deadline else { return false }
        sched_yield()
    }
    return true
}

#endif
