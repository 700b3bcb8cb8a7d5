import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests of the progress of a request that's repeated at once.
@Suite(.timeLimit(.minutes(20)))
struct RepeatedLoadProgressTests {
    @Test("A load that follows another one at once doesn't notify the observers of the progress")
    func repetition() async {
        let run = RequestRun()
        let page = run.request()
        let states = Recorder<String>()
        let progress = page.loadStates.observe(initial: true) { states.append($0.name) }
        let token = page.observe { _ in }
        #expect(await run.hasCalls(1))
        page.invalidate()
        run.server.answer(0, ShelfPage(1))
        #expect(await run.hasCalls(2))
        run.server.answer(1, ShelfPage(2))
        #expect(await run.isIdle(page))
        await run.cache.waitForObservers()
        #expect(states.all == ["idle", "loading", "idle"])
        withExtendedLifetime((token, progress)) {}
    }
}
