import FlatCacheTesting
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests of the progress that a request shows of calls that its observations haven't made.
@Suite(.timeLimit(.minutes(20)))
struct RequestProgressTests {
    private let run = RequestRun()

    private func load(_ response: ShelfPage) async throws {
        let load = Task { try await run.request().load() }
        #expect(await run.hasCalls(1))
        run.server.answer(response)
        _ = try await load.value
    }

    @Test func observationThatBeginsDuringAReloadShowsIt() async throws {
        try await load(ShelfPage(1))
        let page = run.request()
        let reload = Task { try await page.reload() }
        #expect(await run.hasCalls(2))
        let token = page.observe { _ in }
        let states = Recorder<String>()
        let progress = page.loadStates.observe(initial: true) { states.append($0.name) }
        #expect(page.loadState.isLoading)
        run.server.answer(1, ShelfPage(2))
        _ = try await reload.value
        #expect(await run.isIdle(page))
        await run.cache.waitForObservers()
        #expect(states.all == ["loading", "idle"])
        withExtendedLifetime((token, progress)) {}
    }

    @Test func callThatAllCallersHaveLeftIsNotShown() async throws {
        let server = HeldServer<String, Int>(heedsCancellation: false)
        let request = run.cache.request("page") { try await server.response(to: "page") }
        let token = request.observe { _ in }
        #expect(await until { server.requests.count == 1 })
        server.answer(1)
        #expect(await until { request.loadState.name == "idle" })
        let reload = Task { try await request.reload() }
        #expect(await until { server.requests.count == 2 })
        reload.cancel()
        await #expect(throws: CancellationError.self) { try await reload.value }
        #expect(request.loadState.name == "idle")
        let later = request.loadStates.observe { _ in }
        #expect(request.loadState.name == "idle")
        server.answer(1, 2)
        withExtendedLifetime((token, later)) {}
    }

    @Test func errorRemainsWhileLoadsArePaused() async throws {
        let page = run.request()
        let token = page.observe { _ in }
        let pause = await failAndPause(page)
        #expect(page.loadState.error as? Failure == Failure())
        // A new observation loads as little as the old one.
        let other = page.observe { _ in }
        #expect(page.loadState.error as? Failure == Failure())
        other.dispose()
        pause.dispose()
        #expect(await run.hasCalls(2))
        run.server.answer(1, ShelfPage(1))
        #expect(await run.isIdle(page))
        #expect(page.value == ShelfPage(1))
        token.dispose()
    }

    @Test func errorEndsIfThePauseEndsWithAFreshResponse() async throws {
        let page = run.request()
        let token = page.observe { _ in }
        let pause = await failAndPause(page)
        let load = Task { try await page.load() }
        #expect(await run.hasCalls(2))
        run.server.answer(1, ShelfPage(1))
        _ = try await load.value
        #expect(page.loadState.name == "idle")
        pause.dispose()
        #expect(await run.hasCalls(2))
        #expect(page.loadState.name == "idle")
        token.dispose()
    }

    @Test func observationThatBeginsAsTheLastOneEndsIsNotified() async throws {
        let page = run.request()
        let first = page.observe { _ in }
        await fail(page)
        let tokens = Recorder<Disposable>()
        tokens.append(
            page.loadStates.observe { _ in
                guard tokens.count == 1 else { return }
                tokens.all[0].dispose()
                tokens.append(page.observe { _ in })
            }
        )
        first.dispose()
        #expect(await run.hasCalls(2))
        run.server.answer(1, ShelfPage(1))
        #expect(await run.isIdle(page))
        page.invalidate()
        #expect(await run.hasCalls(3))
        #expect(page.loadState.isLoading)
        tokens.all.forEach { $0.dispose() }
        #expect(await until { run.cache.core.observedLoads.withLock(\.isEmpty) })
    }

    /// Fails the first call of an observed request.
    private func fail(_ page: CachedRequest<ShelfPage>) async {
        #expect(await run.hasCalls(1))
        run.server.answer(0, .failure(Failure()))
        #expect(await until { page.loadState.nextAttempt != nil })
    }

    /// Fails the first call of an observed request, and pauses all loads beyond the next attempt.
    private func failAndPause(_ page: CachedRequest<ShelfPage>) async -> Disposable {
        await fail(page)
        let pause = run.cache.pauseLoads()
        run.clock.advance(by: .seconds(60))
        #expect(await until { page.loadState.nextAttempt == nil })
        return pause
    }

    private struct Failure: Error, Equatable {}

    @Test func callIsShownAfterAnInvalidation() async throws {
        let load = Task { try await run.request().load() }
        #expect(await run.hasCalls(1))
        run.request().invalidate()
        #expect(run.request().loadState.isLoading)
        run.server.answer(ShelfPage(1))
        _ = try await load.value
    }
}
