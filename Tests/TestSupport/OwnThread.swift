/// Runs a closure on a thread of its own.
///
/// A closure that waits for processes then doesn't block a thread that the tasks of other tests
/// need.
package func onOwnThread<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        _ = RunningThread { continuation.resume(with: Swift.Result { try body() }) }
    }
}
