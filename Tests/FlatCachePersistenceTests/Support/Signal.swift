import Foundation

/// An event that threads wait for; once it has happened it stays so.
final class Signal: @unchecked Sendable {
    private let condition = NSCondition()
    // Guarded by `condition`.
    private var hasHappened = false

    func fire() {
        condition.lock()
        hasHappened = true
        condition.broadcast()
        condition.unlock()
    }

    var isFired: Bool {
        condition.lock()
        defer { condition.unlock() }
        return hasHappened
    }

    /// Waits for the event; returns whether it has happened within a generous time.
    func wait(seconds: Double = 300) -> Bool {
        let deadline = Date(timeIntervalSinceNow: seconds)
        condition.lock()
        defer { condition.unlock() }
        while !hasHappened {
            if !condition.wait(until: deadline) { return hasHappened }
        }
        return true
    }
}
