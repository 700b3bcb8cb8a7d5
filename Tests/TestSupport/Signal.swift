import Foundation

/// An event that threads wait for; once it has happened it stays so.
package final class Signal: @unchecked Sendable {
    private let condition = NSCondition()
    // Guarded by `condition`.
    private var hasHappened = false

    package init() {}

    package func fire() {
        condition.lock()
        hasHappened = true
        condition.broadcast()
        condition.unlock()
    }

    package var isFired: Bool {
        condition.lock()
        defer { condition.unlock() }
        return hasHappened
    }

    /// Waits for the event; returns whether it has happened within a generous time.
    package func wait(seconds: Double = 300) -> Bool {
        let deadline = Date(timeIntervalSinceNow: seconds)
        condition.lock()
        defer { condition.unlock() }
        while !hasHappened {
            if !condition.wait(until: deadline) { return hasHappened }
        }
        return true
    }
}
