extension CacheCore {
    @usableFromInline
    typealias LoadCall = FlightCall<CacheKey, LoadAnswer>
    @usableFromInline
    typealias LoadOperation = @Sendable (LoadCall) async throws -> [CacheKey: LoadAnswer]

    // MARK: Entities

    @usableFromInline
    func need<Value: Identifiable & Sendable>(
        of id: Value.ID,
        in table: Table<Value>,
        _ options: LoadOptions<Value>
    ) -> LoadNeed<Value> where Value.ID: Sendable {
        if options.policy == .networkOnly { return .load }
        // Most loads find nothing. This check is specialized in the client.
        if table.value(id: id, hash: table.hash(of: id), at: nil) == nil {
            return options.policy == .cacheOnly ? .answered(nil) : .load
        }
        return needOfStored(id, in: table, options)
    }

    @usableFromInline
    func needOfStored<Value: Identifiable & Sendable>(
        _ id: Value.ID,
        in table: Table<Value>,
        _ options: LoadOptions<Value>
    ) -> LoadNeed<Value> where Value.ID: Sendable {
        // The freshness is read before the value. At worst, a value that is stored in between
        // counts as stale.
        let freshness = freshness(of: id, in: table)
        let value = isClosed ? nil : table.value(id: id, hash: table.hash(of: id), at: nil)
        guard let value, options.accepts(value) else {
            return options.policy == .cacheOnly ? .answered(nil) : .load
        }
        switch options.policy {
        case .cacheOnly: return .answered(value)
        case _ where freshness.isFresh: return .answered(value)
        case .staleWhileRevalidate: return .background(value)
        case .cacheFirst, .networkOnly: return .load
        }
    }

    @usableFromInline
    func loadRegistered<Value: Identifiable & Sendable>(
        _ id: Value.ID,
        in table: Table<Value>,
        _ options: LoadOptions<Value>
    ) async throws -> Value? where Value.ID: Sendable {
        let loader: EntityLoader<Value> = registeredLoader()
        let options = options.with(loader)
        return try await load(id, in: table, options, gathering: loader.gathering) { loader }
    }

    /// Loads an entity.
    ///
    /// - Parameters:
    ///   - options: The options, including the loader's requirement.
    ///   - gathering: The loader's rule of gathering.
    ///   - makeLoader: A closure that returns the loader. It's called if a call has to be made.
    @usableFromInline @inline(__always)
    func load<Value: Identifiable & Sendable>(
        _ id: Value.ID,
        in table: Table<Value>,
        _ options: LoadOptions<Value>,
        gathering: FlightGathering? = nil,
        by makeLoader: () -> EntityLoader<Value>
    ) async throws -> Value? where Value.ID: Sendable {
        var version = options.isStrict ? clock.visibleVersion : nil
        var need = need(of: id, in: table, options)
        if mayAskSources, need.mayBeMissing, try await askSource(for: [id], in: table, options) {
            version = options.isStrict ? clock.visibleVersion : nil
            need = self.need(of: id, in: table, options)
        }
        switch need {
        case .answered(let value): return value
        case .background: return try await load([id], in: table, options, by: makeLoader())[id]
        case .load:
            let answer = try await answer(
                to: id,
                in: table,
                options,
                knowing: version,
                gathering: gathering,
                by: makeLoader
            )
            return answer?.value(for: options)
        }
    }

    /// Loads entities, and returns their values.
    ///
    /// - Parameter loader: The loader, or `nil` for the registered loader of the type.
    @usableFromInline
    func load<Value: Identifiable & Sendable>(
        _ ids: [Value.ID],
        in table: Table<Value>,
        _ options: LoadOptions<Value>,
        by loader: EntityLoader<Value>?
    ) async throws -> [Value.ID: Value] where Value.ID: Sendable {
        let loader = loader ?? registeredLoader()
        let options = options.with(loader)
        var values: [Value.ID: Value] = [:]
        var missing: [CacheKey] = []
        var stale: [CacheKey] = []
        var seen = Set<Value.ID>(minimumCapacity: ids.count)
        if mayAskSources { _ = try await askSource(for: ids, in: table, options) }
        var version = options.isStrict ? clock.visibleVersion : nil
        for id in ids where seen.insert(id).inserted {
            switch need(of: id, in: table, options) {
            case .answered(let value): values[id] = value
            case .background(let value):
                values[id] = value
                stale.append(CacheKey(Value.self, id: id))
            case .load: missing.append(CacheKey(Value.self, id: id))
            }
        }
        if options.policy != .networkOnly { try removeFailed(from: &missing, &stale, in: table) }
        if missing.isEmpty, !stale.isEmpty {
            // The caller doesn't wait for these loads. They can't cause a cycle with the calls that
            // enclose the caller, and they continue if the caller's task is cancelled.
            EnclosingCalls.withoutCalls {
                loads.start(stale, gathering: loader.gathering) { [self] in
                    try await makeCall($0, in: table, options, by: loader)
                }
            }
        }
        while !missing.isEmpty {
            try EnclosingCalls.checkWait(for: missing, in: loads)
            let answers = try await loads.answers(
                for: missing,
                inBackground: stale,
                knowing: version,
                gathering: loader.gathering
            ) { [self] in try await makeCall($0, in: table, options, by: loader) }
            stale = []
            let wasStored = answers.values.contains { $0.output?.wasStored ?? false }
            if version != nil, wasStored { version = clock.visibleVersion }
            missing = missing.filter { key in
                guard let answer = answers[key], let id = key.id(as: Value.self) else {
                    return false
                }
                let value = answer.output?.value(for: options)
                let isSufficient = isSufficient(answer, options.policy) { _ in
                    value.map(options.accepts) ?? true
                }
                if isSufficient, let value { values[id] = value }
                return !isSufficient
            }
        }
        return values
    }

    /// Loads an entity, whether or not it's needed.
    ///
    /// - Parameters:
    ///   - options: The options, including the loader's requirement.
    ///   - version: The version as of which no stored value meets the options, if they are strict.
    ///   - gathering: The loader's rule of gathering.
    ///   - makeLoader: A closure that returns the loader. It's called if a call has to be made.
    /// - Returns: The answer, or `nil` if the entity is remembered as missing.
    /// - Throws: The error of the call, or a remembered error.
    @usableFromInline @inline(__always)
    func answer<Value: Identifiable & Sendable>(
        to id: Value.ID,
        in table: Table<Value>,
        _ options: LoadOptions<Value>,
        knowing version: UInt64?,
        gathering: FlightGathering?,
        by makeLoader: () -> EntityLoader<Value>
    ) async throws -> LoadAnswer? where Value.ID: Sendable {
        let key = CacheKey(Value.self, id: id)
        if try isRememberedAsMissing(key, in: table, options.policy) { return nil }
        return try await answer(to: key, options.policy, knowing: version, gathering: gathering) {
            answer in
            options.requirement == nil || answer.value(for: options).map(options.accepts) ?? true
        } by: {
            let loader = makeLoader()
            return { [self] in try await makeCall($0, in: table, options, by: loader) }
        }
    }

    /// Loads an entity or a request, whether or not it's needed.
    ///
    /// - Parameters:
    ///   - accepts: A closure that returns whether the answer of another caller's closure, or a
    ///     stored value, is whole.
    ///   - makeOperation: A closure that returns the operation of the call to make.
    @usableFromInline
    func answer(
        to key: CacheKey,
        _ policy: LoadPolicy,
        knowing version: UInt64?,
        gathering: FlightGathering?,
        accepting accepts: (LoadAnswer) -> Bool,
        by makeOperation: () -> LoadOperation
    ) async throws -> LoadAnswer? {
        var version = version
        while true {
            try EnclosingCalls.checkWait(for: [key], in: loads)
            let answer = try await loads.answer(
                for: key,
                knowing: version,
                gathering: gathering,
                makeOperation
            )
            if isSufficient(answer, policy, accepts) { return answer.output }
            if version != nil, answer.output?.wasStored ?? false { version = clock.visibleVersion }
        }
    }

    /// Returns whether a caller needs no further call after an answer.
    ///
    /// The answer may be another caller's and partial, or a stored value without a request.
    private func isSufficient(
        _ answer: SingleFlight<CacheKey, LoadAnswer>.Answer,
        _ policy: LoadPolicy,
        _ accepts: (LoadAnswer) -> Bool
    ) -> Bool {
        guard let output = answer.output else { return true }
        if output.wasStored, policy == .networkOnly { return false }
        return answer.isOwn && !output.wasStored || accepts(output)
    }

    /// Returns the loader of a type, or traps if there is none.
    func registeredLoader<Value: Identifiable & Sendable>() -> EntityLoader<Value>
    where Value.ID: Sendable {
        let loader = loaders.withLock { $0.loader(of: Value.self, on: policies.timeline) }
        guard let loader else {
            preconditionFailure(
                """
                \(Value.self) has no loader. Call setLoader(for: \(Value.self).self) { … } of the \
                cache or its configuration first, or pass a closure to load(…).
                """
            )
        }
        return loader
    }

    @usableFromInline
    func setLoader<Value: Identifiable & Sendable>(_ loader: RegisteredLoader<Value>)
    where Value.ID: Sendable {
        loaders.withLock { $0.set(loader) }
        if loader.requirement != nil { require(Value.self) }
        let isOfType = { (key: CacheKey) in key.typeIdentifier == ObjectIdentifier(Value.self) }
        // The calls are separated first, so that no earlier call remembers a failure afterwards.
        loads.separate(includingWaiting: true, where: isOfType)
        changeLoadFailures { $0.forget(where: isOfType) }
        for load in observedLoads.withLock({ $0.loads(where: isOfType) }) { load.recordNewLoader() }
    }
}

/// The calls of loads whose closures the present task is inside, the innermost last.
///
/// The closure of one call may load other entities by another call.
enum EnclosingCalls {
    @TaskLocal static var present: [CacheCore.LoadCall] = []

    /// Returns the present calls and another one, without the calls that have ended.
    ///
    /// A task that a closure starts may outlast its call, and start further calls.
    static func adding(_ call: CacheCore.LoadCall) -> [CacheCore.LoadCall] {
        present.filter { !$0.hasEnded } + [call]
    }

    /// Throws an error if the present task, by waiting for some keys, would wait for itself.
    ///
    /// The task doesn't wait for a call that has ended, or that later callers don't join.
    static func checkWait(
        for keys: @autoclosure () -> [CacheKey],
        in loads: SingleFlight<CacheKey, LoadAnswer>
    ) throws {
        let present = present
        if present.isEmpty { return }
        let keys = keys()
        for call in present where call.flight === loads {
            if let key = call.joinableKey(among: keys) { throw LoadError.cycle(key) }
        }
    }

    static func withoutCalls<Result>(_ body: () -> Result) -> Result {
        if present.isEmpty { return body() }
        return $present.withValue([], operation: body)
    }
}

/// A loaded value in a box, so that answers of all types have one type.
///
/// The box also distinguishes a response that is `nil`, of an optional type, from a missing
/// response.
@usableFromInline
final class LoadedValue<Value: Sendable>: Sendable {
    @usableFromInline let value: Value

    init(_ value: Value) { self.value = value }
}
