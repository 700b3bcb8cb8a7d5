/// A caller that waits for calls of a single flight.
///
/// The flight's lock guards all variables until the caller is resumed. Afterwards only the caller
/// reads them, apart from `hasLeft` and the continuation.
final class FlightWaiter<Key: Hashable & Sendable, Output: Sendable>: @unchecked Sendable {
    typealias Answer = SingleFlight<Key, Output>.Answer
    typealias Call = SingleFlightState<Key, Output>.Call
    typealias Continuation = UnsafeContinuation<Void, Never>

    /// The place from which the caller takes the answer of a key.
    struct Wait {
        let call: Call
        /// The position of the key among those of the call.
        let keyIndex: Int
        /// A Boolean value that indicates whether the operation belongs to the caller or its group,
        /// and begins after the caller has joined.
        let isOwn: Bool

        var answer: Answer { Answer(output: call.outputs[keyIndex], isOwn: isOwn) }
    }

    /// The continuation, until it's resumed.
    @exclusivity(unchecked) private(set) var continuation: Continuation?
    /// A Boolean value that indicates whether the task was cancelled.
    @exclusivity(unchecked) var hasLeft = false
    /// The number of keys that have no answer yet.
    @exclusivity(unchecked) private var openCount = 0
    /// The error that has ended the wait, until the caller throws it.
    @exclusivity(unchecked) private var error: (any Error)?
    // Most callers wait for a single key, and need no array.
    @exclusivity(unchecked) private var first: Wait?
    @exclusivity(unchecked) private var others: [Wait] = []

    var isOpen: Bool { continuation != nil }

    /// The place of each key, also of those whose calls have ended.
    var waits: [Wait] { (first.map { [$0] } ?? []) + others }

    func add(_ wait: Wait) {
        openCount += 1
        if first == nil { first = wait } else { others.append(wait) }
    }

    /// Begins the wait, or returns `false` if there is nothing to wait for.
    func begin(_ continuation: Continuation) -> Bool {
        if hasLeft { error = CancellationError() }
        if openCount == 0 { return false }
        self.continuation = continuation
        return true
    }

    /// Records the answer of a key; returns the continuation to resume if it was the last one.
    func recordAnswer() -> Continuation? {
        openCount -= 1
        return openCount == 0 ? continuation.take() : nil
    }

    /// Ends the wait with an error; returns the continuation to resume, and the ended waits.
    func end(throwing error: any Error) -> (continuation: Continuation, waits: [Wait])? {
        guard let continuation = continuation.take() else { return nil }
        self.error = error
        // The waits retain the calls, which retain their callers, so the waits are cleared.
        defer { (first, others) = (nil, []) }
        return (continuation, waits)
    }

    // MARK: Results

    /// Throws the error that has ended the wait, if there is one.
    ///
    /// Other calls may retain the waiter. So it doesn't retain the error, whose release may run any
    /// code.
    private func checkError() throws { if let error = error.take() { throw error } }

    /// Returns the answer of the only key.
    func answer() throws -> Answer {
        try checkError()
        return first?.answer ?? Answer(output: nil, isOwn: false)
    }

    /// Returns the answers of all keys.
    func answers() throws -> [Key: Answer] {
        try checkError()
        return Dictionary(
            uniqueKeysWithValues: waits.map { ($0.call.keys[$0.keyIndex], $0.answer) }
        )
    }
}
