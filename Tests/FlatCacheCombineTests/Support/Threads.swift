#if canImport(Combine) || OpenCombine

import Foundation

/// An event that threads wait for; once it has happened it stays so.
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

    /// Waits for the event; returns whether it has happened within a generous time.
    func wait() -> Bool {
        let deadline = Date(timeIntervalSinceNow: 300)
        return condition.withLock {
            while !hasFired, condition.wait(until: deadline) {}
            return hasFired
        }
    }
}

/// Starts a thread that runs a closure; returns what happens when that has returned.
func onThread(_ body: @escaping @Sendable () -> Void) -> Signal {
    let end = Signal()
    Thread.detachNewThread {
        body()
        end.fire()
    }
    return end
}

/// Runs closures on a thread each, at once; returns whether all have returned within a generous
/// time.
func onThreads(_ bodies: (@Sendable () -> Void)...) -> Bool {
    let start = Signal()
    let ends = bodies.map { body in
        onThread { if start.wait() { body() } }
    }
    start.fire()
    return ends.allSatisfy { $0.wait() }
}

/// Waits until a condition that another thread brings about holds; returns whether it does within a
/// generous time.
func eventually(_ condition: () -> Bool) -> Bool {
    let deadline = Date(timeIntervalSinceNow: 300)
    while !condition() {
        guard Date() < deadline else { return false }
        sched_yield()
    }
    return true
}

#endif
