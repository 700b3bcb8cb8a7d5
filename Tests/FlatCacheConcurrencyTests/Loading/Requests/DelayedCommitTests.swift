import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests of responses whose commit takes place after the end of their lifetime.
@Suite(.timeLimit(.minutes(20)))
struct DelayedCommitTests {
    @Test("An observed request goes on polling if a commit takes longer than its lifetime")
    func polling() async {
        let run = RequestRun()
        let (cache, clock) = (run.cache, run.clock)
        // The further writes stand for anything that delays the commit, such as a long batch.
        let page = run.request(staleAfter: .seconds(1)) { _, page in
            if page.note == "delayed" { clock.advance(by: .seconds(2)) }
        }
        let token = page.observe { _ in }
        #expect(await run.hasCalls(1))
        run.server.answer(ShelfPage(1, note: "delayed"))
        #expect(await until { page.value != nil })
        cache.expireValues()
        #expect(await until(limit: .seconds(30)) { run.server.requests.count == 2 })
        run.server.answer(1, ShelfPage(2))
        #expect(await run.isIdle(page))
        clock.advance(by: .seconds(1))
        cache.expireValues()
        #expect(await run.hasCalls(3))
        token.dispose()
    }
}
