extension CachedList {
    /// The position of the page that follows the merged pages.
    ///
    /// ```swift
    /// let books = cache.list("books", of: Book.self)
    /// if books.next != .end { print("Load more") }
    /// ```
    ///
    /// ``merge(_:after:next:)-(Sequence<Element>,_,_)`` and ``loadNext(_:)`` set this property.
    /// Editing the list doesn't change it, but ``replace(with:)``, ``replace(withIDs:)`` and
    /// ``removeAll()`` set it to ``NextPage/unknown``.
    public var next: NextPage {
        get {
            if let batch { return batch.checked { next(in: $0) } }
            return storage.value?.next ?? .unknown
        }
    }

    /// Returns the position of the next page in a cache, a batch or a snapshot.
    ///
    /// ```swift
    /// let books = cache.list("books", of: Book.self)
    /// cache.withSnapshot { snapshot in
    ///     print(books.ids(in: snapshot).count, books.next(in: snapshot))
    /// }
    /// ```
    ///
    /// - Parameter cache: The cache, the batch or the snapshot to read from.
    public func next(in cache: some ReadableCache) -> NextPage {
        cache.get(ListState<Element>.self, id: name)?.next ?? .unknown
    }

    /// Stores the values of a page as ``CacheType/set(contentsOf:)`` does and makes them the
    /// elements of the list that follow a cursor, in one commit.
    ///
    /// ```swift
    /// let books = cache.list("books", of: Book.self)
    /// try books.merge([Book(id: 1, title: "Tehanu")], after: nil, next: "page 2")
    /// try books.merge([Book(id: 2, title: "Solaris")], after: "page 2", next: nil)
    /// print(books.ids, books.next)  // [1, 2] end
    /// ```
    ///
    /// Without a cursor, the page is the first one and replaces all elements. With the cursor at
    /// which a page of the list ends, the page replaces all elements that follow that page. Usually
    /// that is the cursor of ``next``. No element follows it. An earlier cursor removes the later
    /// pages from the list, but not their elements from the cache.
    ///
    /// Each element occurs once in the list. An element that precedes the cursor keeps its
    /// position if the page contains it, too.
    ///
    /// Elements that are inserted, moved or removed between two pages don't invalidate a cursor: it
    /// follows all remaining elements of the pages before it. The cursor of ``next`` also follows
    /// the elements that are appended to the list.
    ///
    /// - Parameters:
    ///   - values: The values of the page, in their order.
    ///   - cursor: The cursor with which the page was requested, or `nil` if it is the first page.
    ///   - next: The cursor of the next page, or `nil` if the page is the last one.
    /// - Throws: ``CursorError`` if no page of the list ends at the cursor. Nothing is
    ///   stored then.
    /// - Complexity: O(*n*) in the number of elements before and after.
    public func merge(
        _ values: some Sequence<Element>,
        after cursor: String?,
        next: String?
    ) throws(CursorError) {
        // The sequence may run any code, so it's enumerated before the lock is taken.
        try merge(ListPage(values, next: next), after: cursor)
    }

    /// Makes the entities of a page the elements of the list that follow a cursor, whether or not
    /// they're stored yet.
    ///
    /// ```swift
    /// try cache.performBatchUpdates { batch in
    ///     batch.set(contentsOf: response.books)
    ///     try batch.list("books", of: Book.self)
    ///         .merge(response.books.map { Related($0) }, after: nil, next: "page 2")
    /// }
    /// ```
    ///
    /// See ``merge(_:after:next:)-(Sequence<Element>,_,_)``.
    ///
    /// - Parameters:
    ///   - references: References to the entities of the page, in their order.
    ///   - cursor: The cursor with which the page was requested, or `nil` if it is the first page.
    ///   - next: The cursor of the next page, or `nil` if the page is the last one.
    /// - Throws: ``CursorError`` if no page of the list ends at the cursor.
    /// - Complexity: O(*n*) in the number of elements before and after.
    @_disfavoredOverload
    public func merge(
        _ references: some Sequence<Related<Element>>,
        after cursor: String?,
        next: String?
    ) throws(CursorError) {
        try merge(ListPage(references, next: next), after: cursor)
    }

    /// Loads the next page and merges it, unless the list is complete.
    ///
    /// ```swift
    /// let books = cache.list("books", of: Book.self)
    /// try await books.loadNext { cursor in
    ///     print("GET /books?after=\(cursor ?? "")")
    ///     return ListPage(response.books, next: "page 2")
    /// }
    /// ```
    ///
    /// The closure is the scope of an ingest: entities that are decoded in it are stored in the
    /// commit that merges the page, and dropped with a page that is dropped. This includes the
    /// entities of a `cache.ingest` that the closure calls, unless that ingest has an `apply`
    /// closure and so makes a separate commit.
    ///
    /// All calls before the page arrives share one request, through any handle to the list: the
    /// closure of the first call runs once, and all calls return its result. When they return, the
    /// page is merged.
    ///
    /// The page is dropped if it no longer belongs at the end of the list. This is the case if the
    /// list was replaced, emptied or removed explicitly, even if it was empty before, or if another
    /// page has been merged that is a first page or changes ``next``. A call that follows such a
    /// change doesn't wait for the page, but loads the page that is then the next one. Insertions,
    /// moves and removals of single elements don't cause the page to be dropped, and neither does a
    /// first page with the identifiers and the next cursor that the list already has.
    ///
    /// ## Concurrency
    /// The closure runs in a separate task. The task inherits the priority and the task-local
    /// values of the first caller's task. It doesn't belong to the scope of an ingest around that
    /// call: that ingest could fail while other calls wait for the page. Cancelling a caller's task
    /// ends only that caller's wait. When the last caller has left, the closure's task is
    /// cancelled, and its result is dropped, unless the page is already being merged. The closure
    /// must not call this method for the same list: it would wait for itself.
    ///
    /// After the cache has been deallocated, the closure isn't called, and a page that arrives is
    /// dropped. A list that belongs to a ``CacheBatch`` can't load: calling this method is a
    /// programmer error and traps.
    ///
    /// - Parameter load: A closure that requests a page. Its argument is the cursor of ``next``, or
    ///   `nil` for the first page.
    /// - Returns: `true` if the next page was merged; `false` if the list is complete or the page
    ///   was dropped.
    /// - Throws: The error that the closure throws, in all calls that wait for it. An error changes
    ///   nothing, and the next call tries again. A `CancellationError` that the closure throws, for
    ///   example because it has cancelled its request, also reaches all of them.
    ///   ``CursorError`` if the page has no new element and its next cursor is the
    ///   requested one or an earlier one of the list. `CancellationError` if the calling task is
    ///   cancelled.
    /// - Complexity: O(*n*) in the number of elements, once for each page.
    @discardableResult
    public func loadNext(
        _ load: @escaping @Sendable (_ cursor: String?) async throws -> ListPage<Element>
    ) async throws -> Bool {
        precondition(
            batch == nil,
            "A list of a batch cannot load pages: call loadNext(_:) of the cache's list."
        )
        while true {
            let request = nextRequest
            if core.isClosed || request.next == .end { return false }
            switch try await answer(request, load) {
            case .merged: return true
            case .dropped: return false
            case .outdated: continue
            case .repeated:
                throw cursorError(.repeated, request.next.cursor)
            }
        }
    }

    /// Loads and merges a requested page, or waits for the call that loads it.
    @usableFromInline
    func answer(
        _ request: PageRequest,
        _ load: @escaping @Sendable (_ cursor: String?) async throws -> ListPage<Element>
    ) async throws -> PageOutcome {
        try await core.pageLoads.output(for: request) { [self] call in
            let lease = core.beginLease(of: call)
            defer { core.endLeaseSoon(lease) }
            // The page may have arrived between the caller's read and the start of this task.
            guard nextRequest == request else { return .outdated }
            // A list that only layers have isn't stored.
            let access = _CacheAccess(core, .latest)
            let wasStored = access.confirmedValue(of: ListState<Element>.self, id: name) != nil
            let cursor = request.next.cursor
            let (page, scope) = try await Ingestion.run(in: core, under: lease) { _ in
                try await load(cursor)
            }
            scope.collect(results: page.values)
            let ending = scope.endScope()
            let entities = { [self] page in
                scope.storeInTransaction(ending, under: lease)
                return core.withoutRemoved(page, of: name, since: lease, in: table)
            }
            // Entities are released after the writers' lock, since their `deinit` may run any code.
            return try withExtendedLifetime(ending) {
                try merge(page, after: cursor, answering: request, storing: entities) {
                    let isStored = storage.table.writtenValue(id: name) != nil
                    let hasRestarted =
                        core.isRemoved(name, from: storage.table, since: lease)
                        || wasStored && !isStored
                    return !hasRestarted && call.claim()
                }
            }
        }
    }

    /// The request for the next page, as of the latest commit.
    @usableFromInline var nextRequest: PageRequest {
        let current = storage.value
        return PageRequest(
            list: storage.key,
            beginning: current?.beginning ?? 0,
            next: current?.next ?? .unknown
        )
    }

    /// Merges a page in one commit.
    ///
    /// - Parameter request: The request that the page answers. If the list no longer matches it,
    ///   the page is dropped. Without a request, any page is merged.
    /// - Parameter storeEntities: A closure that stores the entities of the scope in which the page
    ///   was loaded, including the page's values, and returns the page to merge. Without a scope,
    ///   the values are stored.
    /// - Parameter claim: A closure that returns `false` if no call waits for the page, or if the
    ///   list has restarted since the request. The page is then dropped with its entities. It's
    ///   called under the writers' lock, so that no restart can follow before the page is merged.
    /// - Returns: The outcome: merged, dropped or repeated.
    @discardableResult
    @usableFromInline
    func merge(
        _ page: ListPage<Element>,
        after cursor: String?,
        answering request: PageRequest? = nil,
        storing storeEntities: ((ListPage<Element>) -> ListPage<Element>)? = nil,
        _ claim: () -> Bool = { true }
    ) throws(CursorError) -> PageOutcome {
        batch?.check()
        if core.isClosed { return .dropped }
        return try core.write("merge(_:after:next:) of a list", asSavepoint: true) {
            writer throws(CursorError) in
            let written = writtenState
            if let request {
                guard written.matches(request), claim() else { return .dropped }
                if written.repeats(page.ids, next: page.next) { return .repeated }
            }
            let page = storeEntities?(page) ?? page
            let merged = written.merging(
                page.ids,
                after: cursor,
                next: page.next,
                pinsElements: pinsElements,
                version: writer.committedVersion + 1
            )
            guard let merged else { throw cursorError(.unknown, cursor) }
            if storeEntities == nil, !page.values.isEmpty {
                _ = core.set(contentsOf: page.values)
            }
            if !merged.hasSameContent(as: written) { _ = core.set(merged) }
            return .merged
        }
    }

    private func cursorError(_ kind: CursorError.Kind, _ cursor: String?) -> CursorError {
        CursorError(
            kind: kind,
            cursor: cursor ?? "",
            listName: name,
            elementType: "\(Element.self)"
        )
    }

    /// The state with the writes of the open transaction so far.
    @usableFromInline var writtenState: ListState<Element> {
        if storage.table.isGuarded { storage.table.uncover(name) }
        return storage.table.writtenValue(id: name)
            ?? ListState(id: name, ids: [], pinsElements: pinsElements)
    }

    /// Stores values and makes entities the elements of the list, without pages, in one commit.
    @usableFromInline
    func restart(_ operation: StaticString, storing values: [Element] = [], ids: [Element.ID]) {
        batch?.check()
        if core.isClosed { return }
        core.write(operation, asSavepoint: true) { writer in
            if !values.isEmpty { _ = core.set(contentsOf: values) }
            let restarted = ListState<Element>(
                id: name,
                ids: ids,
                pinsElements: pinsElements,
                beginning: writer.committedVersion + 1
            )
            if !restarted.hasSameContent(as: writtenState) { _ = core.set(restarted) }
            core.recordRestart(of: name, in: storage.table)
        }
    }
}
