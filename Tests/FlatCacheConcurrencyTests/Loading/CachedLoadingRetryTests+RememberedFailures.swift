import FlatCacheTesting
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

extension CachedLoadingRetryTests {
    @Test func rememberedFailureProlongsThePause() async throws {
        setLoader(rememberingFailures: .seconds(30))
        let handle = loading()
        let token = handle.observe { _ in }
        let pause = try #require(await fail(0, of: handle))
        #expect(pause == .seconds(30))
        // Another handle doesn't make a call either.
        let other = loading()
        let otherToken = other.observe { _ in }
        #expect(await until { other.loadState.nextAttempt != nil })
        #expect(other.loadState.nextAttempt == handle.loadState.nextAttempt)
        #expect(server.calls.count == 1)
        #expect(await until { clock.sleeperCount == 2 })
        clock.advance(by: pause)
        #expect(await server.hasCalls(2))
        token.dispose()
        otherToken.dispose()
    }

    @Test func rememberedMissingEntityIsNotLoaded() async {
        setLoader(rememberingFailures: .seconds(30))
        let handle = loading()
        let token = handle.observe { _ in }
        #expect(await server.hasCalls(1))
        server.answer(0)
        #expect(await until { handle.loadState.name == "idle" })
        token.dispose()
        let again = handle.observe { _ in }
        #expect(await until { handle.loadState.name == "idle" })
        #expect(server.calls.count == 1)
        cache.invalidate(Station.self, id: 1)
        #expect(await server.hasCalls(2))
        again.dispose()
    }

    @Test func networkOnlyIgnoresRememberedFailures() async throws {
        setLoader(rememberingFailures: .seconds(30))
        let handle = loading(1, .networkOnly)
        let token = handle.observe { _ in }
        let pause = try #require(await fail(0, of: handle))
        #expect(pause <= .seconds(1.25))
        clock.advance(by: pause)
        #expect(await server.hasCalls(2))
        token.dispose()
    }

    @Test func missingEntityThatIsStoredMeanwhileIsLoadedWhenItBecomesStale() async {
        cache.limit(Station.self, .unlimited, staleAfter: .after(.seconds(10)))
        setLoader(rememberingFailures: .seconds(60))
        let handle = loading()
        let token = handle.observe { _ in }
        #expect(await server.hasCalls(1))
        server.answer(0)
        #expect(await until { handle.loadState.name == "idle" })
        cache.set(Station(id: 1, revision: 1))
        clock.advance(by: .seconds(10))
        cache.expireValues()
        #expect(await server.hasCalls(2))
        token.dispose()
    }
}
