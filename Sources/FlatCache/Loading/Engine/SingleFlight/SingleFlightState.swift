/// The calls of a single flight with the callers that wait for them.
///
/// A plain value that calls nothing. The flight's lock guards it, with its waiters.
struct SingleFlightState<Key: Hashable & Sendable, Output: Sendable> {
    typealias Waiter = FlightWaiter<Key, Output>
    typealias Answer = SingleFlight<Key, Output>.Answer

    /// The effects of a caller's joining, to be carried out under no lock.
    struct Joining {
        var calls: [Start] = []
        var ending = FlightEnding()
    }

    /// A call that the caller of `join` starts.
    struct Start {
        let number: UInt64
        /// `true` if the call waits for further keys first.
        let isGathering: Bool
    }

    /// The call that the next callers of a key join, and the position of the key in the call.
    struct Place {
        let call: Call
        let keyIndex: Int
    }

    private(set) var calls: [UInt64: Call] = [:]
    private(set) var places: [Key: Place] = [:]
    /// The calls that gather keys, by group.
    private(set) var gathering: [UInt64: Call] = [:]
    private var lastNumber: UInt64 = 0

    var keys: [Key] { Array(places.keys) }

    var allKeys: Set<Key> { Set(calls.values.flatMap(\.keys)) }

    var callCount: Int { calls.count }

    /// Returns the keys of a call whose next callers still join this call.
    ///
    /// After an invalidation, for example, the next callers of a key start a new call.
    func joinableKeys(of number: UInt64) -> [Key] {
        guard let call = calls[number] else { return [] }
        return call.keys.indices.filter { isPlace($0, in: call) }.map { call.keys[$0] }
    }

    /// Returns the first of some keys whose next callers would join a call.
    func joinableKey(of number: UInt64, among keys: [Key]) -> Key? {
        guard let call = calls[number] else { return nil }
        return keys.first { places[$0]?.call === call }
    }

    func hasEnded(_ number: UInt64) -> Bool { calls[number] == nil }

    /// Returns the version that the stored value of a key must exceed to answer all callers.
    func knownVersion(of key: Key, in number: UInt64) -> UInt64? {
        calls[number]?.knownVersions[key]
    }

    /// Returns whether the next callers of a key join the call at this position of the key.
    private func isPlace(_ keyIndex: Int, in call: Call) -> Bool {
        guard let place = places[call.keys[keyIndex]] else { return false }
        return place.call === call && place.keyIndex == keyIndex
    }

    func waiterCount(for key: Key) -> Int {
        guard let place = places[key] else { return 0 }
        return place.call.waits.count {
            $0.waiter.isOpen && $0.keyIndex == place.keyIndex
        }
    }

    // MARK: Callers

    mutating func join(
        _ waiter: Waiter,
        _ continuation: Waiter.Continuation,
        _ key: Key,
        knowing version: UInt64?,
        _ rule: FlightGathering?
    ) -> Joining {
        var joining = Joining()
        var latest: Call?
        let number = lastNumber
        if !waiter.hasLeft {
            let place = place(of: key, rule, &latest, &joining)
            add(waiter, to: place, knowing: version, after: number, rule)
        }
        begin(waiter, continuation, &joining)
        return joining
    }

    mutating func join(
        _ waiter: Waiter,
        _ continuation: Waiter.Continuation,
        _ keys: [Key],
        inBackground backgroundKeys: [Key],
        knowing version: UInt64?,
        _ rule: FlightGathering?
    ) -> Joining {
        var joining = Joining()
        var latest: Call?
        let number = lastNumber
        if !waiter.hasLeft {
            for key in keys {
                let place = place(of: key, rule, &latest, &joining)
                add(waiter, to: place, knowing: version, after: number, rule)
            }
            joinInBackground(backgroundKeys, rule, &joining)
        }
        begin(waiter, continuation, &joining)
        return joining
    }

    /// Begins the wait of a caller, or ends it at once.
    private func begin(
        _ waiter: Waiter,
        _ continuation: Waiter.Continuation,
        _ joining: inout Joining
    ) {
        if waiter.begin(continuation) { return }
        joining.ending.continuations.append(continuation)
    }

    /// Adds a caller to the call of a key.
    ///
    /// - Parameters:
    ///   - version: The version as of which no stored value answers the caller.
    ///   - number: The number of the latest call before the caller's own ones.
    private func add(
        _ waiter: Waiter,
        to place: Place,
        knowing version: UInt64?,
        after number: UInt64,
        _ rule: FlightGathering?
    ) {
        let isOwn = place.call.number > number || isGathering(place.call, rule)
        place.call.add(waiter, keyIndex: place.keyIndex, isOwn: isOwn)
        if let version { place.call.record(version, of: place.keyIndex) }
    }

    /// Returns whether a call that hasn't begun has the operation of a rule.
    private func isGathering(_ call: Call, _ rule: FlightGathering?) -> Bool {
        guard let rule else { return false }
        return call.phase == .waiting && call.group == rule.group
    }

    /// Adds keys to load in the background, whose answers no caller waits for.
    mutating func join(inBackground keys: [Key], _ rule: FlightGathering?) -> Joining {
        var joining = Joining()
        joinInBackground(keys, rule, &joining)
        return joining
    }

    private mutating func joinInBackground(
        _ keys: [Key],
        _ rule: FlightGathering?,
        _ joining: inout Joining
    ) {
        var latest: Call?
        for key in keys {
            let place = place(of: key, rule, &latest, &joining)
            place.call.needInBackground(place.keyIndex)
        }
    }

    /// Removes a caller whose task was cancelled.
    mutating func leave(_ waiter: Waiter) -> FlightEnding {
        var ending = FlightEnding()
        waiter.hasLeft = true
        leave(waiter, throwing: CancellationError(), &ending)
        return ending
    }

    private mutating func leave(
        _ waiter: Waiter,
        throwing error: any Error,
        _ ending: inout FlightEnding
    ) {
        guard let (continuation, waits) = waiter.end(throwing: error) else { return }
        ending.continuations.append(continuation)
        for wait in waits {
            let call = wait.call
            ending.calls.append(call)
            call.endWait(for: wait.keyIndex)
            // A later caller of the key adds it again, if the call isn't full by then.
            if call.phase == .waiting, !call.isNeeded(wait.keyIndex),
                isPlace(wait.keyIndex, in: call)
            {
                places[call.keys[wait.keyIndex]] = nil
            }
            if call.isNeeded || calls[call.number] == nil { continue }
            forget(call)
            ending.tasks += [call.task, call.pause].compactMap { $0 }
            if let abandonment = call.abandonment { ending.abandonments.append(abandonment) }
        }
    }

    /// Returns the place of a key; if it has none, adds the key to a call.
    ///
    /// The call is the one that gathers keys for the rule, or `latest`, or a new one.
    ///
    /// - Parameter latest: The call to which the same caller has added its previous key, or `nil`
    ///   if there is none or it's full.
    private mutating func place(
        of key: Key,
        _ rule: FlightGathering?,
        _ latest: inout Call?,
        _ joining: inout Joining
    ) -> Place {
        if let place = places[key] { return place }
        let open = rule.map { $0.waitsForOthers ? gathering[$0.group] : latest } ?? latest
        let call = open ?? create(rule, &joining)
        latest = call
        let place = Place(call: call, keyIndex: call.add(key))
        places[key] = place
        if let rule, call.neededKeyCount + 1 >= rule.maximum {
            latest = nil
            if rule.waitsForOthers {
                gathering[rule.group] = nil
                call.isFull = true
                if let pause = call.pause { joining.ending.tasks.append(pause) }
            }
        }
        return place
    }

    private mutating func create(_ rule: FlightGathering?, _ joining: inout Joining) -> Call {
        lastNumber += 1
        let isGathering = rule?.waitsForOthers ?? false
        let call = Call(lastNumber, group: rule?.group)
        calls[lastNumber] = call
        if isGathering, let rule { gathering[rule.group] = call }
        joining.calls.append(Start(number: lastNumber, isGathering: isGathering))
        return call
    }

    // MARK: Calls

    /// Sets the task of a call, and the pause that precedes its operation.
    ///
    /// - Returns: The tasks to cancel.
    mutating func setTask(
        _ task: Task<Void, Never>,
        after pause: Task<Void, Never>?,
        of number: UInt64
    ) -> [Task<Void, Never>] {
        guard let call = calls[number] else { return [task, pause].compactMap { $0 } }
        call.task = task
        call.pause = pause
        return call.isFull ? [pause].compactMap { $0 } : []
    }

    /// Begins the operation of a call; returns its keys, or `nil` if it mustn't begin.
    mutating func begin(_ number: UInt64) -> [Key]? {
        guard let call = calls[number], call.phase == .waiting else { return nil }
        stopGathering(call)
        call.phase = .running
        return call.keys.indices.filter(call.isNeeded).map { call.keys[$0] }
    }

    mutating func setAbandonment(_ body: @escaping @Sendable () -> Void, of number: UInt64) -> Bool
    {
        guard let call = calls[number] else { return false }
        call.abandonment = body
        return true
    }

    mutating func claim(_ number: UInt64) -> Bool {
        guard let call = calls[number] else { return false }
        call.phase = .claimed
        return true
    }

    /// Ends a call, whose callers receive its result.
    mutating func end(
        _ number: UInt64,
        _ result: Result<[Key: Output], any Error>
    ) -> FlightEnding {
        var ending = FlightEnding()
        guard let call = calls[number] else { return ending }
        forget(call)
        switch result {
        case .failure(let error):
            for (waiter, _) in call.waits { leave(waiter, throwing: error, &ending) }
        case .success(let outputs):
            for (waiter, _) in call.end(outputs) {
                if waiter.isOpen, let continuation = waiter.recordAnswer() {
                    ending.continuations.append(continuation)
                }
            }
        }
        return ending
    }

    private mutating func forget(_ call: Call) {
        calls[call.number] = nil
        for key in call.keys where places[key]?.call === call { places[key] = nil }
        stopGathering(call)
    }

    private mutating func stopGathering(_ call: Call) {
        if let group = call.group, gathering[group] === call { gathering[group] = nil }
    }

    mutating func separate(_ key: Key, includingWaiting: Bool = false) {
        guard let call = places[key]?.call, includingWaiting || call.phase != .waiting else {
            return
        }
        places[key] = nil
        // Otherwise the call could gather the key again.
        stopGathering(call)
    }

    mutating func separate(includingWaiting: Bool, where isSeparated: (Key) -> Bool) {
        for key in places.keys where isSeparated(key) {
            separate(key, includingWaiting: includingWaiting)
        }
    }
}

extension SingleFlightState {
    /// Traps unless the calls, the places of keys and the waits agree; for tests.
    func checkInvariants() {
        for (key, place) in places {
            precondition(
                calls[place.call.number] === place.call && place.call.keys[place.keyIndex] == key,
                "A key's call must have it."
            )
        }
        for (group, call) in gathering {
            precondition(
                call.group == group && call.phase == .waiting && calls[call.number] === call,
                "Only a call that hasn't begun gathers keys."
            )
        }
        for call in calls.values {
            precondition(call.isNeeded, "A call must be needed.")
            let waits = call.waits.filter(\.waiter.isOpen)
            precondition(call.openWaitCount == waits.count, "The open waits must be counted.")
            precondition(
                call.neededKeyCount == call.keys.indices.count(where: call.isNeeded),
                "The needed keys must be counted."
            )
            for (waiter, keyIndex) in waits {
                precondition(
                    waiter.waits.contains { $0.call === call && $0.keyIndex == keyIndex },
                    "A caller must wait for the calls that have it."
                )
            }
        }
    }
}
