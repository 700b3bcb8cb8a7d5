// The requests of a list for its pages.
extension CachedList {
    func checkLoading() {
        precondition(
            batch == nil,
            "A list of a batch cannot load pages: use the list of the cache."
        )
    }

    /// Loads and merges the page at a place, unless there's no such place.
    ///
    /// - Parameters:
    ///   - place: A closure that returns the place in a state of the list.
    ///   - load: A closure that requests the page.
    func loadPage(
        at place: (ListState<Element>) -> PagePlace?,
        _ load: @escaping @Sendable (PagePlace) async throws -> ListPage<Element>
    ) async throws -> Bool {
        checkLoading()
        while true {
            try await waitForReload()
            guard !core.isClosed, let request = request(at: place) else { return false }
            switch try await answer(request, load) {
            case .merged: return true
            case .unchanged, .dropped, .evicted: return false
            case .outdated, .reloading: continue
            case .repeated: throw cursorError(.repeated, request.place.cursor)
            }
        }
    }

    /// Returns the request for a page as of the latest commit, or `nil` if the page doesn't exist.
    func request(at place: (ListState<Element>) -> PagePlace?) -> PageRequest? {
        let state = latestState
        return place(state).map { place in
            PageRequest(list: storage.key, beginning: state.beginning, place: place)
        }
    }

    /// The request for all pages, as of the latest commit.
    var reloadRequest: PageRequest {
        PageRequest(list: storage.key, beginning: latestState.beginning, place: .all)
    }

    private var latestState: ListState<Element> { storage.value ?? emptyState }

    var emptyState: ListState<Element> {
        ListState(id: name, ids: [], pinsElements: pinsElements)
    }

    /// The state without the edits of layers, or `nil` if only layers have the list.
    private var confirmedState: ListState<Element>? {
        _CacheAccess(core, .latest).confirmedValue(of: ListState<Element>.self, id: name)
    }

    /// Waits for the running reload, if there is one, whatever its outcome.
    func waitForReload() async throws {
        _ = try? await core.pageLoads.outputOfPresentCall(for: reloadRequest)
        try Task.checkCancellation()
    }

    // MARK: Answers

    /// Loads and merges a requested page, or waits for the call that loads it.
    func answer(
        _ request: PageRequest,
        _ load: @escaping @Sendable (PagePlace) async throws -> ListPage<Element>
    ) async throws -> PageOutcome {
        try await core.pageLoads.output(for: request) { [self] call in
            let lease = core.beginLease(of: call)
            defer { core.endLeaseSoon(lease) }
            // The page may have arrived between the caller's read and the start of this task.
            guard latestState.matches(request) else { return .outdated }
            let wasStored = confirmedState != nil
            let (page, scope) = try await Ingestion.run(in: core, under: lease) { _ in
                try await load(request.place)
            }
            scope.collect(results: page.values)
            let ending = scope.endScope()
            // Entities are released after the writers' lock, since their `deinit` may run any code.
            defer { withExtendedLifetime(ending) {} }
            var mismatch = PageOutcome.dropped
            while true {
                let outcome = try merge(page, at: request.place) { written in
                    if hasRestarted(since: lease, wasStored: wasStored) { return .dropped }
                    guard written.matches(request) else { return mismatch }
                    if core.pageLoads.hasCall(for: request.ofAllPages) { return .reloading }
                    if written.repeats(page, at: request.place) { return .repeated }
                    return call.claim() ? nil : .dropped
                } storing: { [self] in
                    scope.storeInTransaction(ending, under: lease)
                    return core.withoutRemoved(page.ids, of: name, since: lease, in: table)
                }
                guard outcome == .reloading else { return outcome }
                // A reload takes the list as it was when it began, so no page may be merged before
                // it ends. After it, the page may follow other elements than those it was requested
                // for.
                mismatch = .outdated
                try await waitForReload()
            }
        }
    }

    /// Returns whether the list was replaced, emptied or removed since a lease has begun, under the
    /// writers' lock.
    private func hasRestarted(since lease: Lease, wasStored: Bool) -> Bool {
        core.isRemoved(name, from: storage.table, since: lease)
            || wasStored && storage.table.writtenValue(id: name) == nil
    }

    /// Loads and applies all pages, or waits for the call that loads them.
    func reload(
        answering request: PageRequest,
        _ load: @escaping @Sendable (_ cursor: String?) async throws -> ListPage<Element>
    ) async throws -> PageOutcome {
        try await core.pageLoads.output(for: request) { [self] call in
            let lease = core.beginLease(of: call)
            defer { core.endLeaseSoon(lease) }
            guard latestState.matches(request) else { return .outdated }
            let (pages, scope) = try await Ingestion.run(in: core, under: lease) { scope in
                try await reloadedPages(in: scope, load)
            }
            let ending = scope.endScope()
            return withExtendedLifetime(ending) {
                if core.isClosed { return .dropped }
                return core.write("reload(_:) of a list", asSavepoint: true) { _ in
                    let isApplied = apply(pages, since: lease) {
                        guard call.claim() else { return false }
                        scope.storeInTransaction(ending, under: lease)
                        return true
                    }
                    if isApplied { return .merged }
                    let isEvicted = pages.base != nil && confirmedState == nil
                    let isRemoved = core.isRemoved(name, from: storage.table, since: lease)
                    return isEvicted && !isRemoved ? .evicted : .dropped
                }
            }
        }
    }

    /// Requests as many pages as the list shows, one after the other, in the scope of an ingest.
    ///
    /// The lease under which the pages are applied must have begun.
    ///
    /// - Throws: The error of the closure, or ``CursorError``.
    func reloadedPages(
        in scope: Ingestion,
        _ load: @Sendable (_ cursor: String?) async throws -> ListPage<Element>
    ) async throws -> ReloadedPages<Element> {
        let base = confirmedState
        let shown = base ?? emptyState
        var state = emptyState
        var place = PagePlace.first
        for pageCount in 1... {
            let page = try await load(place.cursor)
            scope.collect(results: page.values)
            if state.repeats(page, at: place) { throw cursorError(.repeated, place.cursor) }
            guard
                let longer = state.merging(
                    page,
                    at: place,
                    pinsElements: pinsElements,
                    version: 0
                )
            else { throw cursorError(.unknown, place.cursor) }
            state = longer
            // Pages that were added at the start aren't counted, but their elements are shown.
            let isShorter = shown.startCursor != nil && state.ids.count < shown.ids.count
            guard !state.isComplete, pageCount < shown.pageCount || isShorter,
                let next = state.nextPlace,
                // Otherwise, the pages won't be applied.
                (confirmedState ?? emptyState).continues(shown)
            else { break }
            try Task.checkCancellation()
            place = next
        }
        return ReloadedPages(base: base, state: state)
    }

    /// Replaces the pages of the list by reloaded ones in the open transaction, and makes the edits
    /// in them that were made to the list since the reload began.
    ///
    /// - Parameters:
    ///   - pages: The pages.
    ///   - lease: A lease that had begun before the first page was requested.
    ///   - storeEntities: A closure that stores the entities of the pages. It's called only if the
    ///     list was neither replaced nor removed since the reload began and has the same pages. It
    ///     returns `false` if the pages mustn't be applied.
    /// - Returns: Whether the pages were applied.
    func apply(
        _ pages: ReloadedPages<Element>,
        since lease: Lease,
        storing storeEntities: () -> Bool
    ) -> Bool {
        let written = writtenState
        let base = pages.base ?? emptyState
        guard !hasRestarted(since: lease, wasStored: pages.base != nil),
            written.continues(base), storeEntities()
        else { return false }
        var state = pages.state
        let ids = core.withoutRemoved(state.ids, of: name, since: lease, in: table)
        if ids.count < state.ids.count { state = state.edited(to: ids, pinsElements: pinsElements) }
        let reloaded = state.reloaded(
            from: base,
            editedTo: written,
            version: core.writer.committedVersion + 1
        )
        if !reloaded.hasSameContent(as: written) { _ = core.set(reloaded) }
        return true
    }
}

/// The pages of a reload that aren't applied to the list yet.
struct ReloadedPages<Element: Identifiable & Sendable>: Sendable where Element.ID: Sendable {
    /// The state of the list when the reload began, without the edits of layers, or `nil` if it
    /// wasn't stored.
    let base: ListState<Element>?
    /// The list that consists of the pages.
    let state: ListState<Element>
}
