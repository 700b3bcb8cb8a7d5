import TestSupport
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct CommitParticipantTests {
    let cache = Cache()

    @Test func participantEndsWithItsTokenOrWithTheCache() {
        weak var first: ItemLog?
        weak var second: ItemLog?
        var cache: Cache? = Cache()
        var token: Disposable?
        do {
            let logs = (ItemLog(), ItemLog())
            (first, second) = logs
            let ending = cache.map(logs.0.register)
            token = cache.map(logs.1.register)
            ending?.dispose()
        }
        #expect(first == nil)
        #expect(second != nil)
        cache = nil
        #expect(second == nil)
        withExtendedLifetime(token) {}
    }

    @Test func participantIsReleasedUnderNoLock() {
        final class WritingAtItsEnd: CommitRecorder {
            let cache: Cache
            init(_ cache: Cache) { self.cache = cache }
            func record(_ commit: inout Commit) {}
            deinit { cache.set(Item(id: 9)) }
        }
        let token = cache.add(WritingAtItsEnd(cache))
        token.dispose()
        #expect(cache.ids(of: Item.self) == [9])
    }

    @Test("After random writes, rewritten, derived and recorded values agree with a naive model")
    func randomWrites() {
        let settings = RandomTestSettings(seeds: 100, steps: 60)
        settings.forEachSeed { seed in
            var run = ParticipantRun(seed: seed)
            return run.problem(steps: settings.steps).map {
                FailureReport(seed: seed, step: nil, problem: $0)
            }
        }
    }
}
