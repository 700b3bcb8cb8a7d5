/// The calls of a single flight with the callers that wait for them.
///
/// A plain value that calls nothing. The flight's lock guards it, with its waiters.
struct SingleFlightState<Key: Hashable & Sendable, Output: Sendable> {
    typealias Waiter = FlightWaiter<Key, Output>
    typealias Answer = SingleFlight<Key, Output>.Answer

    /// The effects of a caller's joining, to be carried out under no lock.
    struct Joining {
        var calls: [Start] = []
        var ending = FlightEnding<Key, Output>()
    }

    /// A call that the caller of `join` starts.
    struct Start {
        let number: UInt64
        /// A Boolean value that indicates whether the call waits for further keys first.
        let isGathering: Bool
    }

    private var calls: [UInt64: Call] = [:]
    /// The number of the call that answers a key's next callers.
    private var numbers: [Key: UInt64] = [:]
    /// The numbers of the calls that gather keys, by group.
    private var gathering: [UInt64: UInt64] = [:]
    private var lastNumber: UInt64 = 0

    var keys: [Key] { Array(numbers.keys) }

    var callCount: Int { calls.count }

    /// Returns the keys whose next callers join a call.
    func joinableKeys(of number: UInt64) -> [Key] {
        calls[number]?.keys.filter { numbers[$0] == number } ?? []
    }

    func waiterCount(for key: Key) -> Int {
        guard let number = numbers[key], let call = calls[number] else { return 0 }
        return call.waiters.values.count { $0.keys.contains(key) }
    }

    // MARK: Callers

    /// Adds a caller to the calls of its keys.
    mutating func join(
        _ waiter: Waiter,
        _ continuation: Waiter.Continuation,
        _ keys: [Key],
        inBackground backgroundKeys: [Key],
        _ gathering: FlightGathering?
    ) -> Joining {
        var joining = Joining()
        if waiter.hasLeft {
            joining.ending.resume(continuation, .failure(CancellationError()))
            return joining
        }
        let identifier = ObjectIdentifier(waiter)
        // Most callers wait for one key, whose call runs.
        if keys.count == 1, backgroundKeys.isEmpty, let number = numbers[keys[0]] {
            calls[number]?.waiters[identifier] = (waiter, keys)
            waiter.openCalls.append((number, isGathering(number, gathering)))
            waiter.continuation = continuation
            return joining
        }
        for (key, number) in assign(keys, gathering, &joining) {
            if calls[number]?.waiters[identifier] == nil {
                calls[number]?.waiters[identifier] = (waiter, [key])
                let isNew = joining.calls.contains { $0.number == number }
                waiter.openCalls.append((number, isNew || isGathering(number, gathering)))
            } else {
                calls[number]?.waiters[identifier]?.keys.append(key)
            }
        }
        joinInBackground(backgroundKeys, gathering, &joining)
        if waiter.openCalls.isEmpty {
            joining.ending.resume(continuation, .success([:]))
        } else {
            waiter.continuation = continuation
        }
        return joining
    }

    /// Returns whether a call that hasn't begun has the operation of a rule.
    private func isGathering(_ number: UInt64, _ rule: FlightGathering?) -> Bool {
        guard let rule, let call = calls[number] else { return false }
        return call.phase == .waiting && call.group == rule.group
    }

    /// Adds keys whose answers no caller waits for.
    mutating func join(inBackground keys: [Key], _ gathering: FlightGathering?) -> Joining {
        var joining = Joining()
        joinInBackground(keys, gathering, &joining)
        return joining
    }

    private mutating func joinInBackground(
        _ keys: [Key],
        _ gathering: FlightGathering?,
        _ joining: inout Joining
    ) {
        for (key, number) in assign(keys, gathering, &joining) {
            calls[number]?.backgroundKeys.insert(key)
        }
    }

    /// Removes a caller whose task was cancelled.
    mutating func leave(_ waiter: Waiter) -> FlightEnding<Key, Output> {
        var ending = FlightEnding<Key, Output>()
        waiter.hasLeft = true
        leave(waiter, throwing: CancellationError(), &ending)
        return ending
    }

    private mutating func leave(
        _ waiter: Waiter,
        throwing error: any Error,
        _ ending: inout FlightEnding<Key, Output>
    ) {
        guard let continuation = waiter.continuation.take() else { return }
        ending.resume(continuation, .failure(error))
        for (number, _) in waiter.openCalls {
            calls[number]?.waiters[ObjectIdentifier(waiter)] = nil
            if let call = calls[number], !call.isNeeded {
                forget(number)
                ending.tasks += [call.task, call.pause].compactMap { $0 }
                if let abandonment = call.abandonment { ending.abandonments.append(abandonment) }
            }
        }
        waiter.openCalls = []
    }

    /// Returns the number of the call that answers each key, and creates the missing calls.
    private mutating func assign(
        _ keys: [Key],
        _ rule: FlightGathering?,
        _ joining: inout Joining
    ) -> [(Key, UInt64)] {
        /// The call that receives further keys, if it isn't the one of a group.
        var latest: UInt64?
        return keys.map { key in
            if let number = numbers[key] { return (key, number) }
            let open = rule.map { $0.waitsForOthers ? gathering[$0.group] : latest } ?? latest
            let number = open ?? create(rule, &joining)
            latest = number
            calls[number]?.keys.append(key)
            numbers[key] = number
            if let rule, calls[number]?.keys.count ?? 0 >= rule.maximum {
                latest = nil
                if rule.waitsForOthers {
                    gathering[rule.group] = nil
                    calls[number]?.isFull = true
                    if let pause = calls[number]?.pause { joining.ending.tasks.append(pause) }
                }
            }
            return (key, number)
        }
    }

    private mutating func create(_ rule: FlightGathering?, _ joining: inout Joining) -> UInt64 {
        lastNumber += 1
        let isGathering = rule?.waitsForOthers ?? false
        calls[lastNumber] = Call(group: rule?.group)
        if isGathering, let rule { gathering[rule.group] = lastNumber }
        joining.calls.append(Start(number: lastNumber, isGathering: isGathering))
        return lastNumber
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
        calls[number]?.task = task
        calls[number]?.pause = pause
        return call.isFull ? [pause].compactMap { $0 } : []
    }

    /// Begins the operation of a call; returns its keys, or `nil` if it mustn't begin.
    mutating func begin(_ number: UInt64) -> [Key]? {
        guard let call = calls[number], call.phase == .waiting else { return nil }
        let needed = call.neededKeys
        for key in call.keys where !needed.contains(key) && numbers[key] == number {
            numbers[key] = nil
        }
        let keys = call.keys.filter(needed.contains)
        if let group = call.group, gathering[group] == number { gathering[group] = nil }
        calls[number]?.phase = .running
        calls[number]?.keys = keys
        return keys
    }

    mutating func setAbandonment(_ body: @escaping @Sendable () -> Void, of number: UInt64) -> Bool
    {
        guard calls[number] != nil else { return false }
        calls[number]?.abandonment = body
        return true
    }

    mutating func claim(_ number: UInt64) -> Bool {
        guard calls[number] != nil else { return false }
        calls[number]?.phase = .claimed
        return true
    }

    /// Ends a call, whose callers receive its result.
    mutating func end(
        _ number: UInt64,
        _ result: Result<[Key: Output], any Error>
    ) -> FlightEnding<Key, Output> {
        var ending = FlightEnding<Key, Output>()
        guard let call = calls[number] else { return ending }
        forget(number)
        // The callers of a call with one key share their answers.
        let key = call.keys.count == 1 ? call.keys[0] : nil
        let output = try? result.get()
        lazy var own = key.map { [$0: Answer(output: output?[$0], isOwn: true)] } ?? [:]
        lazy var joined = key.map { [$0: Answer(output: output?[$0], isOwn: false)] } ?? [:]
        for (waiter, keys) in call.waiters.values {
            let isOwn = waiter.close(number)
            switch result {
            case .failure(let error): leave(waiter, throwing: error, &ending)
            case .success where key != nil && waiter.isWaitingForNothingElse:
                guard let continuation = waiter.continuation.take() else { continue }
                ending.resume(continuation, .success(isOwn ? own : joined))
            case .success(let outputs):
                for key in keys {
                    waiter.answers[key] = Answer(output: outputs[key], isOwn: isOwn)
                }
                guard waiter.openCalls.isEmpty, let continuation = waiter.continuation.take()
                else { continue }
                ending.resume(continuation, .success(waiter.answers))
            }
        }
        return ending
    }

    /// Removes a call and the assignments of its keys.
    private mutating func forget(_ number: UInt64) {
        guard let call = calls.removeValue(forKey: number) else { return }
        for key in call.keys where numbers[key] == number { numbers[key] = nil }
        if let group = call.group, gathering[group] == number { gathering[group] = nil }
    }

    mutating func separate(_ key: Key, includingWaiting: Bool = false) {
        guard let number = numbers[key], let call = calls[number],
            includingWaiting || call.phase != .waiting
        else { return }
        numbers[key] = nil
        // Otherwise the call could gather the key again.
        if let group = call.group, gathering[group] == number { gathering[group] = nil }
    }

    mutating func separate(includingWaiting: Bool, where isSeparated: (Key) -> Bool) {
        for key in numbers.keys where isSeparated(key) {
            separate(key, includingWaiting: includingWaiting)
        }
    }

    func checkInvariants() {
        for (key, number) in numbers {
            precondition(calls[number]?.keys.contains(key) ?? false, "A key's call must have it.")
        }
        for (group, number) in gathering {
            precondition(
                calls[number]?.group == group && calls[number]?.phase == .waiting,
                "Only a call that hasn't begun gathers keys."
            )
        }
        for (number, call) in calls {
            precondition(call.isNeeded, "A call must be needed.")
            for (waiter, keys) in call.waiters.values {
                precondition(
                    waiter.openCalls.contains { $0.number == number } && waiter.continuation != nil,
                    "A caller must wait for the calls that have it."
                )
                precondition(Set(keys).isSubset(of: call.keys), "A caller waits for known keys.")
            }
        }
    }
}
