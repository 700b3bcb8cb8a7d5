import FlatCache

/// A request whose answer the test holds back.
final class LateRequest: Sendable {
    /// The request as the closure of a load uses it.
    ///
    /// The closure retains it until the call has ended.
    final class Call: Sendable {
        private let request: LateRequest

        fileprivate init(_ request: LateRequest) {
            self.request = request
            request.state.withLock { $0.callCount += 1 }
        }

        deinit { request.state.withLock { $0.callCount -= 1 } }

        /// Waits until the test ends the request, even if the task is cancelled.
        func wait() async throws { try await request.wait() }
    }

    private struct State {
        var callCount = 0
        var hasBegun = false
        var isCancelled = false
        var result: Result<Void, any Error>?
        var continuations: [CheckedContinuation<Void, any Error>] = []
    }

    private let state = Locked(State())

    /// The request for the closure of a load.
    var call: Call { Call(self) }

    var hasBegun: Bool { state.withLock(\.hasBegun) }

    /// A Boolean value that indicates whether the task was cancelled in which the request waits.
    var isCancelled: Bool { state.withLock(\.isCancelled) }

    /// A Boolean value that indicates whether the call has ended, with everything that follows the
    /// closure.
    var isReleased: Bool { state.withLock { $0.callCount == 0 } }

    private func wait() async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result = state.withLock { state in
                    state.hasBegun = true
                    if state.result == nil { state.continuations.append(continuation) }
                    return state.result
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            state.withLock { $0.isCancelled = true }
        }
    }

    /// Lets the request answer, or fail with an error.
    func end(throwing error: (any Error)? = nil) {
        let result: Result<Void, any Error> = error.map { .failure($0) } ?? .success(())
        let continuations = state.withLock { state in
            defer { state.continuations = [] }
            state.result = result
            return state.continuations
        }
        for continuation in continuations { continuation.resume(with: result) }
    }
}
