extension Cache {
    /// Returns a handle to the response of a request.
    ///
    /// ```swift
    /// let page = cache.request("books?page=2", staleAfter: .seconds(60)) {
    ///     try await api.page(2)
    /// }
    /// let observation = page.observe(initial: true) { page in print(page.books.count) }
    /// ```
    ///
    /// While the handle is observed, the cache makes the request when the response is missing or
    /// stale: see ``CachedRequest``. Creating a handle makes no request, and is cheap.
    ///
    /// The function is the scope of an ingest: its result and all entities that are decoded in it
    /// are stored in one commit with the response. The closure `apply` makes further writes of that
    /// commit:
    ///
    /// ```swift
    /// let feed = cache.request("feed") {
    ///     try await api.page(1)
    /// } apply: { batch, page in
    ///     batch.list("feed", of: Book.self).replace(withIDs: page.books.map(\.id))
    /// }
    /// ```
    ///
    /// The cache calls it only if it keeps the response. If other code has changed or removed a
    /// list, an alias or an entity since the call began, that change remains: see
    /// <doc:LoadingInDepth#Late-answers>.
    ///
    /// ## Concurrency
    /// The method waits for no other thread. The function runs in a separate task, as described by
    /// ``load(_:id:policy:requiring:rememberingFailures:_:)``, and must not load the same request.
    /// `apply` runs under the writers' lock, as the closure of
    /// ``CacheType/performBatchUpdates(_:)`` does.
    ///
    /// - Parameters:
    ///   - name: The name of the request. All requests with a name have responses of one type;
    ///     another type is a programmer error and traps.
    ///   - staleness: The rule by which the response becomes stale. A time counts from the end of
    ///     the call. By default, the response remains fresh until it's invalidated or removed. With
    ///     `staleAfter: .at { $0.expires }`, it's fresh until an instant that it contains.
    ///   - fetch: A closure that makes the request.
    ///   - apply: A closure that makes further writes of the commit that stores a response, or
    ///     `nil` if there are none. If it throws an error, nothing is stored, and the call fails.
    public func request<Response: Sendable>(
        _ name: String,
        staleAfter staleness: CacheStaleness<Response> = .never,
        _ fetch: @escaping @Sendable () async throws -> Response,
        apply: (@Sendable (CacheBatch, Response) throws -> Void)? = nil
    ) -> CachedRequest<Response> {
        let loader = core.requestLoader(
            name,
            staleness,
            rememberingFailures: nil,
            apply: apply,
            fetch
        )
        return CachedRequest(name: name, core: core, loader: loader)
    }

    /// The requests that are stored, observed or running, ordered by name.
    ///
    /// They include the requests of loading lists: see ``LoadingList/requestName``.
    ///
    /// ```swift
    /// // A pull to refresh loads everything that's shown.
    /// for request in cache.requests where request.isObserved {
    ///     cache.invalidate(request: request.name)
    /// }
    /// ```
    ///
    /// - Complexity: O(*n* log *n*) in the number of requests.
    public var requests: [RequestStatus] { core.requestStatuses }

    /// Keeps observations from loading until a token ends.
    ///
    /// ```swift
    /// let pause = cache.pauseLoads()  // The app moves to the background.
    /// pause.dispose()  // It returns.
    /// ```
    ///
    /// Until then, loading handles, requests and loading lists don't load because they're observed.
    /// Calls that are running continue, and a method that loads, such as ``CachedRequest/load()``,
    /// isn't affected. A failed load isn't repeated: after the time of its next attempt, it's
    /// ``LoadState/failed(_:nextAttempt:)`` without one. A durable graph still restores what an
    /// observation needs. After the last token has ended, the cache makes each load that an
    /// observation would have begun, once, if it's still needed.
    ///
    /// - Returns: A token that ends the pause when it is disposed of or deallocated.
    /// - Complexity: O(*n*) in the number of observed loading handles and requests, when the token
    ///   ends.
    public func pauseLoads() -> Disposable { core.pauseLoads() }

    /// Returns the response of a request, after making the request if no response is fresh.
    ///
    /// ```swift
    /// let page = try await cache.load("books?page=2", staleAfter: .seconds(60)) {
    ///     try await api.page(2)
    /// }
    /// ```
    ///
    /// Use a request for a response that isn't an entity, such as a page, a set of search results
    /// or a setting, and ``optimistically(_:isolation:_:confirm:apply:)`` to send a change. To show
    /// the response on a screen, observe a handle of ``request(_:staleAfter:_:apply:)`` instead.
    ///
    /// The entities that are decoded in the closure are stored in one commit with the response. The
    /// cache keeps the response while it's fresh, and five minutes longer for
    /// ``LoadPolicy/staleWhileRevalidate``, or as long as the request is observed.
    /// ``CacheType/removeAll()`` removes it. Unless the request is observed, ``trim(to:)`` and
    /// ``pruneUnobservedValues()`` remove it as well, and so does the eviction of one of its
    /// entities.
    ///
    /// See ``load(_:id:policy:requiring:rememberingFailures:_:)`` for concurrent loads, late
    /// answers and cancellation. If the request is invalidated while its response is loaded, the
    /// response is returned but not kept.
    ///
    /// - Parameters:
    ///   - request: The name of the request. All loads with a name have responses of one type;
    ///     another type is a programmer error and traps.
    ///   - staleness: The rule by which the response becomes stale. By default, it remains fresh
    ///     until it's invalidated or removed.
    ///   - policy: The rule by which the load uses the stored response.
    ///   - failureMemory: The time for which an error is remembered. Until then, loads throw it
    ///     again instead of repeating the request.
    ///   - fetch: A closure that makes the request.
    ///   - apply: A closure that makes further writes of the commit that stores the response, or
    ///     `nil` if there are none. See ``request(_:staleAfter:_:apply:)``.
    /// - Returns: The response.
    /// - Throws: The error that a closure throws, in all loads that wait for it;
    ///   ``LoadError/missingResponse(request:)`` with ``LoadPolicy/cacheOnly`` if no response is
    ///   stored; ``LoadError/cycle(_:)`` in a closure that would wait for itself;
    ///   `CancellationError` if the calling task is cancelled.
    public func load<Response: Sendable>(
        _ request: String,
        staleAfter staleness: CacheStaleness<Response> = .never,
        policy: LoadPolicy = .cacheFirst,
        rememberingFailures failureMemory: Duration? = nil,
        _ fetch: @escaping @Sendable () async throws -> Response,
        apply: (@Sendable (CacheBatch, Response) throws -> Void)? = nil
    ) async throws -> Response {
        let loader = core.requestLoader(
            request,
            staleness,
            rememberingFailures: failureMemory,
            apply: apply,
            fetch
        )
        return try await core.load(request, policy, by: loader)
    }

    /// Returns the freshness of a request's response: missing, fresh or stale.
    ///
    /// ```swift
    /// if case .stale(let since) = cache.freshness(ofRequest: "books?page=2") {
    ///     print("The page is out of date for \(since.duration(to: cache.now)).")
    /// }
    /// ```
    ///
    /// The result follows the clock, like ``ReadableCache/freshness(of:id:)``. A response that has
    /// been stale for five minutes is missing, unless the request is observed.
    ///
    /// - Parameter request: The name of the request.
    public func freshness(ofRequest request: String) -> Freshness {
        core.freshness(ofRequest: request)
    }

    /// Makes the response of a request stale, if there is one.
    ///
    /// ```swift
    /// cache.invalidate(request: "books?page=2")
    /// ```
    ///
    /// If the request is observed, it's made again at once, and otherwise by the next load or
    /// observation. A response that is being loaded is returned to its callers, but not kept. The
    /// freshness of the entities in the response doesn't change.
    ///
    /// ## Concurrency
    /// Waits for other writers. Inside a batch's closure, on the same thread, it joins the batch.
    ///
    /// - Parameter request: The name of the request.
    public func invalidate(request: String) { core.invalidate(request: request) }

    /// Makes the responses of the requests whose names have a prefix stale, in one commit.
    ///
    /// ```swift
    /// cache.invalidate(requestsWithPrefix: "books?")
    /// ```
    ///
    /// See ``invalidate(request:)``.
    ///
    /// - Parameter prefix: The prefix of the names.
    /// - Complexity: O(*n*) in the number of requests that are stored or running.
    public func invalidate(requestsWithPrefix prefix: String) {
        core.invalidate(requestsWithPrefix: prefix)
    }
}
