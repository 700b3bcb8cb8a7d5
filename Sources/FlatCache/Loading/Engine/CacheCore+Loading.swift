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
        // counts as stale. The time of the whole value is also read afterwards, since a partial
        // value that is stored in between records one.
        var isStale = isWholeValueStale(of: id, in: table, options)
        isStale = freshness(of: id, in: table).isStale || isStale
        let value = isClosed ? nil : table.value(id: id, hash: table.hash(of: id), at: nil)
        guard let value, options.accepts(value) else {
            return options.policy == .cacheOnly ? .answered(nil) : .load
        }
        isStale = isStale || isWholeValueStale(of: id, in: table, options)
        switch options.policy {
        case .cacheOnly: return .answered(value)
        case _ where !isStale: return .answered(value)
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
        return try await load(id, in: table, options.with(loader)) { loader }
    }

    @usableFromInline
    func loadRegistered<Value: Identifiable & Sendable>(
        _ ids: [Value.ID],
        in table: Table<Value>,
        _ options: LoadOptions<Value>
    ) async throws -> [Value.ID: Value] where Value.ID: Sendable {
        let loader: EntityLoader<Value> = registeredLoader()
        return try await load(ids, in: table, options.with(loader), by: loader)
    }

    /// Loads an entity.
    ///
    /// - Parameters:
    ///   - options: The options, including the loader's requirement.
    ///   - makeLoader: A closure that returns the loader, unless the stored value is the answer.
    @usableFromInline @inline(__always)
    func load<Value: Identifiable & Sendable>(
        _ id: Value.ID,
        in table: Table<Value>,
        _ options: LoadOptions<Value>,
        by makeLoader: () -> EntityLoader<Value>
    ) async throws -> Value? where Value.ID: Sendable {
        if case .answered(let value?) = need(of: id, in: table, options) { return value }
        return try await load([id], in: table, options, by: makeLoader())[id]
    }

    /// Loads entities, and returns their values.
    ///
    /// - Parameter options: The options, including the loader's requirement.
    @usableFromInline
    func load<Value: Identifiable & Sendable>(
        _ ids: [Value.ID],
        in table: Table<Value>,
        _ options: LoadOptions<Value>,
        by loader: EntityLoader<Value>
    ) async throws -> [Value.ID: Value] where Value.ID: Sendable {
        if mayAskSources { try await askSource(for: ids, in: table, options) }
        return try await loadWithoutSources(ids, in: table, options, by: loader)
    }

    func loadWithoutSources<Value: Identifiable & Sendable>(
        _ ids: [Value.ID],
        in table: Table<Value>,
        _ options: LoadOptions<Value>,
        by loader: EntityLoader<Value>
    ) async throws -> [Value.ID: Value] where Value.ID: Sendable {
        var values: [Value.ID: Value] = [:]
        var missing: [CacheKey] = []
        var stale: [CacheKey] = []
        let version = options.isStrict ? clock.visibleVersion : nil
        var seen = Set<Value.ID>(minimumCapacity: ids.count)
        for id in ids where seen.insert(id).inserted {
            switch need(of: id, in: table, options) {
            case .answered(let value): values[id] = value
            case .background(let value):
                values[id] = value
                stale.append(CacheKey(Value.self, id: id))
            case .load: missing.append(CacheKey(Value.self, id: id))
            }
        }
        let answers = try await answers(
            to: missing,
            inBackground: stale,
            knowing: version,
            in: table,
            options,
            by: loader
        )
        for (key, answer) in answers {
            guard let id = key.id(as: Value.self) else { continue }
            values[id] = answer.value(for: options)
        }
        return values
    }

    /// Loads entities, whether or not they're needed.
    ///
    /// - Parameters:
    ///   - keys: The keys of the entities.
    ///   - backgroundKeys: The keys of further entities, whose answers the caller doesn't wait for.
    ///   - version: The version as of which no stored value meets the options, if they are strict.
    ///   - options: The options, including the loader's requirement.
    /// - Returns: The answers, without the entities that are remembered as missing.
    /// - Throws: The error of a call, or a remembered error.
    func answers<Value: Identifiable & Sendable>(
        to keys: [CacheKey],
        inBackground backgroundKeys: [CacheKey] = [],
        knowing version: UInt64?,
        in table: Table<Value>,
        _ options: LoadOptions<Value>,
        by loader: EntityLoader<Value>
    ) async throws -> [CacheKey: LoadAnswer] where Value.ID: Sendable {
        var (missing, stale, version) = (keys, backgroundKeys, version)
        if options.policy != .networkOnly { try removeFailed(from: &missing, &stale, in: table) }
        let operation: LoadOperation = { [self] in
            try await makeCall($0, in: table, options, by: loader)
        }
        if missing.isEmpty, !stale.isEmpty {
            // The caller doesn't wait for these loads. They can't cause a cycle with the calls that
            // enclose the caller, and they continue if the caller's task is cancelled.
            EnclosingCalls.withoutCalls {
                loads.start(stale, gathering: loader.gathering, operation)
            }
        }
        var answers: [CacheKey: LoadAnswer] = [:]
        while !missing.isEmpty {
            try EnclosingCalls.checkWait(for: missing, in: loads)
            let found = try await loads.answers(
                for: missing,
                inBackground: stale,
                knowing: version,
                gathering: loader.gathering,
                operation
            )
            stale = []
            if version != nil, found.values.contains(where: { $0.output?.wasStored ?? false }) {
                version = clock.visibleVersion
            }
            try missing.removeAll { key in
                guard let answer = found[key], let output = answer.output else { return true }
                if let error = output.error { throw error }
                guard isSufficient(output, for: key, isOwn: answer.isOwn, in: table, options)
                else { return false }
                answers[key] = output
                return true
            }
        }
        return answers
    }

    /// Returns whether a caller needs no further call after an answer.
    ///
    /// The answer may be another caller's and partial, or a stored value without a request.
    private func isSufficient<Value: Identifiable & Sendable>(
        _ answer: LoadAnswer,
        for key: CacheKey,
        isOwn: Bool,
        in table: Table<Value>,
        _ options: LoadOptions<Value>
    ) -> Bool where Value.ID: Sendable {
        if answer.wasStored, options.policy == .networkOnly { return false }
        if isOwn, !answer.wasStored { return true }
        guard let value = answer.value(for: options) else { return true }
        guard options.accepts(value) else { return false }
        // The stored value may owe its whole part to an earlier answer.
        guard let id = key.id(as: Value.self), isWholeValueStale(of: id, in: table, options) else {
            return true
        }
        return answer.loadedValue(as: Value.self).map(options.accepts) ?? false
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
            if let key = call.joinableKeys(among: keys).first { throw LoadError.cycle(key) }
        }
    }

    static func withoutCalls<Result>(_ body: () -> Result) -> Result {
        if present.isEmpty { return body() }
        return $present.withValue([], operation: body)
    }
}

/// A loaded value in a box, so that answers of all types have one type.
@usableFromInline
final class LoadedValue<Value: Sendable>: Sendable {
    @usableFromInline let value: Value

    init(_ value: Value) { self.value = value }
}
