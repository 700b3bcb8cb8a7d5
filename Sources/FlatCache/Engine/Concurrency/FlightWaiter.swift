/// A caller that waits for calls of a single flight.
///
/// The flight's lock guards all variables.
final class FlightWaiter<Key: Hashable & Sendable, Output: Sendable>: @unchecked Sendable {
    typealias Answers = [Key: SingleFlight<Key, Output>.Answer]
    typealias Continuation = UnsafeContinuation<Answers, any Error>

    /// The continuation, until it's resumed.
    var continuation: Continuation?
    /// The calls that haven't ended, and whether they began after the caller had joined.
    var openCalls: [UInt64: Bool] = [:]
    var answers: Answers = [:]
    /// A Boolean value that indicates whether the task was cancelled.
    var hasLeft = false
}

/// The effects of the end of a call or of a caller's wait, to be carried out under no lock.
struct FlightEnding<Key: Hashable & Sendable, Output: Sendable>: Sendable {
    typealias Waiter = FlightWaiter<Key, Output>

    private var resumptions: [(Waiter.Continuation, Result<Waiter.Answers, any Error>)] = []
    /// The tasks of calls that are no longer needed.
    var tasks: [Task<Void, Never>] = []
    var abandonments: [@Sendable () -> Void] = []

    mutating func resume(
        _ continuation: Waiter.Continuation,
        _ result: Result<Waiter.Answers, any Error>
    ) {
        resumptions.append((continuation, result))
    }

    func end() {
        for abandonment in abandonments { abandonment() }
        for task in tasks { task.cancel() }
        for (continuation, result) in resumptions { continuation.resume(with: result) }
    }
}
