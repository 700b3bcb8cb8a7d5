import Foundation

/// An event for which threads wait.
///
/// It stays fired.
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

    /// Waits for the event, at most for ``generousTime``.
    ///
    /// - Returns: A Boolean value that indicates whether the event has happened.
    package func wait() -> Bool {
        let deadline = Date(timeIntervalSinceNow: generousTime / .seconds(1))
        condition.lock()
        defer { condition.unlock() }
        while !hasHappened {
            if !condition.wait(until: deadline) { return hasHappened }
        }
        return true
    }
}
