import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

@Suite(.timeLimit(.minutes(15)))
struct CachedListLoadingTests {
    private struct Failure: Error, Equatable {}

    let cache = Cache()
    let list: CachedList<Book>
    let server = PageServer()

    init() {
        list = cache.list("list", of: Book.self)
    }

    /// Starts a call of `loadNext(_:)`.
    func load() -> Task<Bool, any Error> {
        Task { [list, server] in try await list.loadNext { try await server.request($0) } }
    }

    /// Starts calls of `loadNext(_:)`, and waits until all of them wait for one request.
    func load(count: Int) async -> [Task<Bool, any Error>] {
        let requestCount = server.cursors.count
        let request = list.nextRequest
        let loads = (0..<count).map { _ in load() }
        #expect(await until { cache.core.pageLoads.waiterCount(for: request) == count })
        #expect(await until { server.cursors.count == requestCount + 1 })
        return loads
    }

    func merge(_ ids: [Int], after cursor: String?, next: String?) throws {
        try list.merge(ids.map { Related($0) }, after: cursor, next: next)
    }

    @Test func loadsPageAfterPage() async throws {
        let pages: [String?: ListPage<Book>] = [
            nil: ListPage([Book(id: 1), Book(id: 2)], next: "b"),
            "b": ListPage([Book(id: 2), Book(id: 3)], next: "c"),
            "c": ListPage([], next: nil),
        ]
        let cursors = Recorder<String?>()
        var results: [Bool] = []
        for _ in 0..<4 {
            results.append(
                try await list.loadNext { cursor in
                    cursors.append(cursor)
                    return try #require(pages[cursor])
                }
            )
        }
        #expect(results == [true, true, true, false])
        #expect(cursors.all == [nil, "b", "c"])
        #expect(list.ids == [1, 2, 3])
        #expect(list.elements.count == 3)
        #expect(list.next == .end)
        #expect(cache.core.pageLoads.isIdle)
    }

    @Test func manyConcurrentCallsMakeOneRequest() async throws {
        let loads = await load(count: 1000)
        server.answer(0, [1, 2], next: "b")
        for load in loads { #expect(try await load.value) }
        #expect(server.cursors == [nil])
        #expect(list.ids == [1, 2])
        #expect(cache.core.pageLoads.isIdle)
    }

    @Test func handlesToOneListShareARequest() async throws {
        let first = await load(count: 1)[0]
        let request = list.nextRequest
        let other = cache.list("list", of: Book.self)
        let second = Task { [server] in
            try await other.loadNext { try await server.request($0) }
        }
        #expect(await until { cache.core.pageLoads.waiterCount(for: request) == 2 })
        server.answer(0, [1], next: nil)
        #expect(try await first.value)
        #expect(try await second.value)
        #expect(server.cursors == [nil])
    }

    @Test func listsOfOtherNamesOrTypesLoadOnTheirOwn() async throws {
        let first = await load(count: 1)[0]
        let named = cache.list("other", of: Book.self)
        #expect(try await named.loadNext { _ in ListPage([Book(id: 9)], next: nil) })
        let typed = cache.list("list", of: Author.self)
        #expect(
            try await typed.loadNext { _ in ListPage([Author(id: "a", name: "A")], next: nil) }
        )
        server.answer(0, [1], next: nil)
        #expect(try await first.value)
        #expect(list.ids == [1])
        #expect(named.ids == [9])
        #expect(typed.ids == ["a"])
    }

    @Test func errorReachesAllCallsAndTheNextOneTriesAgain() async throws {
        try merge([1], after: nil, next: "b")
        let loads = await load(count: 3)
        server.fail(0, Failure())
        for load in loads { await #expect(throws: Failure()) { try await load.value } }
        #expect(list.ids == [1])
        #expect(list.next == .after("b"))
        let again = await load(count: 1)[0]
        server.answer(1, [2], next: nil)
        #expect(try await again.value)
        #expect(server.cursors == ["b", "b"])
        #expect(list.ids == [1, 2])
    }

    @Test func cancelledCallEndsOnlyItsOwnWait() async throws {
        let loads = await load(count: 2)
        loads[0].cancel()
        await #expect(throws: CancellationError.self) { try await loads[0].value }
        server.answer(0, [1], next: nil)
        #expect(try await loads[1].value)
        #expect(server.cancelledRequests == 0)
        #expect(list.ids == [1])
    }

    @Test func lastCancelledCallCancelsTheRequest() async throws {
        let loads = await load(count: 2)
        for load in loads { load.cancel() }
        for load in loads {
            await #expect(throws: CancellationError.self) { try await load.value }
        }
        #expect(await until { server.cancelledRequests == 1 })
        #expect(cache.core.pageLoads.isIdle)
        let again = await load(count: 1)[0]
        server.answer(1, [2], next: nil)
        #expect(try await again.value)
        #expect(list.ids == [2])
    }

    @Test func pageThatIgnoresItsCancellationIsDropped() async throws {
        let mayAnswer = Locked(false)
        let hasAnswered = Locked(false)
        let hasBegun = Locked(false)
        let abandoned = Task { [list] in
            try await list.loadNext { _ in
                hasBegun.withLock { $0 = true }
                // A request that can't be cancelled.
                _ = await until(evenIfCancelled: true) { mayAnswer.withLock { $0 } }
                hasAnswered.withLock { $0 = true }
                return ListPage([Book(id: 7)], next: "x")
            }
        }
        #expect(await until { hasBegun.withLock { $0 } })
        abandoned.cancel()
        await #expect(throws: CancellationError.self) { try await abandoned.value }
        let again = await load(count: 1)[0]
        mayAnswer.withLock { $0 = true }
        #expect(await until { hasAnswered.withLock { $0 } })
        server.answer(0, [1], next: "b")
        #expect(try await again.value)
        #expect(list.ids == [1])
        #expect(list.next == .after("b"))
        #expect(cache[Book.self, 7] == nil)
    }

    @Test func cancelledTaskMakesNoRequest() async throws {
        let load = Task { [list, server] in
            await untilCancelled()
            return try await list.loadNext { try await server.request($0) }
        }
        load.cancel()
        await #expect(throws: CancellationError.self) { try await load.value }
        #expect(server.cursors == [])
    }

    @Test func observerLoadsTheFollowingPage() async throws {
        let inner = Recorder<Task<Bool, any Error>>()
        let first = list.nextRequest
        let observation = list.observeChanges { [cache, list, server] change in
            guard change.next != .end else { return }
            // The first request still has its waiters, which a call for the next page must not
            // join.
            #expect(cache.core.pageLoads.waiterCount(for: first) == 1)
            #expect(list.nextRequest != first)
            inner.append(Task { try await list.loadNext { try await server.request($0) } })
        }
        let outer = await load(count: 1)[0]
        server.answer(0, [1], next: "b")
        #expect(try await outer.value)
        #expect(await until { server.cursors == [nil, "b"] })
        server.answer(1, [2], next: nil)
        #expect(inner.count == 1)
        for load in inner.all { #expect(try await load.value) }
        #expect(list.ids == [1, 2])
        observation.dispose()
    }

    @Test func pageThatArrivedBeforeTheRequestIsNotRequestedAgain() async throws {
        let request = list.nextRequest
        try merge([1], after: nil, next: "b")
        let outcome = try await list.answer(request) { [server] in
            try await server.request($0.cursor)
        }
        #expect(outcome == .outdated)
        #expect(server.cursors == [])
        #expect(list.next == .after("b"))
    }

    @Test func concurrentCallsRequestEachPageOnce() async throws {
        let pageCount = 40
        let cursors = Recorder<Int>()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { [list] in
                    while list.next != .end {
                        try await list.loadNext { cursor in
                            let page = cursor.flatMap(Int.init) ?? 0
                            cursors.append(page)
                            await Task.yield()
                            // The first element of each page is the last one of the page before.
                            let books = (page * 5...page * 5 + 5).map { Book(id: $0) }
                            return ListPage(
                                books,
                                next: page + 1 < pageCount ? "\(page + 1)" : nil
                            )
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(cursors.all == Array(0..<pageCount))
        #expect(list.ids == Array(0...pageCount * 5))
        #expect(cache.core.pageLoads.isIdle)
        cache.core.checkInvariants()
    }

    @Test func pageAfterTheEndOfTheCacheIsDropped() async throws {
        var cache: Cache? = Cache()
        weak let weakCache = cache
        let list = try #require(cache?.list("list", of: Book.self))
        let load = Task { [server] in try await list.loadNext { try await server.request($0) } }
        #expect(await until { server.cursors.count == 1 })
        cache = nil
        #expect(weakCache == nil)
        server.answer(0, [1], next: "b")
        #expect(try await load.value == false)
        #expect(list.ids == [])
        #expect(try await list.loadNext { try await server.request($0) } == false)
        #expect(server.cursors.count == 1)
    }

    @Test func listOfABatchTraps() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let cache = Cache()
            let list = cache.performBatchUpdates { $0.list("list", of: Book.self) }
            try await list.loadNext { _ in ListPage([], next: nil) }
        }
        let message = try #require(result?.message)
        #expect(message.contains("A list of a batch cannot load pages"))
    }
}
