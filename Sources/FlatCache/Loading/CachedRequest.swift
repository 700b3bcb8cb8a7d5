/// A handle that loads the response of a request while it's observed.
///
/// ```swift
/// let page = cache.request("books?page=2", staleAfter: .seconds(60)) {
///     try await api.page(2)
/// }
/// let observation = page.observe(initial: true) { page in print(page.books.count) }
/// ```
///
/// ``Cache/request(_:staleAfter:_:apply:)`` creates handles. The cache stores a response under the
/// name of its request, so all handles with a name show the same response and the same progress.
/// The name determines the type of the response, and everything that the function captures: if the
/// function depends on a page or a filter, so must the name.
///
/// While at least one observation of the request lasts, through any handle, the cache makes the
/// request if the response is missing, stale or invalidated: when an observation begins, and
/// whenever the response becomes stale. One call serves all observations, and it calls the function
/// of the newest one. A failed call is repeated after a pause, as by a handle of
/// ``Cached/loading(_:requiring:)``. The lifetime counts from the end of a call, so a request with
/// a lifetime is repeated in that interval while it's observed.
///
/// The response refers to the entities that its function has decoded or collected, as a list does
/// to its elements: an observer is called when one of them changes, and they aren't evicted while
/// the request is observed. A response that is a ``CachedReference``, or that adopts
/// ``HasCachedRelationships``, also refers to the entities that it names by bare identifiers. If
/// one of the entities is evicted later, the response is evicted, too. If one of them is removed,
/// the response remains.
///
/// A handle keeps neither the response nor the cache in memory. See <doc:Requests>.
///
/// ## Concurrency
/// Any thread can use a handle, and several threads can use it at once. The cache retains the
/// function as long as an observation or a call of the handle lasts. The calls that observations
/// make inherit neither priority nor task-local values.
public struct CachedRequest<Response: Sendable>: Sendable {
    /// The name of the request.
    public let name: String

    let core: CacheCore
    let loader: EntityLoader<RequestState>

    /// The stored response, stale or not, or `nil` until it's loaded.
    ///
    /// Entities that the response contains by value are as old as the response. Read the current
    /// ones from the cache, or use ``map(_:)-((Response,QueryReader)->Output?)``.
    ///
    /// ## Concurrency
    /// A read waits for no writer. Inside a batch's closure, it returns the response before the
    /// batch.
    public var value: Response? { response(in: core.storedRequest(name)) }

    /// The progress of the calls for the response.
    ///
    /// All handles with the name share it. While any call runs, it's ``LoadState/loading``. If an
    /// observed request has failed, it's ``LoadState/failed(_:nextAttempt:)`` until the next call
    /// begins.
    public var loadState: LoadState { core.loadState(ofRequest: name) }

    /// The freshness of the response: missing, fresh or stale, and since when.
    ///
    /// Observers aren't called if only the freshness changes.
    public var freshness: Freshness { core.freshness(ofRequest: name) }

    /// Returns the response, after making the request if no response is fresh.
    ///
    /// ```swift
    /// let page = cache.request("books?page=2") { try await api.page(2) }
    /// try await page.load()  // ahead of the screen that observes the request
    /// ```
    ///
    /// If a call for the response is running, the method waits for its answer. Otherwise, it calls
    /// the function of this handle. See
    /// ``Cache/load(_:staleAfter:policy:rememberingFailures:_:apply:)`` for cancellation and late
    /// answers.
    ///
    /// - Returns: The response.
    /// - Throws: The error of the function or of `apply`; ``LoadError/cycle(_:)`` in a closure that
    ///   would wait for itself; `CancellationError` if the calling task is cancelled.
    @discardableResult
    public func load() async throws -> Response {
        try await core.load(name, .cacheFirst, by: loader)
    }

    /// Returns a response from the server, whether or not a fresh one is stored.
    ///
    /// For example, call it when the user pulls to refresh. If a call for the response is running,
    /// the method waits for its answer. ``loadState`` doesn't keep the error of the method.
    ///
    /// - Returns: The response.
    /// - Throws: The errors of ``load()``.
    @discardableResult
    public func reload() async throws -> Response {
        try await core.load(name, .networkOnly, by: loader)
    }

    /// Makes the response stale, so that it's loaded again.
    ///
    /// See ``Cache/invalidate(request:)``.
    public func invalidate() { core.invalidate(request: name) }

    private func response(in state: RequestState?) -> Response? {
        state?.response(as: Response.self)
    }
}

extension CachedRequest: LoadingSource {
    /// The response that observers receive.
    public typealias Present = Response
    /// A change from one response to the next one, or to an entity of the response.
    public typealias Change = ValueChange<Response?>

    /// The stored response: ``value``.
    public var state: Response? { value }

    /// Returns the response.
    public static func present(_ state: Response?) -> Response? { state }

    /// The progress of the request, to observe and to await.
    ///
    /// Observing the progress alone makes no request.
    public var loadStates: LoadStates { LoadStates(RequestProgress(core: core, name: name)) }

    /// Makes the request while the observation lasts, and calls a closure after each commit that
    /// changes the response or an entity of it.
    ///
    /// If another response is equal and no entity has changed, there's no call. Responses that
    /// aren't `Equatable` always count as changed.
    public func _observe(
        initial: Bool,
        delivery: CacheDelivery,
        _ receive: @escaping @Sendable (StateNotification<Response?>) -> Void
    ) -> Disposable {
        observe(initial: initial ? .always : .never, delivery) { [self] change in
            receive(.known(response(in: change.new)))
        }
    }

    /// Makes the request while the observation lasts, and calls a closure with each change of the
    /// response or of its entities.
    public func _observeChanges(
        delivery: CacheDelivery,
        _ receive: @escaping @Sendable (ValueChange<Response?>) -> Void
    ) -> Disposable {
        observe(initial: .never, delivery) { [self] change in
            receive(ValueChange(old: response(in: change.old), new: response(in: change.new)))
        }
    }

    private func observe(
        initial: CacheCore.InitialCall,
        _ delivery: CacheDelivery,
        _ receive: @escaping @Sendable (EntityChange<RequestState>) -> Void
    ) -> Disposable {
        let observation = core.observe(
            name,
            in: core.requests,
            initial: initial,
            following: .allRelationships,
            wantsCauses: true,
            delivery: delivery
        ) { if $0.concernsObservers { receive($0) } }
        return core.load(request: name, by: loader, during: observation)
    }

    /// Makes the request while an observation of something else lasts.
    ///
    /// - Parameters:
    ///   - observation: The observation.
    ///   - depth: The entities of the response that the observation holds.
    func load(during observation: Disposable, holding depth: RelationshipDepth) -> Disposable {
        let watch = core.observe(
            name,
            in: core.requests,
            initial: .never,
            following: depth,
            wantsCauses: false,
            delivery: .inline
        ) { _ in }
        let both = Disposable(stopping: observation.dispose) { watch.dispose() }
        return core.load(request: name, by: loader, during: both)
    }

    /// Returns a projection of the response to a value that a closure computes.
    ///
    /// ```swift
    /// let first = cache.request("books?ids=1,2") { try await api.books([1, 2]) }
    ///     .map { books, cache in books.first.flatMap { cache.get(Book.self, id: $0.id) } }
    /// print(first.value?.title ?? "not here yet")
    /// ```
    ///
    /// While you observe the projection, the cache makes the request as for the handle. It computes
    /// the value again in each commit that changes the response or an entity that the closure has
    /// read. See ``Cached/map(_:)-((Value,QueryReader)->Output?)``.
    ///
    /// - Parameter transform: A closure that returns the value. It may read entities from its
    ///   second argument.
    /// - Returns: A projection whose value is `nil` while there's no response.
    public func map<Output: Equatable & Sendable>(
        _ transform: @escaping @Sendable (Response, QueryReader) -> Output?
    ) -> CachedProjection<Output?, ValueChange<Output?>> {
        projection(usesReader: true, transform)
    }

    /// Returns a projection of the response to a value that depends on the response alone.
    ///
    /// - Parameter transform: A closure that returns the value.
    /// - Returns: A projection whose value is `nil` while there's no response.
    public func map<Output: Equatable & Sendable>(
        _ transform: @escaping @Sendable (Response) -> Output?
    ) -> CachedProjection<Output?, ValueChange<Output?>> {
        projection(usesReader: false) { response, _ in transform(response) }
    }

    private func projection<Output: Equatable & Sendable>(
        usesReader: Bool,
        _ transform: @escaping @Sendable (Response, QueryReader) -> Output?
    ) -> CachedProjection<Output?, ValueChange<Output?>> {
        Cached<RequestState>(id: name, core: core)
            .projection(
                usesReader: usesReader,
                // The projection itself holds only the entities that it has read.
                loading: { load(during: $0, holding: .levels(1)) }
            ) { state, reader in
                transform(state.response(as: Response.self), reader)
            }
    }
}

extension CachedRequest: CustomStringConvertible {
    /// The kind of the handle and the name of its request.
    ///
    /// For example, `CachedRequest "books?page=2"`.
    public var description: String { "CachedRequest \(String(reflecting: name))" }
}

extension EntityChange<RequestState> {
    /// `true` if the response differs from the one before, or an entity of it has changed.
    ///
    /// Observers aren't called if only the time of the response or its staleness has changed.
    fileprivate var concernsObservers: Bool {
        switch kind {
        case .inserted, .removed, .related: return true
        case .updated, .becameStale:
            if let old, let new, kind == .updated, !old.hasEqualResponse(to: new) {
                return true
            }
            return causes.contains { $0 != key }
        }
    }
}

/// The progress of a request.
///
/// It refers to the request by name, since the request's `HandleLoading` exists only while it's
/// observed.
private struct RequestProgress: ReportedLoad {
    let core: CacheCore
    let name: String

    var key: CacheKey { CacheKey(RequestState.self, id: name) }
    var loadState: LoadState { core.loadState(ofRequest: name) }

    func observe(
        initial: Bool,
        delivery: CacheDelivery,
        _ body: @escaping @Sendable (LoadState) -> Void
    ) -> Disposable {
        let loading = core.beginHold(ofRequest: name)
        defer { core.endHold(loading) }
        return loading.observe(initial: initial, delivery: delivery, body)
    }
}

/// The status of a request at one moment, as ``Cache/requests`` lists it.
///
/// ```swift
/// for request in cache.requests where request.freshness.isStale {
///     print(request.name, request.age ?? .zero)
/// }
/// ```
public struct RequestStatus: Sendable {
    /// The name of the request.
    public let name: String
    /// The progress of the calls for the response.
    public let loadState: LoadState
    /// The freshness of the response, missing if there's none.
    public let freshness: Freshness
    /// The time since the response arrived, or `nil` if there's none or its age is unknown.
    public let age: Duration?
    /// A Boolean value that indicates whether the request is observed.
    public let isObserved: Bool
}
