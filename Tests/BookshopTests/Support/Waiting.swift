import Foundation

/// Blocks the thread until other threads make a condition hold.
///
/// The tested code waits for its caller in the same way.
///
/// - Returns: `true` if the condition holds in time.
func soon(_ condition: () -> Bool) -> Bool {
    let deadline = ContinuousClock.now + .seconds(900)
    while !condition() {
        guard ContinuousClock.now < deadline else { return false }
        Thread.sleep(forTimeInterval: 0.001)
    }
    return true
}
