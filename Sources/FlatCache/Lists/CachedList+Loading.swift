// Loading pages.
extension CachedList {
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
    /// If the list is complete and its last page has a cursor, the method requests the rows after
    /// that cursor. It returns `true` if there are any.
    ///
    /// The page is dropped if it no longer belongs at the end of the list. This is the case if the
    /// list was replaced, emptied or removed explicitly, even if it was empty before, or if another
    /// page has been merged that is a first page or changes ``next``. A call that follows such a
    /// change doesn't wait for the page, but loads the page that is then the next one. Insertions,
    /// moves and removals of single elements don't cause the page to be dropped, and neither does a
    /// first page with the identifiers and the next cursor that the list already has.
    ///
    /// While ``reload(_:)`` runs, the method waits for it, and then loads the page that follows the
    /// reloaded ones. A page that is under way when a reload begins waits as well. If the reload
    /// changes ``next``, that page is requested again.
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
    /// - Returns: `true` if the next page was merged; `false` if the list is complete and there
    ///   are no new rows, or if the page was dropped.
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
        try await loadPage(at: \.nextPlace) { try await load($0.cursor) }
    }

    /// Loads the rows before the first element, if the list has a start cursor.
    ///
    /// ```swift
    /// let books = cache.list("books", of: Book.self)
    /// try await books.loadPrevious { cursor in
    ///     print("GET /books?newerThan=\(cursor)")
    ///     return ListPage(response.books, next: nil, startCursor: "newest")
    /// }
    /// ```
    ///
    /// To poll for newer rows, call the method repeatedly. The page replaces the start cursor of
    /// the list. If the server sends an empty page without a cursor, return a page with the cursor
    /// of the request, so that the list keeps it. The page's `next` isn't used. An element that the
    /// list already contains moves to its place in the page.
    ///
    /// See ``loadNext(_:)`` for concurrent calls, cancellation and pages that are dropped.
    ///
    /// - Parameter load: A closure that requests a page. Its argument is ``startCursor``.
    /// - Returns: `true` if the page has added elements; `false` if it hasn't, if the list has no
    ///   start cursor, or if the page was dropped.
    /// - Throws: The error that the closure throws, in all calls that wait for it;
    ///   `CancellationError` if the calling task is cancelled.
    /// - Complexity: O(*n*) in the number of elements.
    @discardableResult
    public func loadPrevious(
        _ load: @escaping @Sendable (_ cursor: String) async throws -> ListPage<Element>
    ) async throws -> Bool {
        try await loadPage(at: { $0.startCursor.map { .before($0) } }) { place in
            guard let cursor = place.cursor else { throw CancellationError() }
            return try await load(cursor)
        }
    }

    /// Loads all shown pages again, and replaces them in one commit.
    ///
    /// ```swift
    /// let books = cache.list("books", of: Book.self)
    /// try await books.reload { cursor in
    ///     print("GET /books?after=\(cursor ?? "")")
    ///     return ListPage(response.books, next: "page 2")
    /// }
    /// ```
    ///
    /// The method requests one page after the other, the first one without a cursor, each other one
    /// with the new cursor of the page before. It makes as many requests as the list has pages, at
    /// least one, and fewer if the server sends the last page earlier. If the list has a start
    /// cursor, rows may have been added at its start: the method then goes on until it has as many
    /// elements as the list. Until the last page has arrived, the list doesn't change.
    ///
    /// Elements that were inserted, moved or removed since the reload began keep these edits: an
    /// element that was removed doesn't come back. One that was inserted or moved follows the
    /// nearest of its preceding neighbors that the reloaded list contains, or is the first element
    /// if there's none. A moved element that the server has removed is removed.
    ///
    /// The result is dropped if the list was meanwhile replaced, emptied or removed, or if a page
    /// was merged into it. Pages of ``loadNext(_:)`` and ``loadPrevious(_:)`` wait for the reload
    /// instead.
    ///
    /// The closure is the scope of an ingest, as in ``loadNext(_:)``. The entities of all
    /// pages are stored in the commit that replaces the pages, or dropped with them. They follow
    /// the rules of <doc:LoadingInDepth#Late-answers>. The edits of open layers remain above the
    /// reloaded list.
    ///
    /// ## Concurrency
    /// All concurrent calls share one reload, through any handle to the list: the closure of the
    /// first call requests all pages. The reload of a ``LoadingList`` waits for it and then begins.
    /// See ``loadNext(_:)`` for its task and for cancellation. A
    /// call of ``loadNext(_:)`` or ``loadPrevious(_:)`` that waits for the reload keeps it running.
    /// The closure must not load pages of the same list: it would wait for itself.
    ///
    /// - Parameter load: A closure that requests a page. Its argument is the cursor of the page, or
    ///   `nil` for the first page.
    /// - Returns: `true` if the pages were replaced, and `false` if they were dropped.
    /// - Throws: The error that the closure throws, in all calls that wait for it. An error changes
    ///   nothing. ``CursorError`` if a page has no new element and its next cursor is the requested
    ///   one or an earlier one. `CancellationError` if the calling task is cancelled.
    /// - Complexity: O(*n*) in the number of elements for each page, and O(*n* log *n*) once.
    @discardableResult
    public func reload(
        _ load: @escaping @Sendable (_ cursor: String?) async throws -> ListPage<Element>
    ) async throws -> Bool {
        checkLoading()
        return try await reload(repeatingIfEvicted: false, load)
    }

    /// Loads all shown pages again.
    ///
    /// - Parameter repeatsIfEvicted: Whether the first page is requested anew if the list was
    ///   evicted meanwhile.
    func reload(
        repeatingIfEvicted repeatsIfEvicted: Bool,
        _ load: @escaping @Sendable (_ cursor: String?) async throws -> ListPage<Element>
    ) async throws -> Bool {
        while true {
            if core.isClosed { return false }
            switch try await reload(answering: reloadRequest, load) {
            case .merged: return true
            case .outdated: continue
            case .evicted where repeatsIfEvicted: continue
            case .evicted, .unchanged, .repeated, .dropped, .reloading: return false
            }
        }
    }
}
