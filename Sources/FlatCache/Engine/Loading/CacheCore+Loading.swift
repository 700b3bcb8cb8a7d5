extension CacheCore {
    typealias LoadCall = FlightCall<CacheKey, LoadAnswer>

    // MARK: Entities

    /// Returns the need for a load of an entity.
    @usableFromInline
    func need<Value: Identifiable & Sendable>(
        of id: Value.ID,
        in table: Table<Value>,
        _ options: LoadOptions<Value>
    ) -> LoadNeed<Value> where Value.ID: Sendable {
        if options.policy == .networkOnly { return .load }
        // The freshness is read before the value, so a value that is stored in between counts as
        // stale at the worst.
        let freshness = freshness(of: id, in: table)
        let value = isClosed ? nil : table.value(id: id, hash: Table<Value>.hash(of: id), at: nil)
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

    /// Loads an entity by the loader that is set for its type.
    @usableFromInline
    func loadRegistered<Value: Identifiable & Sendable>(
        _ id: Value.ID,
        in table: Table<Value>,
        _ options: LoadOptions<Value>
    ) async throws -> Value? where Value.ID: Sendable {
        let loader: EntityLoader<Value> = registeredLoader()
        let options = options.with(loader)
        let need = need(of: id, in: table, options)
        return try await load(id, in: table, options, need, by: loader)
    }

    /// Loads an entity.
    ///
    /// - Parameters:
    ///   - options: The options, which include the loader's requirement.
    ///   - need: The need for the load.
    @usableFromInline
    func load<Value: Identifiable & Sendable>(
        _ id: Value.ID,
        in table: Table<Value>,
        _ options: LoadOptions<Value>,
        _ need: LoadNeed<Value>,
        by loader: EntityLoader<Value>
    ) async throws -> Value? where Value.ID: Sendable {
        switch need {
        case .answered(let value): return value
        case .background: return try await load([id], in: table, options, by: loader)[id]
        case .load:
            return try await answer(to: id, in: table, options, by: loader)?.value(as: Value.self)
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
            // Without a wait, the cancellation of the task doesn't count.
            loads.start(stale, gathering: loader.gathering) { [self] in
                try await makeCall($0, in: table, options, by: loader)
            }
        }
        while !missing.isEmpty {
            try EnclosingCall.checkWait(for: missing, in: loads)
            let answers = try await loads.answers(
                for: missing,
                inBackground: stale,
                gathering: loader.gathering
            ) { [self] in try await makeCall($0, in: table, options, by: loader) }
            stale = []
            missing = missing.filter { key in
                guard let answer = answers[key], let id = key.id(as: Value.self) else {
                    return false
                }
                if isInsufficient(answer, options) { return true }
                if let value = answer.output?.value(as: Value.self) { values[id] = value }
                return false
            }
        }
        return values
    }

    /// Loads an entity, whether or not it's needed.
    ///
    /// - Parameter options: The options, which include the loader's requirement.
    /// - Returns: The answer, or `nil` if the entity is remembered as missing.
    /// - Throws: The error of the call, also a remembered one.
    func answer<Value: Identifiable & Sendable>(
        to id: Value.ID,
        in table: Table<Value>,
        _ options: LoadOptions<Value>,
        by loader: EntityLoader<Value>
    ) async throws -> LoadAnswer? where Value.ID: Sendable {
        let key = CacheKey(Value.self, id: id)
        if options.policy != .networkOnly, let failure = loadFailure(of: key, in: table) {
            if let error = failure.error { throw error }
            return nil
        }
        while true {
            try EnclosingCall.checkWait(for: [key], in: loads)
            let answers = try await loads.answers(for: [key], gathering: loader.gathering) {
                [self] in try await makeCall($0, in: table, options, by: loader)
            }
            guard let answer = answers[key] else { return nil }
            if !isInsufficient(answer, options) { return answer.output }
        }
    }

    /// Returns whether a caller has to make another call in spite of an answer.
    ///
    /// The answer may be another caller's and partial, or a stored value without a request.
    private func isInsufficient<Value: Identifiable & Sendable>(
        _ answer: SingleFlight<CacheKey, LoadAnswer>.Answer,
        _ options: LoadOptions<Value>
    ) -> Bool where Value.ID: Sendable {
        guard let output = answer.output else { return false }
        if output.wasStored, options.policy == .networkOnly { return true }
        guard options.requirement != nil, !answer.isOwn || output.wasStored,
            let value = output.value(as: Value.self)
        else { return false }
        return !options.accepts(value)
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
        // In this order, so that no failure of a former call is remembered after it.
        loads.separate(includingWaiting: true) {
            $0.typeIdentifier == ObjectIdentifier(Value.self)
        }
        changeLoadFailures {
            $0.forget { $0.typeIdentifier == ObjectIdentifier(Value.self) }
        }
    }

    /// Makes a call for entities, unless they were stored since its caller found them missing or
    /// stale.
    private func makeCall<Value: Identifiable & Sendable>(
        _ call: LoadCall,
        in table: Table<Value>,
        _ options: LoadOptions<Value>,
        by loader: EntityLoader<Value>
    ) async throws -> [CacheKey: LoadAnswer] where Value.ID: Sendable {
        var stored: [CacheKey: LoadAnswer] = [:]
        var ids: [Value.ID] = []
        for key in call.keys {
            guard let id = key.id(as: Value.self) else { continue }
            if case .answered(let value) = need(of: id, in: table, options) {
                stored[key] = LoadAnswer(box: value.map(LoadedValue.init), wasStored: true)
            } else {
                ids.append(id)
            }
        }
        if ids.isEmpty { return stored }
        return try await request(ids, for: call, in: table, by: loader)
            .merging(stored) { answer, _ in answer }
    }

    /// Requests entities, and stores the answer.
    private func request<Value: Identifiable & Sendable>(
        _ ids: [Value.ID],
        for call: LoadCall,
        in table: Table<Value>,
        by loader: EntityLoader<Value>
    ) async throws -> [CacheKey: LoadAnswer] where Value.ID: Sendable {
        let keys = ids.map { CacheKey(Value.self, id: $0) }
        let (answers, missing) = try await underLease(call, loader.failureMemory) { scope in
            let values = try await loader.fetch(scope, ids)
            let requested = Set(ids)
            if let other = values.first(where: { !requested.contains($0.id) }) {
                throw LoadError.unexpectedEntity(CacheKey(other), requested: keys)
            }
            scope.collect(results: values)
            return values
        } store: { values, lease, store in
            let conflicts = ids.map { writeSince(lease, to: $0, in: table) }
            if store() { forgetFailures(of: values) }
            let fetched = Dictionary(values.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
            var answers: [CacheKey: LoadAnswer] = [:]
            for (index, id) in ids.enumerated() {
                let isMerged =
                    conflicts[index] == nil || table.traits.merge != nil
                    || table.traits.isOutdated != nil
                let stored = isMerged && !isClosed ? table.writtenValue(id: id) : nil
                answers[keys[index]] = LoadAnswer(
                    box: fetched[id].map { LoadedValue(stored ?? $0) },
                    conflict: conflicts[index]
                )
            }
            return (answers, keys.filter { answers[$0]?.box == nil })
        }
        remember(nil, of: call, only: missing, for: loader.failureMemory)
        return answers
    }

    // MARK: Calls

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
        store: (Response, Lease, () -> Bool) -> Result
    ) async throws -> Result {
        // Removals and invalidations after the lease's end concern the failure, too.
        if failureMemory != nil { watchLoads() }
        let lease = beginLease(of: call)
        let (response, scope): (Response, Ingestion)
        do {
            (response, scope) = try await EnclosingCall.$innermost.withValue(EnclosingCall(call)) {
                try await Ingestion.run(in: self, under: lease, fetch)
            }
        } catch {
            endLeaseSoon(lease)
            if !(error is CancellationError) { remember(error, of: call, for: failureMemory) }
            throw error
        }
        let ending = scope.endScope()
        // Entities are released after the writers' lock, since their `deinit` may run any code.
        return withExtendedLifetime((response, ending)) {
            write("load(…)") { writer in
                defer { end(lease, in: writer) }
                guard !isClosed, call.claim() else { return store(response, lease) { false } }
                return store(response, lease) {
                    scope.storeInTransaction(ending, under: lease)
                    return true
                }
            }
        }
    }
}
