#if canImport(CPostgres)
import FlatCache

/// A request for an import.
struct ImportRequest: Sendable {
    /// The identifiers of rows to read in any case, by table.
    var keys: [String: Set<String>] = [:]
    /// `true` if the other nodes must be notified first.
    var notifies = false
}

/// The requests for imports, and the callers that wait for them.
///
/// A caller adds its request without a turn on the engine's thread. That thread may be in the
/// middle of an import. All deadlines share a timer. A turn and a timer for each write took as much
/// time as its statements.
final class ImportRequests: Sendable {
    typealias Answer = Result<ReplicationEngine.Import, PostgresGraphError>

    private struct Caller {
        let continuation: CheckedContinuation<Answer, Never>
        /// The end of the wait, or `nil` if it has none.
        let deadline: ContinuousClock.Instant?
    }

    private struct State {
        var lastNumber = 0
        /// The requests that no import has taken.
        var new: [(number: Int, request: ImportRequest)] = []
        var callers: [Int: Caller] = [:]
        var isImportScheduled = false
        /// The time for which the timer is set.
        var timer: ContinuousClock.Instant?

        /// Returns the time for which the timer must be set, if it isn't set for an earlier one.
        mutating func setTimer(_ deadline: ContinuousClock.Instant?) -> ContinuousClock.Instant? {
            // A sleeping timer outlives the wait, and the clock can't sleep until the end of time.
            guard let deadline = deadline.map({ min($0, .now + .seconds(60)) }),
                timer.map({ deadline < $0 }) ?? true
            else { return nil }
            timer = deadline
            return deadline
        }
    }

    private let state = Locked(State())

    /// Adds a request, and waits until an import has answered it.
    ///
    /// - Parameters:
    ///   - request: The request. Its import takes place even if the caller stops waiting.
    ///   - time: The time after which, or until the cancellation of its task, the caller waits, or
    ///     `nil` if it waits in any case.
    ///   - schedule: A closure that schedules an import.
    /// - Throws: The error of the import, or `.timeout`.
    func answer(
        _ request: ImportRequest,
        within time: Duration?,
        _ schedule: () -> Void
    ) async throws(PostgresGraphError) -> ReplicationEngine.Import {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let deadline = time.map { ContinuousClock.now + $0 }
                let (isFirst, timer) = state.withLock { state in
                    state.new.append((number, request))
                    state.callers[number] = Caller(continuation: continuation, deadline: deadline)
                    defer { state.isImportScheduled = true }
                    return (!state.isImportScheduled, state.setTimer(deadline))
                }
                if isFirst { schedule() }
                if let timer { startTimer(timer) }
                // A task that was cancelled before has found no caller.
                if time != nil, Task.isCancelled { giveUp([number]) }
            }
        } onCancel: {
            if time != nil { giveUp([number]) }
        }
        return try answer.get()
    }

    /// `true` if no import has taken a request of a committed write.
    var containsWrite: Bool { state.withLock { $0.new.contains(where: \.request.notifies) } }

    /// Returns the requests that no import has taken, and their numbers.
    func take() -> (numbers: [Int], requests: [ImportRequest]) {
        state.withLock { state in
            defer { state.new = [] }
            state.isImportScheduled = false
            return (state.new.map(\.number), state.new.map(\.request))
        }
    }

    /// Answers the requests with some numbers, unless their callers have stopped waiting.
    func answer(_ numbers: some Sequence<Int>, with answer: Answer) {
        let callers = state.withLock { state in
            numbers.compactMap { state.callers.removeValue(forKey: $0) }
        }
        for caller in callers { caller.continuation.resume(returning: answer) }
    }

    private func giveUp(_ numbers: some Sequence<Int>) {
        let error = PostgresGraphError(.timeout, "The database doesn't answer in time.")
        answer(numbers, with: .failure(error))
    }

    private func startTimer(_ time: ContinuousClock.Instant) {
        Task { [weak self] in
            try? await Task.sleep(until: time)
            self?.endWaits(at: time)
        }
    }

    /// Ends the waits that have lasted too long, and sets the timer for the next deadline.
    private func endWaits(at time: ContinuousClock.Instant) {
        let (late, timer) = state.withLock { state in
            if state.timer == time { state.timer = nil }
            let late = state.callers.filter { $0.value.deadline.map { $0 <= time } ?? false }.keys
            let next = state.callers.values.compactMap(\.deadline).filter { $0 > time }.min()
            return (late, state.setTimer(next))
        }
        giveUp(late)
        if let timer { startTimer(timer) }
    }
}
#endif
