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
