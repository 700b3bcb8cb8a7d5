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
    /// Makes a request while an observation lasts.
    ///
    /// - Parameters:
    ///   - observation: The observation. While it lasts, the response must be watched, so that the
    ///     commits that change it notify the loading of the request.
    ///   - loader: The loader of the observation.
    /// - Returns: The token that ends the observation.
    func load(
        request name: String,
        by loader: EntityLoader<RequestState>,
        during observation: Disposable
    ) -> Disposable {
        let number = nextRegistration()
        let (loading, isFirst) = withLoading(ofRequest: name) { state in
            state.loaders[number] = loader
            return state.progress.beginObservation()
        }
        noteInsertion(of: loading)
        if mayAskSources, loadPauseCount.load(ordering: .relaxed) > 0 {
            // Loads are paused, but the response in the file is shown.
            Task.detached { try? await loader.restore?() }
        }
        return loading.load(during: observation, numbered: number, isFirst: isFirst)
    }

    /// Returns the loading that all observations of a request share, or creates it.
    ///
    /// The cache keeps it at least until `endHold(_:)`.
    func beginHold(ofRequest name: String) -> HandleLoading<RequestState> {
        withLoading(ofRequest: name) { $0.holdCount += 1 }.loading
    }

    func endHold(_ loading: HandleLoading<RequestState>) {
        loading.state.withLock { $0.holdCount -= 1 }
        loading.forgetUnlessObserved()
    }

    /// Changes the state of a request's loading, which is created and listed if necessary.
    private func withLoading<Result>(
        ofRequest name: String,
        _ body: (inout HandleLoading<RequestState>.State) -> Result
    ) -> (loading: HandleLoading<RequestState>, result: Result) {
        let table = requests
        return observedLoads.withLock { loads in
            if let known = loads.requests[name] { return (known, known.state.withLock(body)) }
            let options = LoadOptions<RequestState>(policy: .cacheFirst, requirement: nil)
            let loading = HandleLoading(name, in: table, of: self, options)
            loads.insert(loading)
            let result = loading.state.withLock { state in
                // Calls that began before the loading existed end with it.
                state.progress.callCount = loads.callCount(ofRequest: name)
                return body(&state)
            }
            return (loading, result)
        }
    }

    /// Returns the loading of a request that's observed or held.
    func loading(ofRequest name: String) -> HandleLoading<RequestState>? {
        observedLoads.withLock { $0.requests[name] }
    }

    /// The table of requests, if the open transaction has written it.
    var writtenRequests: Table<RequestState>? {
        // Set before the first response is stored, so that other commits look for no table.
        guard requestLimits.load(ordering: .relaxed),
            let table = tables.existingTable(of: RequestState.self), table.isRecordedAsWritten
        else { return nil }
        return table
    }

    /// Returns the notifications of the loadings of observed requests whose responses a commit has
    /// changed.
    ///
    /// The commit must have been published: an observation that begins later looks at its result.
    func requestNotifications(for version: UInt64) -> [CommitNotification] {
        guard let table = writtenRequests else { return [] }
        return table.changedEntries(version).compactMap { entry in
            guard table.node(of: entry) != .none,
                let loading = loading(ofRequest: table[entry].pointee.id)
            else { return nil }
            let change = table.entityChange(of: entry, causes: nil, version: version)
            return CommitNotification(number: .max, .action { loading.record(change) })
        }
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
        names.formUnion(observed.keys)
        names.formUnion(loads.allKeys.compactMap { $0.id(as: RequestState.self) })
        let now = policies.timeline.now
        return names.sorted().map { name in
            let arrival = states[name]?.arrival
            return RequestStatus(
                name: name,
                loadState: loadState(ofRequest: name),
                freshness: freshness(ofRequest: name),
                age: arrival.map { .nanoseconds(now.nanoseconds(since: $0)) },
                isObserved: observed[name]?.isObserved ?? false
            )
        }
    }

    /// Returns the progress of a request, whether it's observed or not.
    func loadState(ofRequest name: String) -> LoadState {
        if let loading = loading(ofRequest: name) { return loading.loadState }
        // Later callers don't join a call after an invalidation.
        let isRunning =
            loads.isRunning(CacheKey(RequestState.self, id: name))
            || observedLoads.withLock { $0.callCount(ofRequest: name) > 0 }
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
