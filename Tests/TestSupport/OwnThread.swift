/// Runs a closure on a thread of its own, so that it keeps no thread from the tasks of other tests
/// while it waits for processes.
package func onOwnThread<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        _ = RunningThread { continuation.resume(with: Swift.Result { try body() }) }
    }
}
