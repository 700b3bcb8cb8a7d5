import Synchronization

extension CacheCore {
    var requests: Table<RequestState> { tables.table(of: RequestState.self) }

    func load<Response: Sendable>(
        _ name: String,
        _ policy: LoadPolicy,
        by loader: EntityLoader<RequestState>
    ) async throws -> Response {
        let table = requests
        let known = table.value(id: name, hash: table.hash(of: name), at: nil)
        // A different response type is an error even if it comes from another load.
        _ = known?.response(as: Response.self)
        if mayAskSources, policy != .networkOnly, known == nil { try await loader.restore?() }
        let options = LoadOptions<RequestState>(policy: policy, requirement: nil)
        let states = try await loadWithoutSources([name], in: table, options, by: loader)
        guard let state = states[name] else { throw LoadError.missingResponse(request: name) }
        return state.response(as: Response.self)
    }

    /// Creates the loader of a request.
    ///
    /// - Parameters:
    ///   - name: The name of the request.
    ///   - staleness: The rule by which the response becomes stale.
    ///   - failureMemory: The time for which an error is remembered, or `nil` if it isn't.
    ///   - apply: A closure that makes further writes of the commit that stores a response.
    ///   - fetch: A closure that makes the request.
    func requestLoader<Response: Sendable>(
        _ name: String,
        _ staleness: CacheStaleness<Response>,
        rememberingFailures failureMemory: Duration?,
        apply: (@Sendable (CacheBatch, Response) throws -> Void)?,
        _ fetch: @escaping @Sendable () async throws -> Response
    ) -> EntityLoader<RequestState> {
        staleness.rule.checkClock(policies.timeline, "become stale")
        var loader = EntityLoader<RequestState>(rememberingFailures: failureMemory) {
            [self] scope, _ in
            limitRequests()
            let response = try await fetch()
            scope.collectEntities(in: response)
            let state = RequestState(
                id: name,
                number: nextRegistration(),
                response: response,
                responseType: Response.self,
                relatedKeys: scope.relatedKeys(of: response),
                arrival: policies.timeline.now,
                staleFrom: staleness.rule.end(of: response, on: policies.timeline)
            )
            var answer = LoadedEntities([state])
            if let apply {
                answer.write = { [self] lease in
                    try write(under: lease) { try apply($0, response) }
                }
            }
            return answer
        }
        loader.restore = { [self] in try await askSource(forResponseOf: name, as: Response.self) }
        return loader
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

// The observed requests.
extension CacheCore {
    /// Returns the loading that all observations of a request share, or creates it.
    ///
    /// The cache keeps it at least until `endHold(_:)`.
    func beginHold(ofRequest name: String) -> HandleLoading<RequestState> {
        let key = CacheKey(RequestState.self, id: name)
        let table = requests
        let options = LoadOptions<RequestState>(policy: .cacheFirst, requirement: nil)
        return observedLoads.withLock { loads in
            let known = loads.request(key)
            let loading =
                known ?? HandleLoading(name, in: table, of: self, options, isRequest: true)
            loading.state.withLock { state in
                state.holdCount += 1
                // Calls that began before the loading existed end with it.
                if known == nil { state.progress.callCount = loads.callCount(of: key) }
            }
            loads.insert(loading, of: key)
            return loading
        }
    }

    func endHold(_ loading: HandleLoading<RequestState>) {
        loading.state.withLock { $0.holdCount -= 1 }
        loading.forgetUnlessObserved()
    }

    /// Returns the loading of a request that's observed or held.
    func loading(ofRequest name: String) -> HandleLoading<RequestState>? {
        let key = CacheKey(RequestState.self, id: name)
        return observedLoads.withLock { $0.request(key) }
    }

    func storedRequest(_ name: String) -> RequestState? {
        isClosed ? nil : get(RequestState.self, id: name)
    }

    /// The requests that are stored, observed or running, ordered by name.
    var requestStatuses: [RequestStatus] {
        if isClosed { return [] }
        var states: [String: RequestState] = [:]
        _CacheAccess(self, .latest).forEachValue(of: RequestState.self) { states[$0] = $1 }
        var names = Set(states.keys)
        let observed = observedLoads.withLock(\.requests)
        names.formUnion(observed.map(\.id))
        names.formUnion(loads.allKeys.compactMap { $0.id(as: RequestState.self) })
        let observedNames = Set(observed.filter(\.isObserved).map(\.id))
        let now = policies.timeline.now
        return names.sorted().map { name in
            let arrival = states[name]?.arrival
            return RequestStatus(
                name: name,
                loadState: loadState(ofRequest: name),
                freshness: freshness(ofRequest: name),
                age: arrival.map { .nanoseconds(now.nanoseconds(since: $0)) },
                isObserved: observedNames.contains(name)
            )
        }
    }

    /// Returns the progress of a request, whether it's observed or not.
    func loadState(ofRequest name: String) -> LoadState {
        if let loading = loading(ofRequest: name) { return loading.loadState }
        let key = CacheKey(RequestState.self, id: name)
        // Later callers don't join a call after an invalidation.
        let isRunning =
            loads.isRunning(key) || observedLoads.withLock { $0.callCount(of: key) > 0 }
        return isRunning ? .loading : .idle
    }

    /// Keeps observations from loading until the token ends.
    func pauseLoads() -> Disposable {
        loadPauseCount.add(1, ordering: .sequentiallyConsistent)
        return Disposable { [self] in
            let rest = loadPauseCount.subtract(1, ordering: .sequentiallyConsistent).newValue
            if rest > 0 { return }
            for load in observedLoads.withLock({ $0.loads(in: .all) }) { load.resume() }
        }
    }
}
