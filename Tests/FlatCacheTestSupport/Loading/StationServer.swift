import Testing

@testable import FlatCache

/// A server of stations that answers the calls of a loader when the test says so.
final class StationServer: Sendable {
    /// The error of a failing call.
    struct Failure: Error, Equatable {
        var reason = ""
    }

    private typealias Answer = AsyncThrowingStream<[Station], any Error>

    private struct State {
        var calls: [[Int]] = []
        var answers: [Answer.Continuation] = []
        var cancelledCalls: Set<Int> = []
    }

    private let state = Locked(State())

    /// The identifiers of the calls, sorted, in the order of the calls.
    var calls: [[Int]] { state.withLock { $0.calls } }

    /// The numbers of the calls that ended because their task was cancelled.
    var cancelledCalls: Set<Int> { state.withLock { $0.cancelledCalls } }

    func load(_ ids: [Int]) async throws -> [Station] {
        let (answers, continuation) = Answer.makeStream()
        let number = state.withLock { state in
            state.calls.append(ids.sorted())
            state.answers.append(continuation)
            return state.calls.count - 1
        }
        // The stream of a cancelled task ends.
        for try await stations in answers { return stations }
        _ = state.withLock { $0.cancelledCalls.insert(number) }
        throw CancellationError()
    }

    /// Answers a call.
    func answer(_ call: Int, _ stations: Station...) { answer(call, with: stations) }

    func answer(_ call: Int, with stations: [Station]) { answer(to: call)?.yield(stations) }

    /// Lets a call fail.
    func fail(_ call: Int, _ error: any Error = Failure()) {
        answer(to: call)?.finish(throwing: error)
    }

    /// Returns the answer to a call, or records an issue if the call hasn't begun.
    private func answer(to call: Int) -> Answer.Continuation? {
        let answers = state.withLock(\.answers)
        if answers.indices.contains(call) { return answers[call] }
        Issue.record("The call \(call) hasn't begun; there are \(answers.count) calls.")
        return nil
    }
}

extension StationServer {
    /// Waits until a number of calls have begun.
    ///
    /// - Returns: A Boolean value that indicates whether there are just as many.
    func hasCalls(_ count: Int) async -> Bool {
        _ = await until { calls.count >= count }
        return calls.count == count
    }
}

extension LoadState {
    /// The case of the state, to compare it.
    var name: String {
        switch self {
        case .idle: "idle"
        case .loading: "loading"
        case .failed: "failed"
        }
    }

    /// The instant of the next attempt after a failure.
    var nextAttempt: CacheInstant? {
        if case .failed(_, let instant) = self { instant } else { nil }
    }
}
