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

    /// The start cursor, for the rows before the first element, or `nil` if there's none.
    ///
    /// ```swift
    /// let books = cache.list("books", of: Book.self)
    /// try books.merge(ListPage(response.books, next: nil, startCursor: "newer"), after: nil)
    /// print(books.startCursor ?? "")  // newer
    /// ```
    ///
    /// The first page sets this property, and so does each page of ``loadPrevious(_:)``. Replacing
    /// or emptying the list sets it to `nil`.
    public var startCursor: String? {
        if let batch { return batch.checked { startCursor(in: $0) } }
        return storage.value?.startCursor
    }

    /// Returns the start cursor of the list in a cache, a batch or a snapshot.
    ///
    /// See ``startCursor``.
    ///
    /// - Parameter cache: The cache, the batch or the snapshot to read from.
    public func startCursor(in cache: some ReadableCache) -> String? {
        cache.get(ListState<Element>.self, id: name)?.startCursor
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

    /// Replaces the elements of the list that follow a cursor by a page, in one commit.
    ///
    /// Use this method for a page that has a start cursor, or that is the last one although it has
    /// a cursor:
    ///
    /// ```swift
    /// let books = cache.list("books", of: Book.self)
    /// let page = ListPage(response.books, next: "b", isLast: true, startCursor: "a")
    /// try books.merge(page, after: nil)
    /// ```
    ///
    /// See ``merge(_:after:next:)-(Sequence<Element>,_,_)``.
    ///
    /// - Parameters:
    ///   - page: The page.
    ///   - cursor: The cursor with which the page was requested, or `nil` if it is the first page.
    /// - Throws: ``CursorError`` if no page of the list ends at the cursor.
    /// - Complexity: O(*n*) in the number of elements before and after.
    public func merge(_ page: ListPage<Element>, after cursor: String?) throws(CursorError) {
        try merge(page, at: cursor.map { .after($0) } ?? .first)
    }

    /// Merges a page in one commit.
    ///
    /// - Parameters:
    ///   - page: The page.
    ///   - place: The place of the page.
    ///   - check: A closure that returns the outcome if the page isn't merged into a state of the
    ///     list. It's called under the writers' lock, so that no other write can follow before the
    ///     page is merged.
    ///   - storeEntities: A closure that stores the entities of the scope in which the page was
    ///     loaded, including the page's values, and returns the identifiers to merge. Without a
    ///     scope, the values are stored.
    /// - Returns: The outcome.
    @discardableResult
    func merge(
        _ page: ListPage<Element>,
        at place: PagePlace,
        unless check: (ListState<Element>) -> PageOutcome? = { _ in nil },
        storing storeEntities: (() -> [Element.ID])? = nil
    ) throws(CursorError) -> PageOutcome {
        batch?.check()
        if core.isClosed { return .dropped }
        return try core.write("merge(_:after:) of a list", asSavepoint: true) {
            writer throws(CursorError) in
            let written = writtenState
            if let outcome = check(written) { return outcome }
            let page = storeEntities.map { ListPage($0(), of: page) } ?? page
            let merged = written.merging(
                page,
                at: place,
                pinsElements: pinsElements,
                version: writer.committedVersion + 1
            )
            guard let merged else { throw cursorError(.unknown, place.cursor) }
            if storeEntities == nil, !page.values.isEmpty {
                _ = core.set(contentsOf: page.values)
            }
            if !merged.hasSameContent(as: written) { _ = core.set(merged) }
            if merged.ids.count > written.ids.count { return .merged }
            if case .before = place { return .unchanged }
            return written.isComplete && merged.isComplete ? .unchanged : .merged
        }
    }

    func cursorError(_ kind: CursorError.Kind, _ cursor: String?) -> CursorError {
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
        return storage.table.writtenValue(id: name) ?? emptyState
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
