import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

// The calls of a list, and those that its model expects.
extension ReloadRun {
    private var isReloading: Bool {
        guard let reload, let call = calls[.reload] else { return false }
        return call.restarts == restarts && reload.base.beginning == model.list(0).beginning
    }

    private var waiting: [Kind] {
        [.next, .previous].filter { kind in
            guard let call = calls[kind] else { return false }
            if case .requested = call.phase { return false }
            return true
        }
    }

    func start(_ kind: Kind) async -> String? {
        guard calls[kind] == nil else { return nil }
        // A first page that waits for a reload, too, would decide whether there's a start cursor.
        if kind == .previous, calls[.next]?.request?.place == .first { return nil }
        operations.append("start \(kind)")
        settleRequests()
        let task = Task { [list, server] in
            switch kind {
            case .next: try await list.loadNext { try await server.request($0) }
            case .previous: try await list.loadPrevious { try await server.request($0) }
            case .reload: try await list.reload { try await server.request($0) }
            }
        }
        calls[kind] = Call(phase: .waiting, restarts: restarts, task: task)
        if kind == .reload {
            let key = list.reloadRequest
            model.perform(.reload(list: 0))
            reload = Reload(base: model.list(0), key: key)
            return await expectRequest(nil, of: .reload)
        }
        if isReloading, let reload {
            counts.add("waited for a reload")
            let count = waiting.count + (calls[.reload]?.isLeft ?? true ? 0 : 1)
            let hasJoined = await until(limit: modelStepTime) {
                cache.core.pageLoads.waiterCount(for: reload.key) == count
            }
            return hasJoined ? nil : "\(kind) doesn't wait for the reload."
        }
        return await begin(kind)
    }

    /// Makes the request of a call that doesn't wait.
    private func begin(_ kind: Kind) async -> String? {
        let request = model.request(0, isPrevious: kind == .previous)
        if request.place == .none { return await expect(false, of: kind) }
        calls[kind]?.request = request
        calls[kind]?.restarts = restarts
        return await expectRequest(request.place.cursor, of: kind)
    }

    /// Expects the request of a call for a cursor.
    private func expectRequest(_ cursor: String?, of kind: Kind) async -> String? {
        let count = requestCount
        let hasArrived = await until(limit: modelStepTime) {
            server.cursors[count...].contains(cursor)
        }
        guard hasArrived, let index = server.cursors[count...].firstIndex(of: cursor) else {
            return "\(kind) doesn't request \(cursor ?? "-"): \(server.cursors)"
        }
        calls[kind]?.phase = .requested(index)
        return nil
    }

    /// Notes that all requests of a step have been found.
    private func settleRequests() { requestCount = server.cursors.count }

    private func expect(_ result: Bool?, of kind: Kind) async -> String? {
        guard let call = calls.removeValue(forKey: kind) else { return nil }
        if call.isLeft { return nil }
        let found = try? await call.task.value
        return found == result
            ? nil
            : "\(kind) returns \(String(describing: found)), not \(String(describing: result))"
    }

    func answer(_ kind: Kind, isFailing: Bool) async -> String? {
        guard let call = calls[kind], case .requested(let index) = call.phase else { return nil }
        settleRequests()
        if isFailing {
            operations.append("fail \(kind)")
            counts.add("failed")
            server.fail(index, Failure())
            if let problem = await expect(nil, of: kind) { return problem }
            return kind == .reload ? await endReload() : nil
        }
        let page = page(kind)
        operations.append("answer \(kind) \(page)")
        server.answer(index, page.page(asValues: true))
        if kind == .reload { return await answerReload(page) }
        if call.restarts == restarts, isReloading, let reload, isCurrent(call, kind) {
            counts.add("held")
            calls[kind]?.phase = .held(page)
            let count = waiting.count + (calls[.reload]?.isLeft ?? true ? 0 : 1)
            let hasJoined = await until(limit: modelStepTime) {
                cache.core.pageLoads.waiterCount(for: reload.key) == count
            }
            return hasJoined ? nil : "\(kind) doesn't hold its page."
        }
        return await merge(page, of: kind, orElse: false)
    }

    private func isCurrent(_ call: Call, _ kind: Kind) -> Bool {
        call.request == model.request(0, isPrevious: kind == .previous)
    }

    /// Merges a page that has arrived, drops it, or requests another one.
    ///
    /// - Parameter requestsAgain: `true` if the page has waited for a reload.
    private func merge(
        _ page: NaivePage,
        of kind: Kind,
        orElse requestsAgain: Bool
    ) async -> String? {
        guard let call = calls[kind] else { return nil }
        if call.restarts != restarts { return await expect(false, of: kind) }
        guard isCurrent(call, kind), let request = call.request else {
            if !requestsAgain { return await expect(false, of: kind) }
            counts.add("requested again")
            return await begin(kind)
        }
        let old = model.list(0)
        if kind == .previous {
            model.perform(.request(list: 0, previous: true))
            model.perform(.answer(list: 0, page))
            return await expect(model.list(0).ids.count > old.ids.count, of: kind)
        }
        if old.repeats(page, at: request.place) {
            counts.add("repeated")
            return await expect(nil, of: kind)
        }
        model.perform(.merge(list: 0, page, asValues: true, after: request.place.cursor))
        let new = model.list(0)
        let isPoll = old.isComplete && new.isComplete
        if isPoll { counts.add("polled the end") }
        return await expect(!isPoll || new.ids.count > old.ids.count, of: kind)
    }

    private func answerReload(_ page: NaivePage) async -> String? {
        guard var reload, let call = calls[.reload] else { return nil }
        let place = reload.fresh.cursors.last.map { NaivePages.Place.after($0) } ?? .first
        if reload.fresh.repeats(page, at: place) {
            counts.add("repeated in a reload")
            if let problem = await expect(nil, of: .reload) { return problem }
            return await endReload()
        }
        try? NaivePages.merge(page, at: place, in: &reload.fresh, 0)
        reload.pages.append(page)
        self.reload = reload
        let (base, list) = (reload.base, model.list(0))
        let pageCount = max(1, base.cursors.count + (base.isComplete && !base.keepsCursor ? 1 : 0))
        let isShorter = base.startCursor != nil && reload.fresh.ids.count < base.ids.count
        let fits = list.beginning == base.beginning && list.hasSamePages(as: base)
        if !reload.fresh.isComplete, reload.pages.count < pageCount || isShorter, fits {
            counts.add("another page of a reload")
            return await expectRequest(reload.fresh.cursors.last, of: .reload)
        }
        let isApplied = fits && call.restarts == restarts
        counts.add(isApplied ? "reloaded" : "dropped reload")
        if isApplied { model.perform(.finishReload(list: 0, reload.pages)) }
        if let problem = await expect(isApplied, of: .reload) { return problem }
        return await endReload()
    }

    /// Continues the calls that have waited for the reload.
    private func endReload() async -> String? {
        reload = nil
        for kind in waiting {
            guard let call = calls[kind] else { continue }
            var problem: String?
            switch call.phase {
            case .waiting: problem = await begin(kind)
            case .held(let page): problem = await merge(page, of: kind, orElse: true)
            case .requested: break
            }
            if let problem { return problem }
        }
        return nil
    }

    func cancel(_ kind: Kind) async -> String? {
        guard let call = calls[kind], !call.isLeft else { return nil }
        operations.append("cancel \(kind)")
        counts.add("cancelled")
        settleRequests()
        call.task.cancel()
        let result = await call.task.result
        guard case .failure(let error) = result, error is CancellationError else {
            return "\(kind) isn't cancelled: \(result)"
        }
        if kind == .reload, !waiting.isEmpty {
            counts.add("kept by a page that waits")
            calls[.reload]?.isLeft = true
            return nil
        }
        calls[kind] = nil
        if kind == .reload { reload = nil }
        if calls[.reload]?.isLeft ?? false, waiting.isEmpty {
            calls[.reload] = nil
            reload = nil
        }
        return nil
    }
}
