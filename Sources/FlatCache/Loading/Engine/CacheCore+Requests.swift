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
        let known = table.value(id: name, hash: table.hash(of: name), at: nil)
        // A different response type is an error even if it comes from another load.
        _ = known?.response(as: Response.self)
        if mayAskSources, policy != .networkOnly, known == nil {
            try await askSource(forResponseOf: name, as: Response.self)
        }
        let loader = EntityLoader<RequestState>(rememberingFailures: failureMemory) {
            [self] scope, _ in
            limitRequests()
            let response = try await fetch()
            scope.collectEntities(in: response)
            let state = RequestState(
                id: name,
                response: response,
                responseType: Response.self,
                staleFrom: lifetime.map { policies.timeline.now.advanced(by: $0.nanoseconds) }
            )
            return LoadedEntities([state])
        }
        let options = LoadOptions<RequestState>(policy: policy, requirement: nil)
        let states = try await loadWithoutSources([name], in: table, options, by: loader)
        guard let state = states[name] else { throw LoadError.missingResponse(request: name) }
        return state.response(as: Response.self)
    }

    /// Sets the lifetimes of requests, before the first one is stored.
    func limitRequests() {
        let table = requests
        if requestLimits.load(ordering: .acquiring) { return }
        let clock = policies.timeline.instantType
        limit(
            table,
            .unlimited,
            CacheStaleness(rule: .at(OwnTime(instantType: clock) { _ in \.staleFrom })),
            CacheExpiration(rule: .at(OwnTime(instantType: clock) { _ in \.end }))
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
