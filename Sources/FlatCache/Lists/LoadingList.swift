/// A list that reloads its shown pages while it's observed, and loads further ones.
///
/// ```swift
/// let feed = cache.list("feed", of: Book.self).loading(staleAfter: .seconds(60)) { cursor in
///     print("GET /feed?after=\(cursor ?? "")")
///     return ListPage(response.books, next: "page 2")
/// }
/// let observation = feed.observe(initial: true) { books in print(books.map(\.title)) }
/// try await feed.loadNext()
/// ```
///
/// ``CachedList/loading(staleAfter:_:)`` creates handles. While at least one observation of the
/// list lasts, through any handle, the cache reloads all shown pages if the list has never been
/// loaded, is stale or was invalidated, as ``CachedList/reload(_:)`` does. The lifetime counts from
/// the last reload: neither edits of the list nor changes of its elements renew it. One reload
/// serves all observations, calls the closure of the newest one, and is repeated after a pause if
/// it fails.
///
/// The reload is a request, see ``CachedRequest``: ``Cache/requests`` lists it as ``requestName``.
///
/// If the result of a reload is dropped, because the list was emptied or replaced meanwhile, the
/// list counts as reloaded.
///
/// ## Concurrency
/// As for ``CachedRequest``.
public struct LoadingList<Element: Identifiable & Sendable>: Sendable where Element.ID: Sendable {
    /// The list, to read and to edit.
    public let list: CachedList<Element>

    private let request: CachedRequest<ReloadedList<Element>>
    private let load: @Sendable (_ cursor: String?) async throws -> ListPage<Element>

    fileprivate init(
        _ list: CachedList<Element>,
        _ staleness: CacheStaleness<ReloadedList<Element>>,
        _ load: @escaping @Sendable (_ cursor: String?) async throws -> ListPage<Element>
    ) {
        self.list = list
        self.load = load
        let core = list.core
        // Two types may have the same name in different scopes.
        let requestName = "list \(list.name) of \(String(reflecting: Element.self))"
        let loader = core.requestLoader(
            requestName,
            staleness,
            rememberingFailures: nil,
            apply: nil
        ) {
            // A reload that is running may have asked the server before an invalidation that has
            // begun this call.
            try await list.waitForReload()
            _ = try await list.reload(repeatingIfEvicted: true, load)
            return ReloadedList(name: list.name, unpinned: list.pinsElements ? [] : list.ids)
        }
        request = CachedRequest(name: requestName, core: core, loader: loader)
    }

    /// The name of the request that ``Cache/requests`` lists, such as `list feed of Shop.Book`.
    public var requestName: String { request.name }

    /// The values of the existing elements.
    ///
    /// - Complexity: O(*n*) in the number of elements.
    public var elements: [Element] { list.elements }

    /// The position of the page that follows the shown pages.
    public var next: NextPage { list.next }

    /// The progress of the reload.
    public var loadState: LoadState { request.loadState }

    /// The progress of ``loadNext()``.
    ///
    /// After an error, the state is ``LoadState/failed(_:nextAttempt:)`` without a next attempt,
    /// until the method is called again or the last observation ends.
    public var nextLoadState: LoadState {
        list.core.loading(ofRequest: request.name)?.state.withLock(\.next.state) ?? .idle
    }

    /// The freshness of the list: missing before the first reload, and then fresh or stale.
    public var freshness: Freshness { request.freshness }

    /// Reloads all shown pages.
    ///
    /// If a reload is running, the method waits for it.
    ///
    /// - Throws: The errors of ``CachedList/reload(_:)``.
    public func reload() async throws { try await request.reload() }

    /// Loads and merges the next page, unless the list is complete.
    ///
    /// - Returns: `true` if the next page was merged; `false` if the list is complete or the page
    ///   was dropped.
    /// - Throws: The errors of ``CachedList/loadNext(_:)``.
    @discardableResult
    public func loadNext() async throws -> Bool {
        let loading = list.core.beginHold(ofRequest: request.name)
        defer { list.core.endHold(loading) }
        loading.recordNextLoad(1)
        do {
            let isMerged = try await list.loadNext(load)
            loading.recordNextLoad(-1)
            return isMerged
        } catch {
            loading.recordNextLoad(-1, failing: error)
            throw error
        }
    }

    /// Makes the list stale, so that it's reloaded.
    ///
    /// See ``Cache/invalidate(request:)``.
    public func invalidate() { request.invalidate() }
}

extension LoadingList: LoadingSource {
    /// The values of the existing elements: ``elements``.
    public var state: [Element] { list.elements }

    /// The progress of the reload, to observe and to await.
    ///
    /// Observers are also called when ``nextLoadState`` changes.
    public var loadStates: LoadStates { request.loadStates }

    /// Reloads the list while the observation lasts, and calls a closure after each commit that
    /// changes the list or anything that an element refers to.
    public func _observe(
        initial: Bool,
        delivery: CacheDelivery,
        _ receive: @escaping @Sendable (StateNotification<[Element]>) -> Void
    ) -> Disposable {
        request.load(
            during: list._observe(initial: initial, delivery: delivery, receive),
            holding: .none
        )
    }

    /// Reloads the list while the observation lasts, and calls a closure with each change to the
    /// list or to anything that an element refers to.
    public func _observeChanges(
        delivery: CacheDelivery,
        _ receive: @escaping @Sendable (ListChange<Element>) -> Void
    ) -> Disposable {
        request.load(
            during: list._observeChanges(delivery: delivery, receive),
            holding: .none
        )
    }
}

extension LoadingList: CustomStringConvertible {
    /// The kind of the handle, and the name and the type of its list.
    ///
    /// For example, `LoadingList "feed" of Book`.
    public var description: String {
        "LoadingList \(String(reflecting: list.name)) of \(Element.self)"
    }
}

extension CachedList {
    /// Returns a handle that reloads the shown pages of the list while it's observed.
    ///
    /// ```swift
    /// let feed = cache.list("feed", of: Book.self).loading(staleAfter: .seconds(60)) { cursor in
    ///     print("GET /feed?after=\(cursor ?? "")")
    ///     return ListPage(response.books, next: "page 2")
    /// }
    /// ```
    ///
    /// The first observation loads the first page. See ``LoadingList``.
    ///
    /// - Parameters:
    ///   - lifetime: The time for which the list is fresh after a reload. By default, it remains
    ///     fresh until it's invalidated. With zero, the list is reloaded whenever an observation
    ///     begins.
    ///   - load: A closure that requests a page. Its argument is the cursor of the page, or `nil`
    ///     for the first page.
    public func loading(
        staleAfter lifetime: Duration? = nil,
        _ load: @escaping @Sendable (_ cursor: String?) async throws -> ListPage<Element>
    ) -> LoadingList<Element> {
        checkLoading()
        return LoadingList(self, lifetime.map { .after($0) } ?? .never, load)
    }
}

/// The response of the request that reloads a list: a reference to the list.
///
/// If the list is evicted, or an element of the reload that the list doesn't pin, the response is
/// evicted with it, so that the list is loaded again.
struct ReloadedList<Element: Identifiable & Sendable>: Codable, Equatable, Sendable
where Element.ID: Sendable {
    private enum CodingKeys: CodingKey {
        case name
    }

    let name: String
    /// The identifiers of the elements that the list doesn't pin.
    var unpinned: [Element.ID] = []
}

extension ReloadedList: CachedReference {
    func insertCacheKeys(into keys: inout Set<CacheKey>) {
        keys.insert(CacheKey(ListState<Element>.self, id: name))
        for id in unpinned { keys.insert(CacheKey(Element.self, id: id)) }
    }
}
