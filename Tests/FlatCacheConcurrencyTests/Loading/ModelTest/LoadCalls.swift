import FlatCache

@testable import FlatCacheTestSupport

/// A naive reference of the calls and of the loads that wait for them.
struct LoadCalls {
    typealias Key = LoadModelKey
    typealias Fields = [Int?]

    /// The options of a load.
    struct Options {
        let policy: LoadPolicy
        /// `true` if a value needs all its fields.
        let requiresAll: Bool
        /// `true` for a load by the rows' loader, whose requirement it must meet.
        var needsWhole = false
        /// The seconds after which a response is stale.
        let lifetime: Int?
        /// The seconds for which failures are remembered.
        let failureMemory: Int?

        /// `true` if a stored value may not be enough.
        var isStrict: Bool { requiresAll || needsWhole }

        func accepts(_ fields: Fields) -> Bool {
            if needsWhole, !LoadModel.isWhole(fields) { return false }
            return !requiresAll || !fields.contains(nil)
        }

        func isFresh(_ key: Key, _ model: LoadModel) -> Bool {
            model.isFresh(key) && (!needsWhole || model.isWholeFresh(key))
        }
    }

    /// An answer, as the callers receive it.
    struct Answer {
        /// The fields that the cache holds, or `nil` if the entity doesn't exist.
        let fields: Fields?
        /// The fields that the call has returned.
        let loaded: Fields?
        let isOwn: Bool

        /// Returns the fields for a caller.
        func fields(for options: Options) -> Fields? {
            guard let fields, let loaded, !options.accepts(fields) else { return fields }
            return options.accepts(loaded) ? loaded : fields
        }
    }

    struct Call {
        let keys: [Key]
        /// The time at which the request began.
        let beginning: Int
        /// The values of the server at that time.
        let values: [Key: Fields]
        /// The entities that the answer brings besides those of the keys.
        let extras: [Key]
        let lifetime: Int?
        let failureMemory: Int?
        var waiters: Set<Int> = []
        var isInBackground = false
        /// The keys whose next loads join the call.
        var joinable: Set<Key>

        var isNeeded: Bool { isInBackground || !waiters.isEmpty }
    }

    struct Load {
        let options: Options
        /// The keys to wait for.
        var missing: [Key] = []
        /// The calls that haven't ended, and whether the load has started them.
        var open: [Int: Bool] = [:]
        var answers: [Key: Answer] = [:]
        var values: [Key: Fields] = [:]
        let extras: [Key]
    }

    enum Outcome: Equatable {
        case values([Key: Fields])
        case failed
        case cancelled
        case missingResponse
    }

    private(set) var calls: [Int: Call] = [:]
    private(set) var loads: [Int: Load] = [:]
    private(set) var outcomes: [Int: Outcome] = [:]
    /// The numbers of the calls in the order of their beginning.
    private(set) var callCount = 0
    private var loadCount = 0

    /// The number of waiting loads for each key whose next load joins a call.
    var waiterCounts: [Key: Int] {
        var counts: [Key: Int] = [:]
        for (number, call) in calls where call.isNeeded {
            for key in call.joinable {
                counts[key] = call.waiters.count { isWaiting($0, for: key, in: number) }
            }
        }
        return counts
    }

    private func isWaiting(_ load: Int, for key: Key, in number: Int) -> Bool {
        guard let waiting = loads[load] else { return false }
        return waiting.missing.contains(key) && keyCalls[load]?[key] == number
    }

    /// The calls that the keys of the loads wait for.
    private var keyCalls: [Int: [Key: Int]] = [:]

    /// The number of calls that run for callers.
    var neededCount: Int { calls.values.count { $0.isNeeded } }

    // MARK: Loads

    /// Starts a load; returns its number.
    mutating func start(
        _ keys: [Key],
        _ options: Options,
        extras: [Key],
        _ model: LoadModel,
        _ server: [Key: Fields]
    ) -> Int {
        loadCount += 1
        var load = Load(options: options, extras: extras)
        var background: [Key] = []
        for key in keys {
            guard options.policy != .networkOnly else {
                load.missing.append(key)
                continue
            }
            guard let fields = model.stored[key]?.fields, options.accepts(fields) else {
                if options.policy != .cacheOnly { load.missing.append(key) }
                continue
            }
            let isFresh = options.isFresh(key, model)
            if options.policy == .cacheFirst, !isFresh {
                load.missing.append(key)
                continue
            }
            load.values[key] = fields
            if options.policy == .staleWhileRevalidate, !isFresh {
                background.append(key)
            }
        }
        if options.policy == .cacheOnly, load.values.isEmpty,
            keys.contains(where: { $0.kind == .request })
        {
            outcomes[loadCount] = .missingResponse
            return loadCount
        }
        if options.policy != .networkOnly {
            background.removeAll { model.failure(of: $0) != nil }
            let failures = load.missing.compactMap { model.failure(of: $0) }
            if failures.contains(where: \.isError) {
                outcomes[loadCount] = .failed
                return loadCount
            }
            load.missing.removeAll { model.failure(of: $0) != nil }
        }
        loads[loadCount] = load
        join(loadCount, model, server)
        for (_, number) in assign(background, load, model, server) {
            calls[number]?.isInBackground = true
        }
        return loadCount
    }

    /// Adds a load to the calls of its missing keys, or completes it.
    private mutating func join(
        _ number: Int,
        _ model: LoadModel,
        _ server: [Key: Fields]
    ) {
        guard let load = loads[number] else { return }
        if load.missing.isEmpty {
            complete(number, .values(load.values))
            return
        }
        let first = callCount
        keyCalls[number] = [:]
        for (key, call) in assign(load.missing, load, model, server) {
            calls[call]?.waiters.insert(number)
            loads[number]?.open[call] = call > first
            keyCalls[number]?[key] = call
        }
    }

    /// Returns the calls of keys, and starts one for those that have none.
    private mutating func assign(
        _ keys: [Key],
        _ load: Load,
        _ model: LoadModel,
        _ server: [Key: Fields]
    ) -> [(Key, Int)] {
        var assigned: [(Key, Int)] = []
        var new: [Key] = []
        for key in keys {
            let present = calls.first { $0.value.isNeeded && $0.value.joinable.contains(key) }
            if let present {
                assigned.append((key, present.key))
            } else {
                new.append(key)
            }
        }
        guard !new.isEmpty else { return assigned }
        callCount += 1
        calls[callCount] = Call(
            keys: new,
            beginning: model.time,
            values: server,
            extras: load.extras,
            lifetime: load.options.lifetime,
            failureMemory: load.options.failureMemory,
            // It's needed from now on; the caller adds itself.
            joinable: Set(new)
        )
        return assigned + new.map { ($0, callCount) }
    }

    private mutating func complete(_ number: Int, _ outcome: Outcome) {
        outcomes[number] = outcome
        keyCalls[number] = nil
        for call in loads[number]?.open.keys.sorted() ?? [] {
            calls[call]?.waiters.remove(number)
        }
        loads[number] = nil
    }

    mutating func cancel(_ number: Int) { complete(number, .cancelled) }

    mutating func separate(_ keys: Set<Key>) {
        for number in calls.keys { calls[number]?.joinable.subtract(keys) }
    }

    // MARK: Ends of calls

    /// Ends a call.
    ///
    /// - Parameters:
    ///   - isFailed: Whether it fails.
    ///   - model: The stored values, which change with the answer.
    ///   - server: The values on the server, which calls find that follow this one.
    mutating func end(
        _ number: Int,
        isFailed: Bool,
        _ model: inout LoadModel,
        _ server: [Key: Fields]
    ) {
        guard let call = calls.removeValue(forKey: number) else { return }
        guard call.isNeeded else { return }
        let missing = call.keys.filter { call.values[$0] == nil }
        if !isFailed { model.forgetFailures { call.keys.contains($0) && !missing.contains($0) } }
        if let memory = call.failureMemory {
            let failed = (isFailed ? call.keys : missing).filter(call.joinable.contains)
            model.remember(failed, isError: isFailed, for: memory)
        }
        if isFailed {
            for load in call.waiters { complete(load, .failed) }
            return
        }
        // The order doesn't matter, since the keys differ.
        for key in call.extras {
            guard let fields = call.values[key] else { continue }
            model.answer(fields, of: key, requestedAt: call.beginning)
        }
        var answers: [Key: Fields] = [:]
        for key in call.keys {
            guard let fields = call.values[key] else { continue }
            let isMerged = model.answer(
                fields,
                of: key,
                requestedAt: call.beginning,
                staleAfter: call.lifetime
            )
            if isMerged, key.kind == .request {
                model.relate(key, to: call.extras.filter { call.values[$0] != nil })
            }
            answers[key] = isMerged ? model.stored[key]?.fields ?? fields : fields
        }
        for load in call.waiters.sorted() {
            let isOwn = loads[load]?.open.removeValue(forKey: number) ?? false
            for key in call.keys where keyCalls[load]?[key] == number {
                loads[load]?.answers[key] = Answer(
                    fields: answers[key],
                    loaded: call.values[key],
                    isOwn: isOwn
                )
            }
            if loads[load]?.open.isEmpty ?? false { takeAnswers(load, model, server) }
        }
    }

    /// Returns whether the answer of another load's call is enough for a load.
    private func isEnough(
        _ answer: Answer,
        _ fields: Fields,
        _ options: Options,
        _ key: Key,
        _ model: LoadModel
    ) -> Bool {
        guard options.accepts(fields) else { return false }
        if !options.needsWhole || model.isWholeFresh(key) { return true }
        return answer.loaded.map(options.accepts) ?? false
    }

    /// Takes the answers of all calls of a load, and loads those again that are partial.
    private mutating func takeAnswers(
        _ number: Int,
        _ model: LoadModel,
        _ server: [Key: Fields]
    ) {
        guard let load = loads[number] else { return }
        loads[number]?.missing = []
        loads[number]?.answers = [:]
        for key in load.missing {
            guard let answer = load.answers[key], let fields = answer.fields(for: load.options)
            else { continue }
            if !answer.isOwn, !isEnough(answer, fields, load.options, key, model) {
                // The call that follows finds a value that's stored meanwhile.
                if load.options.policy != .networkOnly, load.options.isFresh(key, model),
                    let stored = model.stored[key]?.fields, load.options.accepts(stored)
                {
                    loads[number]?.values[key] = stored
                } else {
                    loads[number]?.missing.append(key)
                }
            } else {
                loads[number]?.values[key] = fields
            }
        }
        join(number, model, server)
    }
}
