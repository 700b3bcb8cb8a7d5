/// A caller that waits for calls of a single flight.
///
/// The flight's lock guards all variables.
final class FlightWaiter<Key: Hashable & Sendable, Output: Sendable>: @unchecked Sendable {
    typealias Answers = [Key: SingleFlight<Key, Output>.Answer]
    typealias Continuation = UnsafeContinuation<Answers, any Error>

    /// The continuation, until it's resumed.
    var continuation: Continuation?
    /// The calls that haven't ended, and whether they began after the caller had joined.
    ///
    /// An array, since most callers wait for a single call.
    var openCalls: [(number: UInt64, isOwn: Bool)] = []
    var answers: Answers = [:]
    /// A Boolean value that indicates whether the task was cancelled.
    var hasLeft = false

    /// A Boolean value that indicates whether no call has answered, and none is open.
    var isWaitingForNothingElse: Bool { openCalls.isEmpty && answers.isEmpty }

    /// Removes a call that has ended; returns whether it began after the caller had joined.
    func close(_ number: UInt64) -> Bool {
        guard let index = openCalls.firstIndex(where: { $0.number == number }) else { return false }
        return openCalls.remove(at: index).isOwn
    }
}
