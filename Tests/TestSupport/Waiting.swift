/// The time after which a wait of a test fails.
///
/// It only has to end a test that hangs. On a busy machine a task can wait for minutes until the
/// tests before it leave it a thread.
package let generousTime: Duration = .seconds(900)

/// Waits until other threads or tasks bring about a condition, and lets other tasks run meanwhile.
///
/// - Returns: A Boolean value that indicates whether the condition holds. It may not if the task is
///   canceled, or after ``generousTime``.
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
