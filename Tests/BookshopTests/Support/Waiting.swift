import Foundation

/// Waits until a condition holds that other threads bring about; returns whether it does within a
/// generous time.
///
/// It holds up the thread: what is tested waits for its caller in the same way.
func soon(_ condition: () -> Bool) -> Bool {
    let deadline = ContinuousClock.now + .seconds(900)
    while !condition() {
        guard ContinuousClock.now < deadline else { return false }
        Thread.sleep(forTimeInterval: 0.001)
    }
    return true
}
