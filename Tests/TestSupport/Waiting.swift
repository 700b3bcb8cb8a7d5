/// The time after which a wait of a test fails.
///
/// The time is long because on a busy machine a task can wait for minutes until other tests release
/// a thread. It only has to end a test that hangs, so that its failure names the test.
package let generousTime: Duration = .seconds(600)

/// The time after which a step of a model test fails if the subject still differs from the model.
package let modelStepTime: Duration = .seconds(30)

/// Suspends the task until other threads or tasks make a condition hold.
///
/// - Parameter leastTime: The time after which the wait may end if the condition has been checked a
///   thousand times, or `nil` for ``generousTime``. A busy machine delays the checks as much as the
///   tasks that the wait is for.
/// - Returns: A Boolean value that indicates whether the condition holds, which it may not if the
///   task is cancelled or after ``generousTime``.
package func soon(
    atLeastWithin leastTime: Duration? = nil,
    isolation: isolated (any Actor)? = #isolation,
    _ condition: () async throws -> Bool
) async rethrows -> Bool {
    let start = ContinuousClock.now
    var checks = 0
    while try await !condition() {
        checks += 1
        let time = ContinuousClock.now - start
        guard !Task.isCancelled, time < generousTime else { return false }
        if let leastTime, time >= leastTime, checks >= 1_000 { return false }
        try? await Task.sleep(for: .milliseconds(1))
    }
    return true
}
