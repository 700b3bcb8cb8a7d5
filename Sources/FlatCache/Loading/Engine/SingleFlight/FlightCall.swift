/// The interface of a call for its operation.
@usableFromInline
package struct FlightCall<Key: Hashable & Sendable, Output: Sendable>: Sendable {
    /// The keys that the call has to answer.
    package let keys: [Key]
    let number: UInt64
    let flight: SingleFlight<Key, Output>

    /// Claims the call before its outputs are published.
    ///
    /// - Returns: `false` if the call is no longer needed, so that nothing must be published.
    @usableFromInline
    package func claim() -> Bool { flight.claim(number) }

    /// The keys whose next callers join the call.
    ///
    /// There are none if the call is no longer needed.
    package var joinableKeys: [Key] { flight.joinableKeys(of: number) }

    /// Returns the version that the stored value of a key must exceed to answer all callers.
    func knownVersion(of key: Key) -> UInt64? { flight.knownVersion(of: key, in: number) }

    /// Returns the first of some keys whose next callers join the call.
    func joinableKey(among keys: [Key]) -> Key? { flight.joinableKey(of: number, among: keys) }

    /// `true` if the call has ended or is no longer needed.
    var hasEnded: Bool { flight.hasEnded(number) }

    /// Sets the closure to call once when the call is no longer needed before it's claimed.
    ///
    /// The thread that leaves last calls it, under no lock. If the call isn't needed already, this
    /// method calls it.
    package func onAbandonment(_ body: @escaping @Sendable () -> Void) {
        flight.onAbandonment(of: number, body)
    }
}

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
        let keyIndex: Int
        /// `true` if the operation belongs to the caller or its group, and begins after the caller
        /// has joined.
        let isOwn: Bool

        var answer: Answer { Answer(output: call.outputs[keyIndex], isOwn: isOwn) }
    }

    /// The continuation, until it's resumed.
    @exclusivity(unchecked) private(set) var continuation: Continuation?
    /// `true` if the task was cancelled.
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
        // The waits retain the calls, and the calls retain their callers, so the waits are cleared.
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

    func answers() throws -> [Key: Answer] {
        try checkError()
        return Dictionary(
            uniqueKeysWithValues: waits.map { ($0.call.keys[$0.keyIndex], $0.answer) }
        )
    }
}

/// The effects of the end of a call or of a caller's wait, to be carried out under no lock.
struct FlightEnding: Sendable {
    /// The callers to resume, whose results are set.
    var continuations: [UnsafeContinuation<Void, Never>] = []
    /// The tasks of calls that are no longer needed.
    var tasks: [Task<Void, Never>] = []
    var abandonments: [@Sendable () -> Void] = []
    /// The calls that a caller no longer waits for.
    ///
    /// The release of their outputs may run any code.
    var calls: [any AnyObject & Sendable] = []

    func end() {
        for abandonment in abandonments { abandonment() }
        for task in tasks { task.cancel() }
        for continuation in continuations { continuation.resume() }
    }
}

extension SingleFlightState {
    enum Phase { case waiting, running, claimed }

    /// A call with its callers.
    ///
    /// The flight's lock guards all variables. After the call has ended, the keys and the outputs
    /// no longer change, and its callers read them.
    final class Call: @unchecked Sendable {
        let number: UInt64
        /// The group of the caller that has started the call.
        let group: UInt64?
        /// The keys in the order in which callers have asked for them.
        private(set) var keys: [Key] = []
        /// The number of waits for each key that haven't ended.
        @exclusivity(unchecked) private var openCounts: [Int] = []
        /// The number of keys that callers wait for, or that are needed in the background.
        private(set) var neededKeyCount = 0
        /// The positions of the keys that are needed although no caller waits for them.
        private var backgroundKeys: Set<Int> = []
        /// The versions that stored values must exceed to answer all callers of a key.
        ///
        /// For example, a caller that joins at version 7 and rejects the value stored by then waits
        /// for a value of version 8 or later.
        private(set) var knownVersions: [Key: UInt64] = [:]
        var phase = Phase.waiting
        var task: Task<Void, Never>?
        /// The pause during which the call gathers keys.
        var pause: Task<Void, Never>?
        var isFull = false
        var abandonment: (@Sendable () -> Void)?
        /// The callers with the positions of their keys, in the order in which they have joined.
        ///
        /// Some of the waits have ended.
        @exclusivity(unchecked) private(set) var waits: [(waiter: Waiter, keyIndex: Int)] = []
        /// The number of waits that haven't ended.
        @exclusivity(unchecked) private(set) var openWaitCount = 0
        /// The outputs of the keys, once the call has ended without an error.
        private(set) var outputs: [Output?] = []

        init(_ number: UInt64, group: UInt64?) {
            self.number = number
            self.group = group
        }

        var isNeeded: Bool {
            phase == .claimed || openWaitCount > 0 || !backgroundKeys.isEmpty
        }

        func isNeeded(_ keyIndex: Int) -> Bool {
            openCounts[keyIndex] > 0 || backgroundKeys.contains(keyIndex)
        }

        /// Adds a key; returns its position.
        func add(_ key: Key) -> Int {
            keys.append(key)
            openCounts.append(0)
            return keys.count - 1
        }

        func add(_ waiter: Waiter, keyIndex: Int, isOwn: Bool) {
            if !isNeeded(keyIndex) { neededKeyCount += 1 }
            waits.append((waiter, keyIndex))
            openCounts[keyIndex] += 1
            openWaitCount += 1
            waiter.add(FlightWaiter.Wait(call: self, keyIndex: keyIndex, isOwn: isOwn))
        }

        func needInBackground(_ keyIndex: Int) {
            if !isNeeded(keyIndex) { neededKeyCount += 1 }
            backgroundKeys.insert(keyIndex)
        }

        /// Records a version as of which no stored value answers a caller of a key.
        func record(_ version: UInt64, of keyIndex: Int) {
            let known = knownVersions[keys[keyIndex]] ?? 0
            knownVersions[keys[keyIndex]] = max(known, version)
        }

        func endWait(for keyIndex: Int) {
            openWaitCount -= 1
            openCounts[keyIndex] -= 1
            if !isNeeded(keyIndex) { neededKeyCount -= 1 }
            // Callers can come and go for as long as the call runs.
            if waits.count > 2 * openWaitCount + 16 { waits.removeAll { !$0.waiter.isOpen } }
        }

        /// Sets the outputs; returns the callers.
        ///
        /// They retain the call from now on.
        func end(_ outputs: [Key: Output]) -> [(waiter: Waiter, keyIndex: Int)] {
            defer { waits = [] }
            self.outputs = keys.map { outputs[$0] }
            return waits
        }
    }
}
