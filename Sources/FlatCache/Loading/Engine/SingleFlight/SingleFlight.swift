/// An object that runs at most one call at a time for each key, and returns its output to all
/// callers.
///
/// The first caller of a key starts a call. Callers that arrive while it runs wait for its output
/// instead of starting another one. A call has one or more keys, and a caller can wait for several
/// calls. The call runs in a separate task, so that it belongs to no single caller: a caller's
/// cancellation ends only that caller's wait. The last caller to leave cancels the call, unless it
/// has keys in the background. A later caller then starts a new one, even if the cancelled
/// operation hasn't returned yet.
///
/// Before an operation publishes its outputs, it claims the call. If the call is no longer needed
/// by then, the claim fails, and the operation must publish nothing. After a claim, a caller that
/// leaves doesn't cancel the call.
///
/// Outputs aren't remembered. After the call has ended, with outputs or an error, the next caller
/// starts a new one. Callers that arrive after `separate(_:)` start a new one even before that.
@usableFromInline
package final class SingleFlight<Key: Hashable & Sendable, Output: Sendable>: Sendable {
    /// The output of a call for a key, as a caller receives it.
    package struct Answer: Sendable {
        /// The output, or `nil` if the operation returned none for the key.
        package let output: Output?
        /// `true` if the operation belongs to the caller or its group, and began after the caller
        /// had joined.
        package let isOwn: Bool
    }

    /// The operation of a call: it receives the call and returns the outputs of its keys.
    package typealias Operation = @Sendable (FlightCall<Key, Output>) async throws -> [Key: Output]

    private typealias State = SingleFlightState<Key, Output>

    private let state = Locked(State())

    @usableFromInline
    package init() {}

    /// Returns the output of the call that runs for a key, or starts a call.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - operation: The operation to start if none runs for the key. It inherits the priority
    ///     and the task-local values of the caller that starts it. An operation that waits for its
    ///     own key never ends.
    /// - Returns: The output that all callers share.
    /// - Throws: The error of the operation, shared by all callers, even if it is a
    ///   `CancellationError`; or `CancellationError` if the calling task is cancelled.
    @usableFromInline
    package func output(
        for key: Key,
        of operation: @escaping @Sendable (FlightCall<Key, Output>) async throws -> Output
    ) async throws -> Output {
        let answer = try await answer(for: key) { { [key: try await operation($0)] } }
        guard let output = answer.output else { throw CancellationError() }
        return output
    }

    /// Returns the answer of the call that runs for a key, or starts a call.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - version: The version as of which no stored value answers the caller, or `nil` if the
    ///     operation may judge for all callers whether one does.
    ///   - gathering: The rule by which several callers' keys are gathered into one call.
    ///   - makeOperation: A closure that returns the operation of the call to start.
    /// - Throws: The error of the call, or `CancellationError` if the calling task is cancelled.
    package func answer(
        for key: Key,
        knowing version: UInt64? = nil,
        gathering: FlightGathering? = nil,
        _ makeOperation: () -> Operation
    ) async throws -> Answer {
        let waiter = FlightWaiter<Key, Output>()
        await wait(waiter, gathering, makeOperation) {
            $0.join(waiter, $1, key, knowing: version, gathering)
        }
        return try waiter.answer()
    }

    /// Returns the answers of the calls that run for some keys, and starts calls for the others.
    ///
    /// - Parameters:
    ///   - keys: The keys to wait for, without repetitions.
    ///   - backgroundKeys: Further keys, whose answers the caller doesn't wait for. Their calls go
    ///     on even if all callers leave.
    ///   - version: The version as of which no stored value answers the caller, or `nil` if the
    ///     operation may judge for all callers whether one does.
    ///   - gathering: The rule by which several callers' keys are gathered into one call.
    ///   - operation: The operation of the calls to start.
    /// - Returns: The answers by their keys.
    /// - Throws: The first error of the calls, or `CancellationError` if the calling task is
    ///   cancelled.
    package func answers(
        for keys: [Key],
        inBackground backgroundKeys: [Key] = [],
        knowing version: UInt64? = nil,
        gathering: FlightGathering? = nil,
        _ operation: @escaping Operation
    ) async throws -> [Key: Answer] {
        let waiter = FlightWaiter<Key, Output>()
        await wait(waiter, gathering, { operation }) {
            $0.join(
                waiter,
                $1,
                keys,
                inBackground: backgroundKeys,
                knowing: version,
                gathering
            )
        }
        return try waiter.answers()
    }

    /// Waits until a caller has all answers, or an error.
    @inline(__always)
    private func wait(
        _ waiter: FlightWaiter<Key, Output>,
        _ gathering: FlightGathering?,
        _ makeOperation: () -> Operation,
        joining join: (inout State, FlightWaiter<Key, Output>.Continuation) -> State.Joining
    ) async {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let joined = state.withLock { join(&$0, continuation) }
                if !joined.calls.isEmpty { start(joined.calls, gathering, makeOperation()) }
                joined.ending.end()
            }
        } onCancel: {
            let ending = state.withLock { $0.leave(waiter) }
            ending.end()
        }
        // If a call ends before its caller waits, the runtime doesn't suspend the caller, and
        // ThreadSanitizer doesn't see their order. It sees the order of the lock's holders.
        state.withLock { _ in }
    }

    /// Starts calls for the keys that have none, and waits for no answer.
    package func start(
        _ keys: [Key],
        gathering: FlightGathering? = nil,
        _ operation: @escaping Operation
    ) {
        let joined = state.withLock { $0.join(inBackground: keys, gathering) }
        start(joined.calls, gathering, operation)
        joined.ending.end()
    }

    /// Makes later callers of some keys start new calls, although the present calls continue.
    ///
    /// - Parameters:
    ///   - includingWaiting: Whether the calls that haven't begun, because they gather keys, are
    ///     affected too.
    ///   - isSeparated: A closure that selects the keys, called under the lock of the flight.
    package func separate(
        includingWaiting: Bool = false,
        where isSeparated: (Key) -> Bool
    ) {
        state.withLock { $0.separate(includingWaiting: includingWaiting, where: isSeparated) }
    }

    /// Makes later callers of a key start a new call, although the present call continues.
    ///
    /// A call that still gathers keys isn't affected, since its operation hasn't begun.
    package func separate(_ key: Key) { state.withLock { $0.separate(key) } }

    /// The keys whose next callers join a call.
    package var keys: [Key] { state.withLock { $0.keys } }

    /// The keys of all calls that are needed, whether or not their next callers join them.
    var allKeys: Set<Key> { state.withLock { $0.allKeys } }

    /// The number of calls that are needed and haven't ended; for tests.
    package var callCount: Int { state.withLock(\.callCount) }

    /// `true` if all calls have ended or are no longer needed.
    package var isIdle: Bool { callCount == 0 }

    /// Returns the number of callers that wait for a key.
    package func waiterCount(for key: Key) -> Int { state.withLock { $0.waiterCount(for: key) } }

    /// Traps unless the state is valid; for tests.
    package func checkInvariants() { state.withLock { $0.checkInvariants() } }

    // MARK: Calls

    private func start(
        _ calls: [SingleFlightState<Key, Output>.Start],
        _ gathering: FlightGathering?,
        _ operation: @escaping Operation
    ) {
        for call in calls {
            // If the clock fails, the pause ends.
            var pause: Task<Void, Never>?
            if call.isGathering, let gathering {
                pause = Task { do { try await gathering.pause() } catch {} }
            }
            let task = Task { [pause] in
                await pause?.value
                await run(call.number, operation)
            }
            for ended in state.withLock({ $0.setTask(task, after: pause, of: call.number) }) {
                ended.cancel()
            }
        }
    }

    /// Runs the operation of a call, unless the call is no longer needed.
    private func run(_ number: UInt64, _ operation: Operation) async {
        guard let keys = state.withLock({ $0.begin(number) }) else { return }
        let result: Result<[Key: Output], any Error>
        do {
            let call = FlightCall(keys: keys, number: number, flight: self)
            result = .success(try await operation(call))
        } catch {
            result = .failure(error)
        }
        let ending = state.withLock { $0.end(number, result) }
        ending.end()
    }

    func joinableKeys(of number: UInt64) -> [Key] {
        state.withLock { $0.joinableKeys(of: number) }
    }

    func joinableKey(of number: UInt64, among keys: [Key]) -> Key? {
        state.withLock { $0.joinableKey(of: number, among: keys) }
    }

    func knownVersion(of key: Key, in number: UInt64) -> UInt64? {
        state.withLock { $0.knownVersion(of: key, in: number) }
    }

    func hasEnded(_ number: UInt64) -> Bool { state.withLock { $0.hasEnded(number) } }

    func claim(_ number: UInt64) -> Bool { state.withLock { $0.claim(number) } }

    func onAbandonment(of number: UInt64, _ body: @escaping @Sendable () -> Void) {
        let isNeeded = state.withLock { $0.setAbandonment(body, of: number) }
        if !isNeeded { body() }
    }
}

/// The rule by which several callers' keys are gathered into one call.
@usableFromInline
package struct FlightGathering: Sendable {
    /// The identity of the callers whose keys are gathered.
    let group: UInt64
    /// The maximum number of keys of a call.
    let maximum: Int
    /// `true` if a call waits for further callers' keys.
    let waitsForOthers: Bool
    /// Waits as long as a call gathers keys.
    let pause: @Sendable () async throws -> Void
}
