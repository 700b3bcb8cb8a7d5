import Synchronization

extension CacheCore {
    private var requests: Table<RequestState> { tables.table(of: RequestState.self) }

    func load<Response: Sendable>(
        _ name: String,
        staleAfter lifetime: Duration?,
        _ policy: LoadPolicy,
        rememberingFailures failureMemory: Duration?,
        _ fetch: @escaping @Sendable () async throws -> Response
    ) async throws -> Response {
        let table = requests
        let key = CacheKey(RequestState.self, id: name)
        let options = LoadOptions<RequestState>(policy: policy, requirement: nil)
        let operation: LoadOperation = { [self] call in
            // Another call may have stored a response since.
            if case .answered(let state?) = need(of: name, in: table, options) {
                return [key: state.answer]
            }
            return try await makeCall(call, of: name, lifetime, failureMemory, fetch)
        }
        if mayAskSources, policy != .networkOnly, known(name, in: table) == nil {
            try await askSource(forResponseOf: name, as: Response.self)
        }
        switch need(of: name, in: table, options) {
        case .answered(let state?): return state.response(as: Response.self)
        case .answered(nil): throw LoadError.missingResponse(request: name)
        case .background(let state):
            let response = state.response(as: Response.self)
            if loadFailure(of: key) == nil {
                EnclosingCalls.withoutCalls { loads.start([key], operation) }
            }
            return response
        case .load: break
        }
        if policy != .networkOnly, let error = loadFailure(of: key)?.error { throw error }
        // A different response type is an error even if it comes from another load.
        _ = known(name, in: table)?.response(as: Response.self)
        let answer = try await answer(to: key, policy, knowing: nil, gathering: nil) { _ in
            true
        } by: {
            operation
        }
        guard let response = answer?.box as? LoadedValue<Response> else {
            RequestState.reportOtherType(
                answer?.responseType ?? Never.self,
                Response.self,
                of: name
            )
        }
        return response.value
    }

    private func known(_ name: String, in table: Table<RequestState>) -> RequestState? {
        table.value(id: name, hash: table.hash(of: name), at: nil)
    }

    private func makeCall<Response: Sendable>(
        _ call: LoadCall,
        of name: String,
        _ lifetime: Duration?,
        _ failureMemory: Duration?,
        _ fetch: @escaping @Sendable () async throws -> Response
    ) async throws -> [CacheKey: LoadAnswer] {
        limitRequests()
        let table = requests
        return try await underLease(call, failureMemory) { scope in
            let response = try await fetch()
            scope.collectEntities(in: response)
            return response
        } store: { response, lease, store in
            let box = LoadedValue(response)
            let conflict = writeSince(lease, to: name, in: table)
            let isStored = store()
            if isStored { changeLoadFailures { $0.forget(call.keys[0]) } }
            if isStored, conflict == nil {
                let state = RequestState(
                    id: name,
                    response: box,
                    responseType: Response.self,
                    staleFrom: lifetime.map { policies.timeline.now.advanced(by: $0.nanoseconds) }
                )
                _ = self.store(state, merging: false, in: table, writer)
            }
            let answer = LoadAnswer(
                box: box,
                responseType: Response.self,
                conflict: conflict
            )
            return [call.keys[0]: answer]
        }
    }

    /// Sets the lifetimes of requests, before the first one is stored.
    func limitRequests() {
        let table = requests
        if requestLimits.load(ordering: .acquiring) { return }
        let clock = policies.timeline.instantType
        limit(
            table,
            .unlimited,
            CacheStaleness(rule: .at(TimeDate(instantType: clock, time: \.staleFrom))),
            CacheExpiration(rule: .at(TimeDate(instantType: clock, time: \.end)))
        )
        // Several threads may get here. Each sets the lifetimes before it stores a response.
        requestLimits.store(true, ordering: .releasing)
    }

    func freshness(ofRequest name: String) -> Freshness { freshness(of: name, in: requests) }

    /// Invalidates the stored response of a request, and its running load.
    ///
    /// The method stores the response again with the present time as the beginning of its
    /// staleness, from which the time of its removal follows. An invalidation as of other entities
    /// would make the response stale, but wouldn't bring its removal forward.
    func invalidate(request name: String) {
        let table = requests
        let now = policies.timeline.now
        write("invalidate(request:)") { writer in
            if mustRecordWithdrawals { recordWithdrawal(.invalidation, of: name, in: table) }
            guard let state = table.writtenValue(id: name) else { return }
            let stale = state.stale(from: now)
            if stale.staleFrom != state.staleFrom {
                _ = store(stale, merging: false, in: table, writer)
            }
        }
    }

    /// Invalidates the stored responses and the running loads of the requests whose names have a
    /// prefix, in one commit.
    func invalidate(requestsWithPrefix prefix: String) {
        let table = requests
        write("invalidate(requestsWithPrefix:)") { writer in
            let stored = table.writtenIDs { $0.hasPrefix(prefix) }
            let loading = loads.allKeys.compactMap { $0.id(as: RequestState.self) }
            for name in stored + loading.filter({ $0.hasPrefix(prefix) }) {
                invalidate(request: name)
            }
            recordInvalidation(ofRequestsWithPrefix: prefix)
        }
    }
}

extension Table {
    /// Returns the identifiers for which a closure returns `true`, including those of values that
    /// the open transaction has written.
    fileprivate func writtenIDs(where isChosen: (Value.ID) -> Bool) -> [Value.ID] {
        var ids: [Value.ID] = []
        forEachWrittenValue { id, _ in if isChosen(id) { ids.append(id) } }
        return ids
    }
}
