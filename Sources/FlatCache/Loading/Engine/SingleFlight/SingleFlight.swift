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

    @usableFromInline
    package typealias Call = FlightCall<Key, Output>
    /// The operation of a call: it receives the call and returns the outputs of its keys.
    package typealias Operation = @Sendable (Call) async throws -> [Key: Output]

    struct State {
        /// The calls that are needed and haven't ended.
        var calls: [UInt64: Call] = [:]
        /// The calls that the next callers of the keys join.
        var places: [Key: Call] = [:]
        /// The calls that gather keys, by group.
        var gathering: [UInt64: Call] = [:]
        var lastNumber: UInt64 = 0
    }

    /// Guards the calls and the waits, too.
    let state = Locked(State())

    @usableFromInline
    package init() {}

    // MARK: Callers

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
        of operation: @escaping @Sendable (Call) async throws -> Output
    ) async throws -> Output {
        let answers = try await answers(for: [key]) { [key: try await operation($0)] }
        guard let output = answers[key]?.output else { throw CancellationError() }
        return output
    }

    /// Returns the output of the call that the next callers of a key join, as one of its callers,
    /// or `nil` if there's no call.
    ///
    /// - Throws: The error of the call, or `CancellationError` if the calling task is cancelled.
    package func outputOfPresentCall(for key: Key) async throws -> Output? {
        let wait = state.withLock { state in
            state.places[key].map { call in
                call.needs[key, default: 0] += 1
                let wait = FlightWait(call, key, isOwn: false)
                call.waits[ObjectIdentifier(wait)] = wait
                return wait
            }
        }
        guard let wait else { return nil }
        return try await answers(of: wait)[key]?.output
    }

    /// Returns the answers of the calls that run for some keys, and starts calls for the others.
    ///
    /// - Parameters:
    ///   - keys: The keys to wait for, without repetitions.
    ///   - backgroundKeys: Further keys, whose answers the caller doesn't wait for. Their calls go
    ///     on even if all callers leave.
    ///   - version: The version as of which no stored value answers the caller, or `nil` if the
    ///     operation may judge for all callers whether one does.
    ///   - rule: The rule by which several callers' keys are gathered into one call.
    ///   - operation: The operation of the calls to start.
    /// - Returns: The answers by their keys.
    /// - Throws: The first error of the calls, or `CancellationError` if the calling task is
    ///   cancelled.
    package func answers(
        for keys: [Key],
        inBackground backgroundKeys: [Key] = [],
        knowing version: UInt64? = nil,
        gathering rule: FlightGathering? = nil,
        _ operation: @escaping Operation
    ) async throws -> [Key: Answer] {
        try Task.checkCancellation()
        let waits = join(keys, inBackground: backgroundKeys, knowing: version, rule, operation)
        if waits.count == 1 { return try await answers(of: waits[0]) }
        return try await withThrowingTaskGroup(of: [Key: Answer].self) { group in
            for wait in waits { group.addTask { [self] in try await answers(of: wait) } }
            return try await group.reduce(into: [:]) { $0.merge($1) { $1 } }
        }
    }

    /// Starts calls for the keys that have none, and waits for no answer.
    package func start(
        _ keys: [Key],
        gathering rule: FlightGathering? = nil,
        _ operation: @escaping Operation
    ) {
        _ = join([], inBackground: keys, knowing: nil, rule, operation)
    }

    /// Adds a caller to the calls of its keys; returns its wait for each of the calls.
    private func join(
        _ keys: [Key],
        inBackground backgroundKeys: [Key],
        knowing version: UInt64?,
        _ rule: FlightGathering?,
        _ operation: @escaping Operation
    ) -> [FlightWait<Key, Output>] {
        var waits: [FlightWait<Key, Output>] = []
        // Cancelling a task runs any code, so it happens after the lock.
        var endedPauses: [Task<Void, Never>] = []
        state.withLock { state in
            let lastNumber = state.lastNumber
            var latest: Call?
            for key in keys {
                let call = call(for: key, rule, &latest, &endedPauses, in: &state, operation)
                if let version {
                    call.knownVersions[key] = max(call.knownVersions[key] ?? 0, version)
                }
                if let wait = waits.last(where: { $0.call === call }) {
                    wait.keys.append(key)
                    continue
                }
                // A call that hasn't begun has the operation of its group.
                let isGathered = call.phase == .waiting && rule != nil && rule?.group == call.group
                let wait = FlightWait(call, key, isOwn: call.number > lastNumber || isGathered)
                call.waits[ObjectIdentifier(wait)] = wait
                waits.append(wait)
            }
            latest = nil
            for key in backgroundKeys {
                _ = call(for: key, rule, &latest, &endedPauses, in: &state, operation)
            }
        }
        for pause in endedPauses { pause.cancel() }
        return waits
    }

    /// Returns the call of a key, which then needs the key once more; if there's no call, adds the
    /// key to one.
    ///
    /// The call is the one that gathers keys for the rule, or `latest`, or a new one.
    ///
    /// - Parameters:
    ///   - latest: The call to which the same caller has added its previous key, or `nil` if there
    ///     is none or it's full.
    ///   - endedPauses: The pauses of calls that are full now.
    private func call(
        for key: Key,
        _ rule: FlightGathering?,
        _ latest: inout Call?,
        _ endedPauses: inout [Task<Void, Never>],
        in state: inout State,
        _ operation: @escaping Operation
    ) -> Call {
        if let call = state.places[key] {
            call.needs[key, default: 0] += 1
            return call
        }
        let waitsForOthers = rule?.waitsForOthers ?? false
        let open = waitsForOthers ? rule.flatMap { state.gathering[$0.group] } : latest
        let call = open ?? start(rule, in: &state, operation)
        latest = call
        call.keys.append(key)
        call.needs[key] = 1
        state.places[key] = call
        if let rule, call.needs.count >= rule.maximum {
            latest = nil
            if waitsForOthers { state.gathering[rule.group] = nil }
            if let pause = call.pause { endedPauses.append(pause) }
        }
        return call
    }

    /// Starts a call, which gathers keys before its operation begins if the rule demands it.
    private func start(
        _ rule: FlightGathering?,
        in state: inout State,
        _ operation: @escaping Operation
    ) -> Call {
        state.lastNumber += 1
        let call = Call(state.lastNumber, of: self, group: rule?.group)
        state.calls[call.number] = call
        if let rule, rule.waitsForOthers {
            state.gathering[rule.group] = call
            // If the clock fails, the pause ends.
            call.pause = Task { try? await rule.pause() }
        }
        call.task = Task { [pause = call.pause] in
            await pause?.value
            await run(call, operation)
        }
        return call
    }

    /// Waits until a call ends or the calling task is cancelled.
    private func answers(of wait: FlightWait<Key, Output>) async throws -> [Key: Answer] {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let hasEnded = state.withLock { _ in
                    if wait.result == nil { wait.continuation = continuation }
                    return wait.result != nil
                }
                if hasEnded { continuation.resume() }
            }
        } onCancel: {
            leave(wait)
        }
        let (result, keys) = state.withLock { _ in (wait.result, wait.keys) }
        guard let outputs = try result?.get() else { throw CancellationError() }
        return Dictionary(
            uniqueKeysWithValues: keys.map { ($0, Answer(output: outputs[$0], isOwn: wait.isOwn)) }
        )
    }

    /// Ends the wait of a caller whose task is cancelled, and the call if it's no longer needed.
    private func leave(_ wait: FlightWait<Key, Output>) {
        let call = wait.call
        let (isEnded, isAbandoned) = state.withLock { state in
            if wait.result != nil { return (false, false) }
            wait.result = .failure(CancellationError())
            call.waits[ObjectIdentifier(wait)] = nil
            for key in wait.keys {
                let count = call.needs[key, default: 1] - 1
                call.needs[key] = count == 0 ? nil : count
            }
            if call.phase == .waiting {
                // A later caller of the key adds it again, if the call isn't full by then.
                for key in wait.keys where call.needs[key] == nil && state.places[key] === call {
                    state.places[key] = nil
                }
                call.keys.removeAll { call.needs[$0] == nil }
            }
            let isAbandoned = call.phase != .claimed && call.needs.isEmpty
            if isAbandoned { Self.forget(call, in: &state) }
            return (true, isAbandoned)
        }
        // The variables of a call that isn't needed, and of an ended wait, no longer change.
        if isAbandoned {
            call.abandonment?()
            call.task?.cancel()
            call.pause?.cancel()
        }
        if isEnded { wait.continuation?.resume() }
    }

    // MARK: Calls

    /// Runs the operation of a call, unless the call is no longer needed.
    private func run(_ call: Call, _ operation: Operation) async {
        let isNeeded = state.withLock { state in
            guard call.phase == .waiting else { return false }
            call.phase = .running
            Self.stopGathering(call, in: &state)
            return true
        }
        if !isNeeded { return }
        let result: Result<[Key: Output], any Error>
        do {
            result = .success(try await operation(call))
        } catch {
            result = .failure(error)
        }
        let waits = state.withLock { state in
            if call.phase == .ended { return [] as [FlightWait<Key, Output>] }
            Self.forget(call, in: &state)
            // The waits retain the call.
            defer { call.waits = [:] }
            for wait in call.waits.values { wait.result = result }
            return Array(call.waits.values)
        }
        for wait in waits { wait.continuation?.resume() }
    }

    private static func forget(_ call: Call, in state: inout State) {
        call.phase = .ended
        state.calls[call.number] = nil
        for key in call.keys where state.places[key] === call { state.places[key] = nil }
        stopGathering(call, in: &state)
    }

    private static func stopGathering(_ call: Call, in state: inout State) {
        if let group = call.group, state.gathering[group] === call { state.gathering[group] = nil }
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
        state.withLock { state in
            for (key, call) in state.places where isSeparated(key) {
                Self.separate(key, from: call, includingWaiting: includingWaiting, in: &state)
            }
        }
    }

    /// Makes later callers of a key start a new call, although the present call continues.
    ///
    /// A call that still gathers keys isn't affected, since its operation hasn't begun.
    package func separate(_ key: Key) {
        state.withLock { state in
            guard let call = state.places[key] else { return }
            Self.separate(key, from: call, includingWaiting: false, in: &state)
        }
    }

    private static func separate(
        _ key: Key,
        from call: Call,
        includingWaiting: Bool,
        in state: inout State
    ) {
        guard includingWaiting || call.phase != .waiting else { return }
        state.places[key] = nil
        // Otherwise the call could gather the key again.
        stopGathering(call, in: &state)
    }

    /// Returns whether the next callers of a key join a call.
    func hasCall(for key: Key) -> Bool { state.withLock { $0.places[key] != nil } }

    /// The keys whose next callers join a call.
    package var keys: [Key] { state.withLock { Array($0.places.keys) } }

    /// The keys of all calls that are needed, whether or not their next callers join them.
    var allKeys: Set<Key> { state.withLock { Set($0.calls.values.flatMap(\.keys)) } }

    /// The number of calls that are needed and haven't ended; for tests.
    package var callCount: Int { state.withLock(\.calls.count) }

    /// `true` if all calls have ended or are no longer needed.
    package var isIdle: Bool { callCount == 0 }

    /// Returns whether the next caller of a key joins a call.
    func isRunning(_ key: Key) -> Bool { state.withLock { $0.places[key] != nil } }

    /// Returns the number of callers that wait for a key.
    package func waiterCount(for key: Key) -> Int {
        state.withLock { $0.places[key]?.waits.values.count { $0.keys.contains(key) } ?? 0 }
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
