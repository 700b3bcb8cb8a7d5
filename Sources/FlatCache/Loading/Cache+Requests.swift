extension Cache {
    /// Returns the response of a named request, after making the request if no response is fresh.
    ///
    /// ```swift
    /// let page = try await cache.load("books?page=2", staleAfter: .seconds(60)) {
    ///     try await api.page(2)
    /// }
    /// ```
    ///
    /// Use a request for a response that isn't an entity, such as a page, a set of search results
    /// or a setting, and ``optimistically(_:isolation:_:confirm:apply:)`` to send a change. The
    /// entities that are decoded in the closure are stored in one commit with the response. The
    /// cache keeps the response while it's fresh, and five minutes longer for
    /// ``LoadPolicy/staleWhileRevalidate``. ``CacheType/removeAll()`` removes it, and
    /// ``trim(to:)`` and ``pruneUnobservedValues()`` treat it as a value that isn't in use. It
    /// doesn't keep its entities from eviction.
    ///
    /// See ``load(_:id:policy:requiring:rememberingFailures:_:)`` for concurrent loads, late
    /// answers and cancellation. If the request is invalidated while its response is loaded, the
    /// response is returned but not kept.
    ///
    /// - Parameters:
    ///   - request: The name of the request. All loads with a name have responses of one type;
    ///     another type is a programmer error and traps.
    ///   - lifetime: The time for which the response remains fresh, or `nil` if it remains fresh
    ///     until it's invalidated or removed.
    ///   - policy: The rule by which the load uses the stored response.
    ///   - failureMemory: The time for which an error is remembered. Until then, loads throw it
    ///     again instead of repeating the request.
    ///   - fetch: A closure that makes the request.
    /// - Returns: The response.
    /// - Throws: The error that the closure throws, in all loads that wait for it;
    ///   ``LoadError/missingResponse(request:)`` with ``LoadPolicy/cacheOnly`` if no response is
    ///   stored; ``LoadError/cycle(_:)`` in a closure that would wait for itself;
    ///   `CancellationError` if the calling task is cancelled.
    public func load<Response: Sendable>(
        _ request: String,
        staleAfter lifetime: Duration? = nil,
        policy: LoadPolicy = .cacheFirst,
        rememberingFailures failureMemory: Duration? = nil,
        _ fetch: @escaping @Sendable () async throws -> Response
    ) async throws -> Response {
        try await core.load(
            request,
            staleAfter: lifetime,
            policy,
            rememberingFailures: failureMemory,
            fetch
        )
    }

    /// Returns the freshness of a request's response: missing, fresh or stale.
    ///
    /// ```swift
    /// if case .stale(let since) = cache.freshness(ofRequest: "books?page=2") {
    ///     print("The page is out of date for \(since.duration(to: cache.now)).")
    /// }
    /// ```
    ///
    /// The answer follows the clock, like ``ReadableCache/freshness(of:id:)``. A stale response is
    /// missing after five minutes.
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
    /// Only the next load makes the request again. A response that is being loaded is returned to
    /// its callers, but not kept. The freshness of the entities in the response doesn't change.
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
