import FlatCacheTesting
import Observation
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests of lists that reload while they're observed.
@Suite(.timeLimit(.minutes(20)))
struct LoadingListTests {
    private struct Failure: Error, Equatable {}

    private let clock = ManualClock()
    private let cache: Cache
    private let server = HeldServer<String?, ListPage<Book>>()

    init() { cache = Cache(configuration: CacheConfiguration(clock: clock)) }

    private func feed(staleAfter lifetime: Duration? = .seconds(60)) -> LoadingList<Book> {
        cache.list("feed", of: Book.self).loading(staleAfter: lifetime) { [server] cursor in
            try await server.response(to: cursor)
        }
    }

    private func page(_ ids: Int..., next: String?) -> ListPage<Book> {
        ListPage(ids.map { Book(id: $0, title: "book \($0)") }, next: next)
    }

    private func hasCalls(_ count: Int) async -> Bool {
        _ = await until { server.requests.count >= count }
        return server.requests.count == count
    }

    private func isIdle(_ feed: LoadingList<Book>) async -> Bool {
        await until { cache.core.loads.isIdle && feed.loadState.name == "idle" }
    }

    @Test func firstObservationLoadsTheFirstPage() async throws {
        let feed = feed()
        let states = Recorder<[Int]>()
        let token = feed.observe(initial: true) { states.append($0.map(\.id)) }
        #expect(feed.loadState.isLoading)
        #expect(await hasCalls(1))
        server.answer(page(1, 2, next: "2"))
        #expect(await isIdle(feed))
        #expect(feed.elements.map(\.id) == [1, 2])
        #expect(feed.next == .after("2"))
        #expect(feed.freshness.isFresh)
        #expect(states.all == [[], [1, 2]])
        #expect(cache.requests.map(\.name) == ["list feed of FlatCacheTestSupport.Book"])
        #expect(feed.requestName == "list feed of FlatCacheTestSupport.Book")
        token.dispose()
    }

    @Test func staleListReloadsAllShownPages() async throws {
        let feed = feed()
        let states = Recorder<[Int]>()
        let token = feed.observe { states.append($0.map(\.id)) }
        try await showTwoPages(of: feed)
        clock.advance(by: .seconds(59))
        cache.expireValues()
        // Neither an edit nor a pushed element renews the list.
        feed.list.insert(Book(id: 9), at: 0)
        cache.set(Book(id: 1, title: "pushed"))
        states.removeAll()
        clock.advance(by: .seconds(1))
        cache.expireValues()
        #expect(feed.loadState.isLoading)
        #expect(await hasCalls(3))
        server.answer(2, page(5, 1, next: "b"))
        #expect(await hasCalls(4))
        #expect(feed.list.ids == [9, 1, 2, 3, 4])
        server.answer(3, page(2, 3, next: "c"))
        #expect(await isIdle(feed))
        #expect(server.requests == [nil, "2", nil, "b"])
        #expect(feed.list.ids == [5, 1, 2, 3])
        #expect(feed.next == .after("c"))
        await cache.waitForObservers()
        #expect(states.all == [[5, 1, 2, 3]])
        token.dispose()
    }

    @Test func pushedElementsDoNotReloadTheList() async throws {
        cache.limit(Book.self, staleAfter: .seconds(10))
        let feed = feed()
        let token = feed.observe { _ in }
        try await showTwoPages(of: feed)
        clock.advance(by: .seconds(30))
        cache.expireValues()
        cache.invalidate(Book.self)
        #expect(feed.freshness.isFresh)
        #expect(feed.loadState.name == "idle")
        #expect(server.requests.count == 2)
        token.dispose()
    }

    @Test func listThatIsPrunedDuringAReloadIsReloadedAgain() async throws {
        let feed = feed()
        let reload = try await secondReload(of: feed)
        cache.pruneUnobservedValues()
        #expect(feed.list.ids.isEmpty)
        server.answer(1, page(7, next: nil))
        #expect(await hasCalls(3))
        server.answer(2, page(2, 3, next: nil))
        try await reload.value
        #expect(feed.list.ids == [2, 3])
        #expect(feed.freshness.isFresh)
        cache.core.checkInvariants()
    }

    /// Loads two elements of a list that isn't observed, and begins to reload it.
    private func secondReload(of feed: LoadingList<Book>) async throws -> Task<Void, any Error> {
        let first = Task { try await feed.reload() }
        #expect(await hasCalls(1))
        server.answer(page(1, 2, next: nil))
        try await first.value
        let reload = Task { try await feed.reload() }
        #expect(await hasCalls(2))
        return reload
    }

    @Test func removalDuringAReloadMakesNoFurtherCall() async throws {
        let feed = feed()
        let reload = try await secondReload(of: feed)
        cache.removeAll()
        server.answer(1, page(7, next: nil))
        try await reload.value
        #expect(server.requests.count == 2)
        #expect(feed.list.ids.isEmpty)
        #expect(cache.count(of: Book.self) == 0)
    }

    @Test func reloadAndInvalidationLoadAgain() async throws {
        let feed = feed(staleAfter: nil)
        let token = feed.observe { _ in }
        try await showTwoPages(of: feed)
        let reload = Task { try await feed.reload() }
        #expect(await hasCalls(3))
        #expect(feed.loadState.isLoading && !feed.nextLoadState.isLoading)
        server.answer(2, page(7, next: nil))
        try await reload.value
        #expect(await isIdle(feed))
        #expect(feed.list.ids == [7])
        feed.invalidate()
        #expect(await hasCalls(4))
        server.answer(3, page(8, next: nil))
        #expect(await isIdle(feed))
        #expect(feed.list.ids == [8])
        token.dispose()
    }

    @Test func removalOfAllDropsTheReload() async throws {
        let feed = feed()
        let token = feed.observe { _ in }
        try await showTwoPages(of: feed)
        feed.invalidate()
        #expect(await hasCalls(3))
        cache.removeAll()
        server.answer(2, page(7, next: nil))
        #expect(await isIdle(feed))
        #expect(feed.list.ids.isEmpty)
        #expect(feed.freshness.isMissing)
        #expect(cache.count(of: Book.self) == 0)
        token.dispose()
    }

    @Test func failedReloadIsRepeatedAfterAPause() async throws {
        let feed = feed()
        let token = feed.observe { _ in }
        #expect(await hasCalls(1))
        server.answer(0, .failure(Failure()))
        #expect(await until { feed.loadState.error is Failure && clock.sleeperCount > 0 })
        let next = try #require(feed.loadState.nextAttempt)
        clock.advance(by: cache.now.duration(to: next))
        #expect(await hasCalls(2))
        server.answer(1, page(1, next: nil))
        #expect(await isIdle(feed))
        token.dispose()
    }

    // MARK: The progress of the next page

    @Test @MainActor func nextPageHasAProgressOfItsOwn() async throws {
        let feed = feed()
        let shown = feed.observable
        #expect(await hasCalls(1))
        server.answer(page(1, next: "2"))
        #expect(await isIdle(feed))
        let changes = Recorder<Void>()
        withObservationTracking {
            _ = shown.nextLoadState
        } onChange: {
            changes.append(())
        }
        let load = Task { try await feed.loadNext() }
        #expect(await hasCalls(2))
        #expect(await until { changes.count == 1 })
        #expect(shown.nextLoadState.isLoading && !shown.isLoading)
        server.answer(1, .failure(Failure()))
        await #expect(throws: Failure.self) { try await load.value }
        #expect(shown.nextLoadState.error as? Failure == Failure())
        #expect(shown.nextLoadState.nextAttempt == nil)
        #expect(shown.error == nil)
        let retry = Task { try await self.feed().loadNext() }
        #expect(await hasCalls(3))
        #expect(feed.nextLoadState.error == nil)
        server.answer(2, page(2, next: nil))
        #expect(try await retry.value)
        #expect(feed.nextLoadState.name == "idle")
        #expect(try await feed.loadNext() == false)
        #expect(shown.elements.map(\.id) == [1, 2])
    }

    @Test func cancelledPageIsNoError() async throws {
        let feed = feed()
        let token = feed.observe { _ in }
        let load = await requestSecondPage(of: feed)
        load.cancel()
        await #expect(throws: CancellationError.self) { try await load.value }
        #expect(feed.nextLoadState.name == "idle")
        token.dispose()
    }

    @Test func loadingListOfABatchTraps() async {
        await #expect(processExitsWith: .failure) {
            let cache = Cache()
            cache.performBatchUpdates { batch in
                _ = batch.list("feed", of: Book.self).loading { _ in ListPage([Book](), next: nil) }
            }
        }
    }

    /// Answers with the first page, and begins to load the second one.
    private func requestSecondPage(of feed: LoadingList<Book>) async -> Task<Bool, any Error> {
        #expect(await hasCalls(1))
        server.answer(page(1, next: "2"))
        #expect(await isIdle(feed))
        let load = Task { try await feed.loadNext() }
        #expect(await hasCalls(2))
        return load
    }

    private func showTwoPages(of feed: LoadingList<Book>) async throws {
        #expect(await hasCalls(1))
        server.answer(page(1, 2, next: "2"))
        #expect(await isIdle(feed))
        let load = Task { try await feed.loadNext() }
        #expect(await hasCalls(2))
        server.answer(1, page(3, 4, next: "4"))
        #expect(try await load.value)
        #expect(feed.list.ids == [1, 2, 3, 4])
    }

    @Test func listsOfTypesWithOneNameAreLoadedSeparately() async throws {
        enum Other {
            struct Book: Identifiable, Sendable {
                let id: Int
            }
        }
        let feed = feed()
        let other = cache.list("feed", of: Other.Book.self).loading { _ in
            ListPage([Other.Book(id: 7)], next: nil)
        }
        #expect(feed.requestName != other.requestName)
        let token = feed.observe { _ in }
        #expect(await hasCalls(1))
        server.answer(page(1, next: nil))
        #expect(await isIdle(feed))
        #expect(other.freshness.isMissing)
        try await other.reload()
        #expect(other.list.ids == [7] && feed.list.ids == [1])
        token.dispose()
    }

    @Test func cancelledCallLeavesTheErrorOfAnother() async throws {
        let feed = feed()
        let token = feed.observe { _ in }
        let load = await requestSecondPage(of: feed)
        feed.invalidate()
        #expect(await hasCalls(3))
        // This call waits for the reload.
        let waiting = Task { try await feed.loadNext() }
        let loading = cache.core.loading(ofRequest: feed.requestName)
        #expect(await until { loading?.state.withLock(\.next.callCount) == 2 })
        server.answer(1, .failure(Failure()))
        await #expect(throws: Failure.self) { try await load.value }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(feed.nextLoadState.error is Failure)
        server.answer(2, page(1, next: "2"))
        #expect(await isIdle(feed))
        token.dispose()
    }
}
