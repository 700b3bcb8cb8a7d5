import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

// Concurrent, failing and cancelled calls of a reload.
extension CachedListReloadingTests {
    private struct Failure: Error, Equatable {}

    @Test func concurrentCallsShareOneReload() async throws {
        try mergeTwoPages()
        let request = list.reloadRequest
        let first = await reload()
        let other = cache.list("list", of: Book.self)
        let second = Task { [server] in try await other.reload { try await server.request($0) } }
        #expect(await until { cache.core.pageLoads.waiterCount(for: request) == 2 })
        await answer([1], next: "B")
        end([2], next: "C")
        #expect(try await first.value)
        #expect(try await second.value)
        #expect(server.cursors == [nil, "B"])
        // A later call reloads again.
        let third = await reload()
        await answer([3], next: "B")
        end([4], next: "C")
        #expect(try await third.value)
        #expect(list.ids == [3, 4])
    }

    @Test func errorReachesAllCallsAndChangesNothing() async throws {
        try mergeTwoPages()
        let version = cache.version
        let request = list.reloadRequest
        let first = await reload()
        let second = Task { [list, server] in
            try await list.reload { try await server.request($0) }
        }
        #expect(await until { cache.core.pageLoads.waiterCount(for: request) == 2 })
        server.answer(0, ListPage([Book(id: 77)], next: "B"))
        #expect(await until { server.cursors.count == 2 })
        server.fail(1, Failure())
        for call in [first, second] { await #expect(throws: Failure()) { try await call.value } }
        #expect(cache.version == version)
        let third = await reload()
        await answer([1], next: "B")
        end([2], next: "C")
        #expect(try await third.value)
        #expect(list.ids == [1, 2])
    }

    @Test func lastCancelledCallCancelsTheReload() async throws {
        try mergeTwoPages()
        let request = list.reloadRequest
        let first = await reload()
        let second = Task { [list, server] in
            try await list.reload { try await server.request($0) }
        }
        #expect(await until { cache.core.pageLoads.waiterCount(for: request) == 2 })
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        await answer([9], next: "B")
        #expect(server.cancelledRequests == 0)
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        #expect(await until { server.cancelledRequests == 1 })
        #expect(list.ids == [1, 2, 3, 4])
        #expect(await until { cache.hasForgottenLoads })
    }

    @Test func cancelledReloadAsksForNoFurtherPage() async throws {
        try mergeTwoPages()
        let mayAnswer = Signal()
        let hasBegun = Signal()
        let cursors = Recorder<String?>()
        let abandoned = Task { [list] in
            try await list.reload { cursor in
                cursors.append(cursor)
                hasBegun.fire()
                // A request that can't be cancelled.
                _ = await until(evenIfCancelled: true) { mayAnswer.isFired }
                return ListPage([Book(id: 77)], next: "B")
            }
        }
        #expect(await until { hasBegun.isFired })
        abandoned.cancel()
        await #expect(throws: CancellationError.self) { try await abandoned.value }
        mayAnswer.fire()
        #expect(await until { cache.hasForgottenLoads })
        let again = await reload()
        await answer([1], next: "B")
        end([2], next: "C")
        #expect(try await again.value)
        #expect(cursors.all == [nil])
        #expect(list.ids == [1, 2])
        #expect(cache[Book.self, 77] == nil)
    }

    @Test func repeatedCursorIsAnError() async throws {
        try mergeTwoPages()
        try merge([5], after: "c", next: "d")
        let version = cache.version
        let reload = await reload()
        await answer([1, 2], next: "B")
        await answer([3], next: "C")
        end([1], next: "B")
        let error = await #expect(throws: CursorError.self) { try await reload.value }
        #expect(error?.kind == .repeated)
        #expect(error?.cursor == "C")
        #expect(cache.version == version)
    }

    @Test func reloadAfterTheEndOfTheCacheIsDropped() async throws {
        var cache: Cache? = Cache()
        let list = try #require(cache?.list("list", of: Book.self))
        let reload = Task { [server] in try await list.reload { try await server.request($0) } }
        #expect(await until { server.cursors.count == 1 })
        cache = nil
        server.answer(0, [1], next: "b")
        #expect(try await reload.value == false)
        #expect(try await list.reload { try await server.request($0) } == false)
        #expect(server.cursors.count == 1)
    }

    @Test func listOfABatchTraps() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let cache = Cache()
            let list = cache.performBatchUpdates { $0.list("list", of: Book.self) }
            try await list.reload { _ in ListPage([], next: nil) }
        }
        let message = try #require(result?.message)
        #expect(message.contains("A list of a batch cannot load pages"))
    }
}
