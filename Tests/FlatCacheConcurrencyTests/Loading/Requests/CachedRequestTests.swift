import FlatCacheTesting
import Observation
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests of requests that are held and observed.
@Suite(.timeLimit(.minutes(20)))
struct CachedRequestTests {
    private struct Failure: Error, Equatable {}

    private let run = RequestRun()
    private var cache: Cache { run.cache }
    private var server: HeldServer<String, ShelfPage> { run.server }

    // MARK: Loading while observed

    @Test func missingResponseIsLoadedWhileObserved() async {
        let page = run.request()
        #expect(page.value == nil)
        #expect(page.freshness.isMissing)
        let values = Recorder<ShelfPage>()
        let token = page.observe(initial: true) { values.append($0) }
        #expect(page.loadState.isLoading)
        #expect(await run.hasCalls(1))
        server.answer(ShelfPage(1, 2))
        #expect(await run.isIdle(page))
        #expect(page.value == ShelfPage(1, 2))
        #expect(page.freshness.isFresh)
        #expect(values.all == [ShelfPage(1, 2)])
        #expect(cache.get(Book.self, id: 2)?.title == "book 2")
        token.dispose()
    }

    @Test func handleAloneMakesNoRequest() {
        let page = run.request()
        let token = page.loadStates.observe { _ in }
        #expect(page.loadState.name == "idle")
        #expect(server.requests.isEmpty)
        token.dispose()
    }

    @Test func freshResponseIsNotLoadedAgain() async throws {
        let page = run.request()
        let load = Task { try await page.load() }
        #expect(await run.hasCalls(1))
        server.answer(ShelfPage(1))
        #expect(try await load.value == ShelfPage(1))
        let token = run.request().observe { _ in }
        #expect(page.loadState.name == "idle")
        #expect(server.requests.count == 1)
        #expect(try await page.load() == ShelfPage(1))
        token.dispose()
    }

    @Test func staleResponseIsShownAndLoadedWhenAnObservationBegins() async throws {
        let page = run.request()
        try await load(page, ShelfPage(1))
        run.clock.advance(by: .seconds(61))
        #expect(page.value == ShelfPage(1))
        let values = Recorder<ShelfPage>()
        let token = page.observe(initial: true) { values.append($0) }
        #expect(page.loadState.isLoading)
        #expect(await run.hasCalls(2))
        server.answer(1, ShelfPage(2))
        #expect(await run.isIdle(page))
        #expect(values.all == [ShelfPage(1), ShelfPage(2)])
        token.dispose()
    }

    @Test("A lifetime is the interval of a request that remains observed, from the end of a call")
    func polling() async throws {
        let page = run.request()
        let token = page.observe { _ in }
        for call in 0..<3 {
            #expect(await run.hasCalls(call + 1))
            run.clock.advance(by: .seconds(10))
            server.answer(call, ShelfPage(call))
            #expect(await run.isIdle(page))
            run.clock.advance(by: .seconds(59))
            cache.expireValues()
            #expect(page.freshness.isFresh)
            run.clock.advance(by: .seconds(1))
            cache.expireValues()
        }
        #expect(await run.hasCalls(4))
        token.dispose()
        #expect(await until { server.cancellationCount == 1 })
    }

    @Test func lifetimeComesFromTheResponse() async throws {
        let end = run.clock.now.advanced(by: .seconds(5))
        let page = run.request(staleAfter: .at(\.expires))
        try await load(page, ShelfPage(1, expires: end))
        run.clock.advance(by: .seconds(4))
        #expect(page.freshness.isFresh)
        run.clock.advance(by: .seconds(1))
        #expect(page.freshness.isStale)
        try await load(page, ShelfPage(1), call: 1)
        run.clock.advance(by: .seconds(1_000))
        #expect(page.freshness.isFresh)
    }

    @Test("With a lifetime of zero, each observation loads, and a response doesn't load itself")
    func noLifetime() async throws {
        let page = run.request(staleAfter: .after(.zero))
        for call in 0..<3 {
            let token = page.observe { _ in }
            #expect(await run.hasCalls(call + 1))
            server.answer(call, ShelfPage(call))
            #expect(await run.isIdle(page))
            #expect(page.freshness.isStale)
            run.clock.advance(by: .seconds(1))
            cache.expireValues()
            #expect(page.loadState.name == "idle")
            token.dispose()
        }
        #expect(server.requests.count == 3)
    }

    // MARK: Sharing

    @Test func observationsShareOneCall() async {
        let values = Recorder<ShelfPage>()
        let tokens = (0..<1_000).map { _ in run.request().observe { values.append($0) } }
        #expect(await run.hasCalls(1))
        server.answer(ShelfPage(1))
        #expect(await until { values.count == 1_000 })
        #expect(await run.isIdle(run.request()))
        #expect(server.requests.count == 1)
        withExtendedLifetime(tokens) {}
    }

    @Test func observationsShareOnePauseAfterAFailure() async throws {
        let requests = (0..<3).map { _ in run.request() }
        let tokens = requests.map { $0.observe { _ in } }
        for (call, seconds) in [1, 2, 4].enumerated() {
            #expect(await run.hasCalls(call + 1))
            server.answer(call, .failure(Failure()))
            #expect(await until { requests[0].loadState.nextAttempt != nil })
            #expect(await until { run.clock.sleeperCount == 1 })
            let next = try #require(requests[2].loadState.nextAttempt)
            #expect(requests[1].loadState.error as? Failure == Failure())
            let pause = cache.now.duration(to: next)
            #expect(pause >= .seconds(seconds) && pause <= .seconds(seconds) * 1.25)
            run.clock.advance(by: pause)
        }
        #expect(await run.hasCalls(4))
        server.answer(3, ShelfPage(1))
        #expect(await run.isIdle(requests[0]))
        #expect(requests[0].value == ShelfPage(1))
        withExtendedLifetime(tokens) {}
    }

    @Test func newestObservationsFunctionIsCalled() async {
        let first = run.request(as: "first").observe { _ in }
        #expect(await run.hasCalls(1))
        let second = run.request(as: "second").observe { _ in }
        server.answer(ShelfPage(1))
        #expect(await run.isIdle(run.request()))
        run.request().invalidate()
        #expect(await run.hasCalls(2))
        #expect(server.requests == ["first", "second"])
        server.answer(1, ShelfPage(2))
        #expect(await run.isIdle(run.request()))
        second.dispose()
        run.request().invalidate()
        #expect(await run.hasCalls(3))
        #expect(server.requests.last == "first")
        server.answer(2, ShelfPage(2))
        #expect(await run.isIdle(run.request()))
        first.dispose()
    }

    @Test func loadCallsTheFunctionOfItsHandle() async throws {
        let token = run.request(as: "observed").observe { _ in }
        #expect(await run.hasCalls(1))
        server.answer(ShelfPage(1))
        #expect(await run.isIdle(run.request()))
        let reload = Task { try await run.request(as: "own").reload() }
        #expect(await run.hasCalls(2))
        #expect(server.requests[1] == "own")
        server.answer(1, ShelfPage(2))
        #expect(try await reload.value == ShelfPage(2))
        token.dispose()
    }

    @Test func functionIsReleasedWithItsObservationOrCall() async throws {
        let release = Signal()
        let token: Disposable
        do {
            let object = TrackedObject(release)
            let page = cache.request("page") {
                withExtendedLifetime(object) {}
                return 1
            }
            token = page.observe { _ in }
            #expect(await until { page.value == 1 && page.loadState.name == "idle" })
            try await page.reload()
        }
        #expect(!release.isFired)
        token.dispose()
        #expect(await until { release.isFired })
    }

    // MARK: Ends

    @Test func lastObservationCancelsTheCall() async {
        let page = run.request()
        let tokens = [page.observe { _ in }, page.observe { _ in }]
        #expect(await run.hasCalls(1))
        tokens[0].dispose()
        #expect(page.loadState.isLoading)
        tokens[1].dispose()
        #expect(await until { server.cancellationCount == 1 })
        #expect(await until { cache.core.loads.isIdle })
        #expect(page.value == nil)
        #expect(page.loadState.name == "idle")
        #expect(cache.core.observedLoads.withLock(\.isEmpty))
    }

    @Test func invalidationLoadsAnObservedRequestAgain() async throws {
        let page = run.request()
        let token = page.observe { _ in }
        #expect(await run.hasCalls(1))
        server.answer(ShelfPage(1))
        #expect(await run.isIdle(page))
        cache.invalidate(requestsWithPrefix: "pa")
        #expect(await run.hasCalls(2))
        // A response that was invalidated while it was loaded isn't kept, but loaded again.
        page.invalidate()
        server.answer(1, ShelfPage(2))
        #expect(await run.hasCalls(3))
        #expect(page.value == ShelfPage(1))
        server.answer(2, ShelfPage(3))
        #expect(await run.isIdle(page))
        #expect(page.value == ShelfPage(3))
        token.dispose()
    }

    @Test func invalidationLoadsNoRequestThatIsNotObserved() async throws {
        let page = run.request()
        try await load(page, ShelfPage(1))
        page.invalidate()
        #expect(page.freshness.isStale)
        #expect(server.requests.count == 1)
    }

    // MARK: Progress

    @Test func progressShowsTheCallsThatOthersMake() async throws {
        let page = run.request()
        let token = page.observe { _ in }
        let states = Recorder<String>()
        let progress = page.loadStates.observe(initial: true) { states.append($0.name) }
        #expect(await run.hasCalls(1))
        server.answer(ShelfPage(1))
        #expect(await run.isIdle(page))
        let reload = Task { try await run.request().reload() }
        #expect(await run.hasCalls(2))
        #expect(page.loadState.isLoading)
        server.answer(1, .failure(Failure()))
        await #expect(throws: Failure.self) { try await reload.value }
        // The response is still fresh, so the failure is the caller's alone.
        #expect(await run.isIdle(page))
        await cache.waitForObservers()
        #expect(states.all == ["loading", "idle", "loading", "idle"])
        withExtendedLifetime((token, progress)) {}
    }

    @Test func reloadEndsThePauseAfterAFailure() async throws {
        let page = run.request()
        let token = page.observe { _ in }
        #expect(await run.hasCalls(1))
        server.answer(0, .failure(Failure()))
        #expect(await until { page.loadState.error != nil })
        let reload = Task { try await page.reload() }
        #expect(await run.hasCalls(2))
        #expect(page.loadState.isLoading)
        server.answer(1, ShelfPage(1))
        _ = try await reload.value
        #expect(await run.isIdle(page))
        // The pause has ended: its time passes without another call.
        run.clock.advance(by: .seconds(2))
        #expect(page.loadState.name == "idle")
        token.dispose()
    }

    @Test @MainActor func observableTracksValueAndProgress() async {
        let page = run.request().observable
        #expect(page.isLoading)
        #expect(page.value == nil)
        let changes = Recorder<Void>()
        withObservationTracking {
            _ = (page.value, page.loadState)
        } onChange: {
            changes.append(())
        }
        #expect(await run.hasCalls(1))
        server.answer(0, .failure(Failure()))
        #expect(await until { changes.count == 1 && page.error != nil })
    }

    @Test func statesOfAllRequests() async throws {
        let first = run.request("a")
        try await load(first, ShelfPage(1))
        run.clock.advance(by: .seconds(61))
        let token = run.request("b").observe { _ in }
        #expect(await run.hasCalls(2))
        let requests = cache.requests
        #expect(requests.map(\.name) == ["a", "b"])
        #expect(requests.map(\.isObserved) == [false, true])
        #expect(requests.map(\.loadState.isLoading) == [false, true])
        #expect(requests.map(\.age) == [.seconds(61), nil])
        #expect(requests[0].freshness.isStale && requests[1].freshness.isMissing)
        cache.removeAll()
        #expect(cache.requests.map(\.name) == ["b"])
        token.dispose()
    }

    // MARK: Pauses of all loads

    @Test func pauseOfLoadsPutsOffTheLoadsOfObservations() async throws {
        let page = run.request()
        let other = run.request("other")
        let pause = cache.pauseLoads()
        let innerPause = cache.pauseLoads()
        let tokens = [page.observe { _ in }, page.observe { _ in }, other.observe { _ in }]
        #expect(page.loadState.name == "idle")
        // A load that's asked for isn't put off.
        try await load(other, ShelfPage(9), "other")
        innerPause.dispose()
        page.invalidate()
        run.clock.advance(by: .seconds(10))
        #expect(server.requests == ["other"])
        pause.dispose()
        #expect(await run.hasCalls(2))
        #expect(server.requests == ["other", "page"])
        server.answer(1, ShelfPage(1))
        #expect(await run.isIdle(page))
        #expect(await run.isIdle(other))
        #expect(server.requests.count == 2)
        withExtendedLifetime(tokens) {}
    }

    @Test func staleRequestIsLoadedOnceAfterAPause() async throws {
        let page = run.request()
        let token = page.observe { _ in }
        #expect(await run.hasCalls(1))
        server.answer(ShelfPage(1))
        #expect(await run.isIdle(page))
        let pause = cache.pauseLoads()
        for _ in 0..<5 {
            run.clock.advance(by: .seconds(60))
            cache.expireValues()
        }
        #expect(page.freshness.isStale && server.requests.count == 1)
        pause.dispose()
        #expect(await run.hasCalls(2))
        server.answer(1, ShelfPage(1))
        #expect(await run.isIdle(page))
        token.dispose()
    }

    @Test func pausedHandleOfAnEntityLoadsAfterThePause() async throws {
        cache.setLoader(for: Book.self, gathering: .zero) { [server] ids in
            _ = try await server.response(to: "books \(ids)")
            return ids.map { Book(id: $0, title: "loaded") }
        }
        let pause = cache.pauseLoads()
        let book = cache.cached(Book.self, id: 1).loading()
        let token = book.observe { _ in }
        #expect(book.loadState.name == "idle")
        pause.dispose()
        #expect(await run.hasCalls(1))
        server.answer(ShelfPage())
        #expect(await until { book.value?.title == "loaded" })
        token.dispose()
    }

    private func load(
        _ page: CachedRequest<ShelfPage>,
        _ response: ShelfPage,
        _ name: String? = nil,
        call: Int? = nil
    ) async throws {
        let call = call ?? server.requests.count
        let load = Task { try await page.reload() }
        #expect(await run.hasCalls(call + 1))
        server.answer(call, response)
        #expect(try await load.value == response)
    }
}
