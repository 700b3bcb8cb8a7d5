import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

// Pages that are loaded beside a reload.
extension CachedListReloadingTests {
    private struct Failure: Error, Equatable {}

    /// Starts a call of `loadNext(_:)`.
    private func loadNext() -> Task<Bool, any Error> {
        Task { [list, server] in try await list.loadNext { try await server.request($0) } }
    }

    /// Waits until some callers wait for the reload.
    private func untilWaiting(_ count: Int) async -> Bool {
        let request = list.reloadRequest
        return await until { cache.core.pageLoads.waiterCount(for: request) == count }
    }

    @Test func nextPageFollowsTheReloadThatRuns() async throws {
        try mergeTwoPages()
        let reload = await reload()
        let next = loadNext()
        #expect(await untilWaiting(2))
        await answer([9, 1], next: "B")
        server.answer(1, [2, 3], next: "C")
        #expect(try await reload.value)
        #expect(await until { server.cursors == [nil, "B", "C"] })
        end([3, 4], next: nil)
        #expect(try await next.value)
        #expect(list.ids == [9, 1, 2, 3, 4])
        #expect(list.next == .end)
    }

    @Test func nextPageIsLoadedAfterAReloadThatFails() async throws {
        try mergeTwoPages()
        let reload = await reload()
        let next = loadNext()
        #expect(await untilWaiting(2))
        server.fail(0, Failure())
        await #expect(throws: Failure()) { try await reload.value }
        #expect(await until { server.cursors == [nil, "c"] })
        end([5], next: nil)
        #expect(try await next.value)
        #expect(list.ids == [1, 2, 3, 4, 5])
    }

    @Test func nextPageIsLoadedAfterAReloadThatARestartEnds() async throws {
        try mergeTwoPages()
        let reload = await reload()
        cache.removeAll()
        let next = loadNext()
        #expect(await until { server.cursors == [nil, nil] })
        end([6], next: nil)
        #expect(try await next.value)
        server.answer(0, [1], next: "B")
        #expect(try await reload.value == false)
        #expect(list.ids == [6])
    }

    @Test func cancelledCallStopsWaitingForTheReload() async throws {
        try mergeTwoPages()
        let reload = await reload()
        let next = loadNext()
        #expect(await untilWaiting(2))
        next.cancel()
        await #expect(throws: CancellationError.self) { try await next.value }
        await answer([1], next: "B")
        end([2], next: "C")
        #expect(try await reload.value)
        #expect(server.cursors == [nil, "B"])
    }

    /// Starts a call of `loadNext(_:)` and a reload, and answers the page, which then waits.
    private func loadNextBeforeReload() async throws -> [Task<Bool, any Error>] {
        try mergeTwoPages()
        let next = loadNext()
        #expect(await until { server.cursors == ["c"] })
        let reload = await reload()
        server.answer(0, ListPage([Book(id: 5)], next: "d"))
        #expect(await untilWaiting(2))
        #expect(list.ids == [1, 2, 3, 4])
        return [next, reload]
    }

    @Test func pageUnderWayIsRequestedAgainAfterAReload() async throws {
        let calls = try await loadNextBeforeReload()
        await answer([9, 1], next: "B")
        server.answer(2, [2, 3], next: "C")
        #expect(try await calls[1].value)
        #expect(await until { server.cursors == ["c", nil, "B", "C"] })
        #expect(cache[Book.self, 5] == nil)
        end([4, 5], next: nil)
        #expect(try await calls[0].value)
        #expect(list.ids == [9, 1, 2, 3, 4, 5])
    }

    @Test func pageUnderWayIsMergedIfTheReloadFails() async throws {
        let calls = try await loadNextBeforeReload()
        server.fail(1, Failure())
        await #expect(throws: Failure()) { try await calls[1].value }
        #expect(try await calls[0].value)
        #expect(server.cursors == ["c", nil])
        #expect(list.ids == [1, 2, 3, 4, 5])
        #expect(list.next == .after("d"))
    }

    @Test func pageUnderWayIsMergedIfTheReloadChangesNothing() async throws {
        let calls = try await loadNextBeforeReload()
        await answer([1, 2], next: "b")
        end([3, 4], next: "c")
        for call in calls { #expect(try await call.value) }
        #expect(server.cursors == ["c", nil, "b"])
        #expect(list.ids == [1, 2, 3, 4, 5])
    }

    @Test func pageUnderWayIsDroppedIfTheListIsEmptiedMeanwhile() async throws {
        let calls = try await loadNextBeforeReload()
        cache.removeAll()
        server.answer(1, [1], next: "B")
        for call in calls { #expect(try await call.value == false) }
        #expect(server.cursors == ["c", nil])
        #expect(list.ids == [])
        #expect(cache[Book.self, 5] == nil)
        #expect(await until { cache.hasForgottenLoads })
    }

    @Test func cancelledPageStopsWaitingForTheReload() async throws {
        let calls = try await loadNextBeforeReload()
        calls[0].cancel()
        await #expect(throws: CancellationError.self) { try await calls[0].value }
        await answer([1], next: "B")
        end([2], next: "C")
        #expect(try await calls[1].value)
        #expect(list.ids == [1, 2])
        #expect(await until { cache.hasForgottenLoads })
    }

    @Test func previousRowsFollowTheReloadThatRuns() async throws {
        try list.merge(ListPage([Book(id: 1)], next: nil, startCursor: "p"), after: nil)
        let previous = Task { [list, server] in
            try await list.loadPrevious { try await server.request($0) }
        }
        #expect(await until { server.cursors == ["p"] })
        let reload = await reload()
        server.answer(0, ListPage([Book(id: 0)], next: nil, startCursor: "o"))
        #expect(await untilWaiting(2))
        server.answer(1, ListPage([Book(id: 0), Book(id: 1)], next: nil, startCursor: "q"))
        #expect(try await reload.value)
        #expect(await until { server.cursors == ["p", nil, "q"] })
        server.answer(2, ListPage([Book(id: -1)], next: nil, startCursor: "r"))
        #expect(try await previous.value)
        #expect(list.ids == [-1, 0, 1])
        #expect(list.startCursor == "r")
    }
}
