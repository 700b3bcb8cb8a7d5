import FlatCacheTesting
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests how loading handles repeat failed loads.
struct CachedLoadingRetryTests {
    let clock = ManualClock()
    let server = StationServer()
    let cache: Cache

    init() {
        cache = Cache(configuration: CacheConfiguration(clock: clock))
        setLoader()
    }

    func setLoader(rememberingFailures failureMemory: Duration? = nil) {
        cache.setLoader(
            for: Station.self,
            gathering: .zero,
            rememberingFailures: failureMemory
        ) { [server] ids in
            try await server.load(ids)
        }
    }

    func loading(_ id: Int = 1, _ policy: LoadPolicy = .cacheFirst) -> Cached<Station> {
        cache.cached(Station.self, id: id).loading(policy)
    }

    /// Lets a call of a handle fail, and waits for the handle's pause.
    ///
    /// - Returns: The time until the next attempt.
    func fail(_ call: Int, of handle: Cached<Station>) async -> Duration? {
        guard await server.hasCalls(call + 1) else { return nil }
        server.fail(call)
        guard await until({ handle.loadState.nextAttempt != nil && clock.sleeperCount > 0 }) else {
            return nil
        }
        // The task that has failed delivers until then, also what another thread commits.
        await cache.waitForObservers()
        return handle.loadState.nextAttempt.map { cache.now.duration(to: $0) }
    }

    @Test func pausesGrowUpToAMinute() async throws {
        let handle = loading()
        let token = handle.observe { _ in }
        for (call, seconds) in [1, 2, 4, 8, 16, 32, 60, 60].enumerated() {
            let pause = try #require(await fail(call, of: handle))
            #expect(pause >= .seconds(seconds))
            #expect(pause <= .seconds(seconds) * 1.25)
            #expect(handle.loadState.error as? StationServer.Failure == StationServer.Failure())
            // A sleep lasts a minute at most.
            if pause < .seconds(60) {
                clock.advance(by: pause - .nanoseconds(1))
                #expect(clock.sleeperCount == 1)
                clock.advance(by: .nanoseconds(1))
            } else {
                clock.advance(by: pause)
            }
            #expect(await until { handle.loadState.isLoading })
        }
        token.dispose()
    }

    @Test("The pauses of several machines' caches end at different times")
    func randomPauses() {
        let configuration = CacheConfiguration(clock: clock)
        let ends = (0..<20).map { _ in
            Cache(configuration: configuration).core.endOfPause(afterFailures: 1)
        }
        #expect(Set(ends).count > 1)
    }

    @Test func successResetsThePauses() async throws {
        let handle = loading()
        let token = handle.observe { _ in }
        for call in 0..<3 {
            let pause = try #require(await fail(call, of: handle))
            clock.advance(by: pause)
        }
        #expect(await server.hasCalls(4))
        server.answer(3, Station(id: 1))
        #expect(await until { handle.loadState.name == "idle" })
        cache.invalidate(Station.self, id: 1)
        let pause = try #require(await fail(4, of: handle))
        #expect(pause <= .seconds(1.25))
        token.dispose()
    }

    @Test func invalidationResetsThePauses() async throws {
        let handle = loading()
        let token = handle.observe { _ in }
        for call in 0..<3 {
            let pause = try #require(await fail(call, of: handle))
            clock.advance(by: pause)
        }
        _ = try #require(await fail(3, of: handle))
        cache.invalidate(Station.self, id: 1)
        let pause = try #require(await fail(4, of: handle))
        #expect(pause <= .seconds(1.25))
        token.dispose()
    }

    @Test func handlesOfOneFailedCallRetryInOneCall() async throws {
        cache.setLoader(for: Station.self) { [server] in try await server.load($0) }
        let handles = (1...3).map { loading($0) }
        let tokens = handles.map { $0.observe { _ in } }
        let keys = handles.map(\.key)
        for call in 0..<3 {
            #expect(
                await until {
                    clock.sleeperCount == 1
                        && keys.allSatisfy { cache.core.loads.waiterCount(for: $0) == 1 }
                }
            )
            clock.advance(by: .milliseconds(5))
            #expect(await server.hasCalls(call + 1))
            #expect(server.calls[call] == [1, 2, 3])
            server.fail(call)
            #expect(
                await until {
                    clock.sleeperCount == 3
                        && handles.allSatisfy { $0.loadState.nextAttempt != nil }
                }
            )
            let next = Set(handles.map(\.loadState.nextAttempt))
            #expect(next.count == 1)
            let instant = try #require(next.first ?? nil)
            clock.advance(by: cache.now.duration(to: instant))
        }
        for token in tokens { token.dispose() }
    }

    @Test func valueOfAnotherWriterEndsThePause() async throws {
        let handle = loading()
        let token = handle.observe { _ in }
        _ = try #require(await fail(0, of: handle))
        cache.set(Station(id: 1))
        #expect(await until { handle.loadState.name == "idle" && clock.sleeperCount == 0 })
        // The failures are forgotten.
        cache.invalidate(Station.self, id: 1)
        let pause = try #require(await fail(1, of: handle))
        #expect(pause <= .seconds(1.25))
        token.dispose()
    }

    @Test func partialValueOfAnotherWriterDoesNotEndThePause() async throws {
        let handle = cache.cached(Station.self, id: 1).loading(requiring: { $0.revision > 0 })
        let token = handle.observe { _ in }
        let pause = try #require(await fail(0, of: handle))
        cache.set(Station(id: 1))
        #expect(handle.loadState.name == "failed")
        #expect(clock.sleeperCount == 1)
        clock.advance(by: pause)
        #expect(await server.hasCalls(2))
        token.dispose()
    }

    @Test(
        "A load that fails isn't repeated if another writer has stored a value during it",
        arguments: [nil, Duration.seconds(30)]
    )
    func valueDuringTheFailedLoad(failureMemory: Duration?) async throws {
        setLoader(rememberingFailures: failureMemory)
        let handle = loading()
        let token = handle.observe { _ in }
        #expect(await server.hasCalls(1))
        cache.set(Station(id: 1))
        server.fail(0)
        #expect(await until { handle.loadState.name == "idle" && cache.core.loads.isIdle })
        #expect(clock.sleeperCount == 0)
        #expect(server.calls.count == 1)
        // There's no pause that an invalidation would have to end.
        cache.invalidate(Station.self, id: 1)
        #expect(await server.hasCalls(2))
        token.dispose()
    }

    @Test("A value that's stale when it's stored ends the pause, and isn't loaded")
    func staleValueDuringThePause() async throws {
        cache.limit(
            Station.self,
            .unlimited,
            staleAfter: .at { ManualClock.Instant(offset: .seconds($0.revision)) }
        )
        clock.advance(by: .seconds(50))
        let handle = loading()
        let token = handle.observe { _ in }
        _ = try #require(await fail(0, of: handle))
        cache.set(Station(id: 1, revision: 10))
        #expect(await until { handle.loadState.name == "idle" })
        cache.expireValues()
        #expect(handle.loadState.name == "idle")
        #expect(await until { clock.sleeperCount == 0 })
        #expect(server.calls.count == 1)
        token.dispose()
    }

    @Test func endOfTheLastObservationEndsThePause() async throws {
        let handle = loading()
        let tokens = [handle.observe { _ in }, handle.observe { _ in }]
        _ = try #require(await fail(0, of: handle))
        tokens[0].dispose()
        #expect(handle.loadState.name == "failed")
        #expect(clock.sleeperCount == 1)
        tokens[1].dispose()
        #expect(handle.loadState.name == "idle")
        #expect(await until { clock.sleeperCount == 0 })
        #expect(server.calls.count == 1)
    }

    @Test func newObservationDoesNotShortenThePause() async throws {
        let handle = loading()
        let token = handle.observe { _ in }
        _ = try #require(await fail(0, of: handle))
        let other = handle.observe { _ in }
        #expect(handle.loadState.name == "failed")
        #expect(server.calls.count == 1)
        token.dispose()
        other.dispose()
        // But the first observation after the last one loads at once.
        let new = handle.observe { _ in }
        #expect(await server.hasCalls(2))
        new.dispose()
    }

    @Test func networkOnlyRepeatsFailedLoads() async throws {
        cache.set(Station(id: 1))
        let handle = loading(1, .networkOnly)
        let token = handle.observe { _ in }
        let pause = try #require(await fail(0, of: handle))
        clock.advance(by: pause)
        #expect(await server.hasCalls(2))
        token.dispose()
    }

    @Test func cancellationErrorOfTheLoaderIsAFailure() async throws {
        let handle = loading()
        let token = handle.observe { _ in }
        #expect(await server.hasCalls(1))
        server.fail(0, CancellationError())
        #expect(await until { handle.loadState.nextAttempt != nil })
        #expect(handle.loadState.error is CancellationError)
        token.dispose()
    }
}
