import Synchronization
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests limits and expirations while several threads use the cache in all ways.
///
/// `RandomTestSettings` describes how to repeat a failure and how to run for longer.
@Suite(.exclusive)
struct LimitStressTests {
    @Test(
        .timeLimit(.minutes(15)),
        arguments: RandomTestSettings(seeds: 3, hasThreads: true).seeds
    )
    func valuesInUseStayBesideOtherThreads(seed: Seed) {
        let clock = SleeplessClock()
        var configuration = CacheConfiguration(clock: clock)
        configuration.segmentSize = .small
        configuration.limit(Station.self, .count(50), expires: .afterWrite(.seconds(5)))
        let cache = Cache(configuration: configuration)
        // Each thread has its own entities, which no other thread removes.
        let kept = 4
        let rounds = 1_500
        let problems = Recorder<String>()
        let ended = onThreads(4) { thread in
            var random = SplitMix64(seed: seed, stream: thread)
            let own = (0..<kept).map { 1_000 + thread * kept + $0 }
            let tokens = own.map { id in
                random.oneIn(2)
                    ? cache.pin(Station.self, id: id)
                    : cache.cached(Station.self, id: id).observe { _ in }
            }
            cache.set(contentsOf: own.map { Station(id: $0) })
            for round in 0..<rounds {
                switch random.below(12) {
                case 0: cache.expireValues()
                case 1: clock.advance(by: .milliseconds(100))
                case 2: cache.trim(to: .count(20))
                case 3: cache.pruneUnobservedValues()
                case 4:
                    cache.limit(
                        Station.self,
                        .count(40 + random.below(20)),
                        expires: .afterWrite(.seconds(5))
                    )
                case 5:
                    cache.cached(Station.self, id: random.below(200)).observe { _ in }.dispose()
                case 6:
                    cache.performBatchUpdates { batch in
                        for _ in 0..<5 { batch.set(Station(id: random.below(200))) }
                    }
                case 7, 8: cache.set(Station(id: random.below(200), revision: round))
                default:
                    for _ in 0..<10 { _ = cache.get(Station.self, id: random.below(200)) }
                }
                for id in own where cache.get(Station.self, id: id) == nil {
                    problems.append("\(id) was removed in round \(round)")
                }
            }
            for token in tokens { token.dispose() }
        }
        #expect(ended)
        #expect(cache.isSettled())
        #expect(problems.all == [])
        cache.expireValues()
        cache.core.checkInvariants()
        clock.advance(by: .seconds(10))
        cache.expireValues()
        #expect(cache.count(of: Station.self) == 0)
        cache.core.checkInvariants()
    }

    @Test(
        .timeLimit(.minutes(15)),
        arguments: RandomTestSettings(seeds: 1, hasThreads: true).seeds
    )
    func observersOfATypeReceiveTheWholeHistory(seed: Seed) async {
        var configuration = CacheConfiguration()
        configuration.segmentSize = .small
        configuration.limit(Station.self, .count(20), expires: .afterWrite(.milliseconds(2)))
        let cache = Cache(configuration: configuration)
        let contents = Locked<[Int: Station]>([:])
        let mistakes = Recorder<String>()
        let token = cache.observeAll(Station.self) { commit in
            contents.withLock { contents in
                for change in commit.changes {
                    if contents[change.id] != change.old { mistakes.append("\(change)") }
                    contents[change.id] = change.new
                }
            }
        }
        let ended = onThreads(3) { thread in
            var random = SplitMix64(seed: seed, stream: thread)
            for round in 0..<3_000 {
                cache.set(Station(id: random.below(100), revision: round))
                if random.oneIn(20) { _ = cache.trim(to: .fraction(0.5)) }
            }
        }
        #expect(ended)
        #expect(cache.isSettled())
        #expect(mistakes.all == [])
        // Due values expire without further calls.
        #expect(await until { cache.count(of: Station.self) == 0 })
        #expect(await until { contents.withLock { $0.isEmpty } })
        token.dispose()
        cache.core.checkInvariants()
    }

    @Test(
        .timeLimit(.minutes(15)),
        arguments: RandomTestSettings(seeds: 1, hasThreads: true).seeds
    )
    func readersNeverReceiveAnotherEntity(seed: Seed) {
        var configuration = CacheConfiguration()
        configuration.segmentSize = .small
        configuration.limit(Station.self, .count(30))
        let cache = Cache(configuration: configuration)
        let wrong = Atomic<Int>(0)
        let writersLeft = Atomic<Int>(2)
        let ended = onThreads(4) { thread in
            var random = SplitMix64(seed: seed, stream: thread)
            if thread < 2 {
                for round in 0..<4_000 {
                    // Changing the limit makes the table grow and shrink.
                    if round % 500 == 0 { cache.limit(Station.self, .count(round % 1_000 + 30)) }
                    cache.set(Station(id: random.below(2_000), revision: round))
                }
                writersLeft.subtract(1, ordering: .releasing)
                return
            }
            let handles = (0..<2_000).map { cache.cached(Station.self, id: $0) }
            while writersLeft.load(ordering: .acquiring) > 0 {
                let id = random.below(2_000)
                if let value = handles[id].value, value.id != id {
                    wrong.add(1, ordering: .relaxed)
                }
                if let value = cache.get(Station.self, id: id), value.id != id {
                    wrong.add(1, ordering: .relaxed)
                }
                if case .stale = handles[id].freshness { wrong.add(1, ordering: .relaxed) }
            }
        }
        #expect(ended)
        #expect(cache.isSettled())
        #expect(wrong.load(ordering: .relaxed) == 0)
        cache.core.checkInvariants()
    }
}
