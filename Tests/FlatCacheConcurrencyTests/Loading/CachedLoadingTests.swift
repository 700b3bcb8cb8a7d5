import FlatCacheTesting
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests when a handle loads its entity, and when it doesn't.
struct CachedLoadingTests {
    let clock = ManualClock()
    let server = StationServer()
    let cache: Cache

    init() {
        cache = Cache(configuration: CacheConfiguration(clock: clock))
        cache.setLoader(for: Station.self, gathering: .zero) { [server] ids in
            try await server.load(ids)
        }
    }

    func loading(
        _ policy: LoadPolicy = .cacheFirst,
        requiring requirement: (@Sendable (Station) -> Bool)? = nil
    ) -> Cached<Station> {
        cache.cached(Station.self, id: 1).loading(policy, requiring: requirement)
    }

    func isStored(_ revision: Int) -> Bool {
        cache.get(Station.self, id: 1)?.revision == revision
    }

    // MARK: Kinds of observation

    @Test(arguments: LoadingObservation.allCases)
    func eachKindOfObservationLoads(_ kind: LoadingObservation) async {
        let handle = loading()
        let token = await kind.begin(of: handle)
        #expect(await server.hasCalls(1))
        #expect(server.calls == [[1]])
        #expect(handle.loadState.isLoading)
        server.answer(0, Station(id: 1, revision: 7))
        #expect(await until { isStored(7) && handle.loadState.name == "idle" })
        token.dispose()
        #expect(server.calls.count == 1)
    }

    @Test(arguments: LoadingObservation.allCases)
    func endOfTheLastObservationCancelsTheLoad(_ kind: LoadingObservation) async {
        let handle = loading()
        let token = await kind.begin(of: handle)
        #expect(await server.hasCalls(1))
        token.dispose()
        #expect(await until { server.cancelledCalls == [0] })
        #expect(await until { handle.loadState.name == "idle" })
        #expect(await until { cache.core.loads.isIdle })
    }

    @Test func unobservedHandleLoadsNothing() async {
        let handle = loading()
        let token = handle.loadStates.observe(initial: true) { _ in }
        _ = handle.value
        cache.invalidate(Station.self, id: 1)
        cache.set(Station(id: 1))
        cache.invalidate(Station.self, id: 1)
        cache.remove(Station.self, id: 1)
        let other = loading()
        await withObservation(of: other) {
            // A load by the first handle would have begun before this one.
            #expect(await server.hasCalls(1))
            #expect(handle.loadState.name == "idle")
        }
        token.dispose()
    }

    func withObservation(
        of handle: Cached<Station>,
        _ body: () async -> Void
    ) async {
        let token = handle.observe { _ in }
        await body()
        token.dispose()
    }

    // MARK: Needs

    @Test func freshValueIsNotLoaded() async {
        cache.set(Station(id: 1))
        let handle = loading(requiring: { $0.revision == 0 })
        await withObservation(of: handle) {
            #expect(handle.loadState.name == "idle")
            #expect(cache.core.loads.isIdle)
        }
    }

    @Test func staleValueIsLoaded() async {
        cache.set(Station(id: 1))
        cache.invalidate(Station.self, id: 1)
        let handle = loading()
        await withObservation(of: handle) {
            #expect(await server.hasCalls(1))
            server.answer(0, Station(id: 1, revision: 1))
            #expect(await until { isStored(1) && !handle.loadState.isLoading })
            #expect(cache.freshness(of: Station.self, id: 1).isFresh)
        }
    }

    @Test func partialValueIsLoaded() async {
        cache.set(Station(id: 1))
        let handle = loading(requiring: { $0.revision > 0 })
        await withObservation(of: handle) {
            #expect(await server.hasCalls(1))
            server.answer(0, Station(id: 1, revision: 1))
            #expect(await until { !handle.loadState.isLoading })
            await cache.waitForObservers()
            // Another partial value is loaded again.
            cache.set(Station(id: 1))
            #expect(handle.loadState.isLoading)
            #expect(await server.hasCalls(2))
        }
    }

    @Test func requirementOfTheLoaderApplies() async {
        cache.setLoader(for: Station.self, gathering: .zero, requiring: { $0.revision > 0 }) {
            [server] in try await server.load($0)
        }
        cache.set(Station(id: 1))
        await withObservation(of: loading()) { #expect(await server.hasCalls(1)) }
    }

    @Test func valueIsLoadedWheneverItBecomesStale() async {
        cache.limit(Station.self, .unlimited, staleAfter: .after(.seconds(10)))
        let handle = loading()
        await withObservation(of: handle) {
            for round in 0..<3 {
                #expect(await server.hasCalls(round + 1))
                server.answer(round, Station(id: 1, revision: round))
                #expect(await until { isStored(round) && !handle.loadState.isLoading })
                clock.advance(by: .seconds(9))
                cache.expireValues()
                #expect(!handle.loadState.isLoading)
                clock.advance(by: .seconds(1))
                cache.expireValues()
                #expect(await until { handle.loadState.isLoading })
            }
        }
    }

    // MARK: Observers

    @Test func secondObserverDoesNotLoadAgain() async {
        let handle = loading()
        let first = handle.observe { _ in }
        let second = handle.observe { _ in }
        #expect(await server.hasCalls(1))
        #expect(cache.core.loads.waiterCount(for: handle.key) == 1)
        first.dispose()
        #expect(handle.loadState.isLoading)
        server.answer(0, Station(id: 1))
        #expect(await until { isStored(0) && !handle.loadState.isLoading })
        let third = handle.observe { _ in }
        #expect(!handle.loadState.isLoading)
        second.dispose()
        third.dispose()
        #expect(server.calls.count == 1)
        #expect(server.cancelledCalls == [])
    }

    @Test func newObservationLoadsAgain() async {
        let handle = loading()
        await withObservation(of: handle) { #expect(await server.hasCalls(1)) }
        #expect(await until { server.cancelledCalls == [0] })
        await withObservation(of: handle) {
            #expect(await server.hasCalls(2))
            server.answer(1, Station(id: 1))
            #expect(await until { isStored(0) && !handle.loadState.isLoading })
        }
        cache.invalidate(Station.self, id: 1)
        #expect(!handle.loadState.isLoading)
        await withObservation(of: handle) { #expect(await server.hasCalls(3)) }
    }

    @Test func observationContinuesAfterTheHandleIsReleased() async {
        let token = loading().observe { _ in }
        #expect(await server.hasCalls(1))
        server.answer(0, Station(id: 1))
        #expect(await until { isStored(0) && cache.core.loads.isIdle })
        cache.invalidate(Station.self, id: 1)
        #expect(await server.hasCalls(2))
        token.dispose()
    }

    @Test func severalHandlesShareACall() async {
        let handles = (0..<5).map { _ in loading() }
        let tokens = handles.map { $0.observe { _ in } }
        #expect(await until { cache.core.loads.waiterCount(for: handles[0].key) == 5 })
        #expect(await server.hasCalls(1))
        server.answer(0, Station(id: 1))
        #expect(await until { handles.allSatisfy { $0.loadState.name == "idle" } })
        #expect(server.calls.count == 1)
        for token in tokens { token.dispose() }
    }

    @Test func handlesOfOneMomentAreGatheredIntoOneCall() async {
        cache.setLoader(for: Station.self) { [server] in try await server.load($0) }
        let handles = (1...3).map { cache.cached(Station.self, id: $0).loading() }
        let tokens = handles.map { $0.observe { _ in } }
        let keys = handles.map(\.key)
        #expect(
            await until {
                clock.sleeperCount == 1
                    && keys.allSatisfy { cache.core.loads.waiterCount(for: $0) == 1 }
            }
        )
        clock.advance(by: .milliseconds(5))
        #expect(await server.hasCalls(1))
        #expect(server.calls == [[1, 2, 3]])
        for token in tokens { token.dispose() }
        #expect(await until { server.cancelledCalls == [0] && clock.sleeperCount == 0 })
    }

    // MARK: Policies

    @Test func networkOnlyLoadsAFreshValueOnce() async {
        cache.set(Station(id: 1))
        let handle = loading(.networkOnly)
        let token = handle.observe { _ in }
        #expect(await server.hasCalls(1))
        server.answer(0, Station(id: 1))
        #expect(await until { !handle.loadState.isLoading })
        let second = handle.observe { _ in }
        #expect(!handle.loadState.isLoading)
        cache.invalidate(Station.self, id: 1)
        #expect(await server.hasCalls(2))
        token.dispose()
        second.dispose()
    }

    @Test func cacheOnlyLoadsNothing() {
        cache.set(Station(id: 1))
        let handle = loading(.cacheOnly)
        let states = Recorder<String>()
        let tokens = [
            handle.observe { _ in },
            handle.loadStates.observe { states.append($0.name) },
        ]
        cache.invalidate(Station.self, id: 1)
        cache.remove(Station.self, id: 1)
        #expect(cache.core.loads.isIdle)
        #expect(states.all == [])
        for token in tokens { token.dispose() }
    }

    @Test func staleValueIsShownWhileItIsRevalidated() async {
        cache.set(Station(id: 1))
        cache.invalidate(Station.self, id: 1)
        let handle = loading(.staleWhileRevalidate)
        await withObservation(of: handle) {
            #expect(await server.hasCalls(1))
            #expect(handle.value?.revision == 0)
            server.answer(0, Station(id: 1, revision: 1))
            #expect(await until { isStored(1) && !handle.loadState.isLoading })
        }
    }
}
