/// The time after which a wait of a test fails.
///
/// The time is long because on a busy machine a task can wait for minutes until other tests release
/// a thread. It only has to end a test that hangs.
package let generousTime: Duration = .seconds(300)

/// Suspends the task until other threads or tasks make a condition hold.
///
/// - Returns: A Boolean value that indicates whether the condition holds, which it may not if the
///   task is cancelled or after ``generousTime``.
package func soon(
    isolation: isolated (any Actor)? = #isolation,
    _ condition: () -> Bool
) async -> Bool {
    let deadline = ContinuousClock.now + generousTime
    while !condition() {
        guard !Task.isCancelled, ContinuousClock.now < deadline else { return false }
        try? await Task.sleep(for: .milliseconds(1))
    }
    return true
}
