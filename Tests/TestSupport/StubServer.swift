import FlatCache

/// A server whose answers a test gives, in an order of its choice.
package final class StubServer: Sendable {
    private struct Call {
        let number: Int
        let request: String
        let reply: CheckedContinuation<String, any Error>
    }

    private struct State {
        var waiting: [Call] = []
        var log: [String] = []
        var count = 0
    }

    private let state = Locked(State())

    package init() {}

    /// All requests, in the order of their arrival.
    package var log: [String] { state.withLock { $0.log } }

    /// The requests without an answer, in the order of their arrival.
    package var waiting: [String] { state.withLock { $0.waiting.map(\.request) } }

    /// Sends a request, and waits for the answer.
    package func send(_ request: String) async throws -> String {
        let number = state.withLock { state in
            state.count += 1
            state.log.append(request)
            return state.count
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { reply in
                let isCancelled = state.withLock { state in
                    if Task.isCancelled { return true }
                    state.waiting.append(Call(number: number, request: request, reply: reply))
                    return false
                }
                if isCancelled { reply.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            take { $0.number == number }?.resume(throwing: CancellationError())
        }
    }

    /// Answers the earliest waiting request with a text; returns whether there was one.
    @discardableResult
    package func answer(
        _ request: String,
        with result: Result<String, any Error> = .success("")
    ) -> Bool {
        guard let reply = take({ $0.request == request }) else { return false }
        reply.resume(with: result)
        return true
    }

    private func take(
        _ isChosen: (Call) -> Bool
    ) -> CheckedContinuation<String, any Error>? {
        state.withLock { state in
            state.waiting.firstIndex(where: isChosen).map { state.waiting.remove(at: $0).reply }
        }
    }
}

/// The refusal of a request by a server.
package struct Refusal: Error, Equatable {
    package init() {}
}
