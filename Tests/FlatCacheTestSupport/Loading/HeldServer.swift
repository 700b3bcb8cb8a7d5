import FlatCache
import Testing

/// A server whose answers the test gives by hand.
final class HeldServer<Request: Sendable, Response: Sendable>: Sendable {
    private typealias Continuation = UnsafeContinuation<Response, any Error>

    private struct State {
        var count = 0
        /// The requests with the numbers that their tasks have drawn.
        var requests: [(number: Int, request: Request)] = []
        var waiting: [Int: Continuation] = [:]
        var cancelled: Set<Int> = []
    }

    private let state = Locked(State())
    private let heedsCancellation: Bool

    /// Creates a server.
    ///
    /// - Parameter heedsCancellation: If `false`, a request waits for its answer even if its task
    ///   is cancelled.
    init(heedsCancellation: Bool = true) { self.heedsCancellation = heedsCancellation }

    /// The requests so far.
    var requests: [Request] { state.withLock { $0.requests.map(\.request) } }

    /// The number of requests whose task was cancelled.
    var cancellationCount: Int { state.withLock { $0.cancelled.count } }

    func response(to request: Request) async throws -> Response {
        let number = state.withLock { state in
            state.count += 1
            return state.count
        }
        return try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                let isCancelled = state.withLock { state in
                    state.requests.append((number, request))
                    if heedsCancellation, state.cancelled.contains(number) { return true }
                    state.waiting[number] = continuation
                    return false
                }
                if isCancelled { continuation.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            let continuation = state.withLock { state in
                state.cancelled.insert(number)
                return heedsCancellation ? state.waiting.removeValue(forKey: number) : nil
            }
            continuation?.resume(throwing: CancellationError())
        }
    }

    /// Answers a request.
    ///
    /// - Parameters:
    ///   - index: The position of the request among all requests.
    ///   - result: The response or the error.
    func answer(_ index: Int, _ result: Result<Response, any Error>) {
        let (count, continuation) = state.withLock { state -> (Int, Continuation?) in
            guard state.requests.indices.contains(index) else { return (state.requests.count, nil) }
            let number = state.requests[index].number
            return (state.requests.count, state.waiting.removeValue(forKey: number))
        }
        if index >= count {
            Issue.record("The request \(index) hasn't begun; there are \(count) requests.")
        }
        continuation?.resume(with: result)
    }

    func answer(_ index: Int, _ response: Response) { answer(index, .success(response)) }

    /// Answers the first request.
    func answer(_ response: Response) { answer(0, .success(response)) }
}
