// The calls of loads. They request entities and store the answers.
extension CacheCore {
    /// Makes a call for entities, unless they were stored since its caller found them missing or
    /// stale.
    @usableFromInline
    func makeCall<Value: Identifiable & Sendable>(
        _ call: LoadCall,
        in table: Table<Value>,
        _ options: LoadOptions<Value>,
        by loader: EntityLoader<Value>
    ) async throws -> [CacheKey: LoadAnswer] where Value.ID: Sendable {
        // Another loader may have been set since the caller joined.
        let loader = loader.gathering == nil ? loader : registeredLoader()
        var stored: [CacheKey: LoadAnswer] = [:]
        var ids: [Value.ID] = []
        for key in call.keys {
            guard let id = key.id(as: Value.self) else { continue }
            if case .answered(let value) = need(of: id, in: table, options),
                isNewForAllCallers(of: call, key, id, in: table)
            {
                stored[key] = LoadAnswer(box: value.map(LoadedValue.init), wasStored: true)
            } else {
                ids.append(id)
            }
        }
        if ids.isEmpty { return stored }
        return try await request(ids, for: call, in: table, by: loader)
            .merging(stored) { answer, _ in answer }
    }

    /// Returns whether an entity was stored after all callers with their own options had looked for
    /// it.
    private func isNewForAllCallers<Value: Identifiable & Sendable>(
        of call: LoadCall,
        _ key: CacheKey,
        _ id: Value.ID,
        in table: Table<Value>
    ) -> Bool where Value.ID: Sendable {
        guard let known = call.knownVersion(of: key) else { return true }
        return (table.storedVersion(of: id)?.version ?? 0) > known
    }

    private func request<Value: Identifiable & Sendable>(
        _ ids: [Value.ID],
        for call: LoadCall,
        in table: Table<Value>,
        by loader: EntityLoader<Value>
    ) async throws -> [CacheKey: LoadAnswer] where Value.ID: Sendable {
        let keys = ids.map { CacheKey(Value.self, id: $0) }
        let version = clock.visibleVersion
        let isRequest = Value.self == RequestState.self
        if isRequest { recordBegin(of: call) }
        defer { if isRequest { recordEnd(ofCall: call.number) } }
        let (answers, missing) = try await underLease(call, loader.failureMemory) { scope in
            let entities = try await loader.entities(ids, in: scope)
            if let id = entities.unexpectedID(among: Set(ids)) {
                throw LoadError.unexpectedEntity(CacheKey(Value.self, id: id), requested: keys)
            }
            scope.collect(results: entities.values)
            return entities
        } store: { entities, lease, store in
            let conflicts = ids.map { writeSince(lease, to: $0, in: table) }
            if store() {
                forgetFailures(of: entities.values)
                if let write = entities.write, conflicts.allSatisfy({ $0 == nil }) {
                    try write(lease)
                }
            }
            let fetched = Dictionary(entities.values.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
            var answers: [CacheKey: LoadAnswer] = [:]
            for (index, id) in ids.enumerated() {
                let conflict = conflicts[index]
                let isVersioned = table.traits.isOutdated != nil
                let isMerged = conflict == nil || table.traits.merge != nil || isVersioned
                let stored = isMerged && !isClosed ? table.writtenValue(id: id) : nil
                let loaded = fetched[id].map { LoadedValue($0) }
                answers[keys[index]] = LoadAnswer(
                    box: loaded.map { loaded in stored.map { LoadedValue($0) } ?? loaded },
                    loadedBox: conflict != nil || isVersioned ? loaded : nil,
                    error: loaded == nil ? entities.errors[id] : nil,
                    conflict: conflict
                )
            }
            return (answers, keys.filter { answers[$0]?.box == nil })
        }
        // As for a call as a whole, the end of a task isn't remembered.
        let failed = missing.filter { !(answers[$0]?.error is CancellationError) }
        remember(
            { answers[$0]?.error },
            of: call,
            only: failed,
            since: version,
            for: loader.failureMemory
        )
        return answers
    }

    /// Shows all present and later observations of a request that it's being made.
    private func recordBegin(of call: LoadCall) {
        for name in call.keys.compactMap({ $0.id(as: RequestState.self) }) {
            observedLoads.withLock { $0.beginCall(call.number, of: name) }?.recordCalls(1)
        }
    }

    /// Ends the record of a call for a request, if there's one.
    ///
    /// A call that's no longer needed doesn't count, even if its closure goes on.
    private func recordEnd(ofCall number: UInt64) {
        observedLoads.withLock { $0.endCall(number) }?.recordCalls(-1)
    }

    /// Makes a call whose answer is stored in one commit, unless the call is no longer needed.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - failureMemory: The time for which an error is remembered, or `nil` if it isn't.
    ///   - fetch: A closure that makes the request, in the scope of an ingest.
    ///   - store: A closure that computes the result under the writers' lock. Its arguments are the
    ///     response, the lease, and a function that stores the entities of the scope. The function
    ///     returns `false` if the answer mustn't be stored.
    func underLease<Response: Sendable, Result: Sendable>(
        _ call: LoadCall,
        _ failureMemory: Duration?,
        fetch: @Sendable (Ingestion) async throws -> Response,
        store: (Response, Lease, () -> Bool) throws -> Result
    ) async throws -> Result {
        // Removals and invalidations after the lease's end concern the failure, too.
        if failureMemory != nil { watchLoads() }
        // The call mustn't retain itself.
        let lease = beginLease(of: call) { [self, number = call.number] in
            recordEnd(ofCall: number)
        }
        let (response, scope): (Response, Ingestion)
        do {
            (response, scope) = try await EnclosingCalls.$present.withValue(
                EnclosingCalls.adding(call)
            ) { try await Ingestion.run(in: self, under: lease, fetch) }
        } catch {
            endLeaseSoon(lease)
            if !(error is CancellationError) {
                remember(error, of: call, since: clock.visibleVersion, for: failureMemory)
            }
            throw error
        }
        let ending = scope.endScope()
        defer { report(ending.plainEntity) }
        // Entities are released after the writers' lock, since their `deinit` may run any code.
        return try withExtendedLifetime((response, ending)) {
            do {
                return try write("load(…)") { writer in
                    defer { end(lease, in: writer) }
                    guard !isClosed, call.claim() else {
                        return try store(response, lease) { false }
                    }
                    return try store(response, lease) {
                        scope.storeInTransaction(ending, under: lease)
                        return true
                    }
                }
            } catch {
                remember(error, of: call, since: clock.visibleVersion, for: failureMemory)
                throw error
            }
        }
    }
}

/// The answer of a call for an entity, shared by all its callers.
@usableFromInline
struct LoadAnswer: Sendable {
    /// The entity's value in a box, a `LoadedValue`, or `nil` if there is none.
    @usableFromInline let box: (any AnyObject & Sendable)?
    /// The value that the request has returned, if the cache holds another one.
    @usableFromInline var loadedBox: (any AnyObject & Sendable)?
    /// The error by which a loader has answered for the entity alone.
    var error: (any Error)?
    /// The write that has kept the answer from being stored, or from being merged over the stored
    /// value.
    var conflict: WriteKind?
    /// `true` if the value was stored and fresh when the call began, so that it made no request.
    var wasStored = false

    /// Returns the value of an entity, whose key has determined the type of the answer.
    @usableFromInline
    func value<Value: Sendable>(as type: Value.Type) -> Value? {
        box.map { unsafeDowncast($0, to: LoadedValue<Value>.self).value }
    }

    /// Returns the value of an entity, or the value from the request if only the latter meets a
    /// caller's requirement.
    @usableFromInline
    func value<Value: Identifiable & Sendable>(for options: LoadOptions<Value>) -> Value? {
        guard let value = value(as: Value.self) else { return nil }
        guard !options.accepts(value), let loaded = loadedValue(as: Value.self) else {
            return value
        }
        return options.accepts(loaded) ? loaded : value
    }

    /// Returns the value from the request, if the cache holds another one.
    func loadedValue<Value: Sendable>(as type: Value.Type) -> Value? {
        loadedBox.map { unsafeDowncast($0, to: LoadedValue<Value>.self).value }
    }
}
