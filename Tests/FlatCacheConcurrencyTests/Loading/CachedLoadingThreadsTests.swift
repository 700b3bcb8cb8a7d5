import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests loading handles and loads on several threads.
@Suite(.timeLimit(.minutes(15)))
struct CachedLoadingThreadsTests {
    @Test func observationsAndLoadsThatEndAtOnceLeaveNothingBehind() async {
        let clock = ManualClock()
        let cache = Cache(configuration: CacheConfiguration(clock: clock))
        cache.setLoader(for: Station.self, gathering: .seconds(1)) { ids in
            ids.map { Station(id: $0) }
        }
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    for round in 0..<250 {
                        let handle = cache.cached(Station.self, id: round % 7).loading()
                        let token = handle.observe { _ in }
                        if task == 0 { cache.invalidate(Station.self) }
                        if task == 1 { cache.removeAll() }
                        let load = Task {
                            try await cache.load(Station.self, ids: [round, round + 1])
                        }
                        if round.isMultiple(of: 3) { await Task.yield() }
                        load.cancel()
                        token.dispose()
                    }
                }
            }
        }
        #expect(await until { cache.core.loads.isIdle && clock.sleeperCount == 0 })
        cache.core.loads.checkInvariants()
        #expect(cache.core.observedLoads.withLock { $0.isEmpty })
        #expect(await until { !cache.core.writer.hasLeases })
    }
}
