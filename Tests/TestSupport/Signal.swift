import FlatCache
import Foundation

/// An event for which threads wait.
///
/// After the event, the signal remains fired.
package final class Signal: @unchecked Sendable {
    private let condition = NSCondition()
    // Guarded by `condition`.
    private var hasHappened = false
    #if TestHooks
    private let identity = StateTracking.Identity()
    #endif

    package init() {}

    package func fire() {
        condition.lock()
        hasHappened = true
        condition.broadcast()
        condition.unlock()
        #if TestHooks
        StateTracking.didChange(identity)
        #endif
    }

    package var isFired: Bool {
        condition.lock()
        defer { condition.unlock() }
        #if TestHooks
        StateTracking.didRead(identity)
        #endif
        return hasHappened
    }

    /// Waits for the event, at most for ``hangLimit``.
    ///
    /// - Returns: A Boolean value that indicates whether the event has happened.
    package func wait() -> Bool {
        let deadline = Date(timeIntervalSinceNow: hangLimit / .seconds(1))
        condition.lock()
        defer { condition.unlock() }
        while !hasHappened {
            if !condition.wait(until: deadline) { return hasHappened }
        }
        return true
    }
}
