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

    @Test func participantAndItsHookAreReleasedUnderNoLock() {
        final class WritingAtItsEnd: CommitRecorder {
            let cache: Cache
            let id: Int
            init(_ cache: Cache, id: Int) {
                self.cache = cache
                self.id = id
            }
            func record(_ commit: inout Commit) {}
            deinit { cache.set(Item(id: id)) }
        }
        func hook() -> ExchangeHook {
            let captured = WritingAtItsEnd(cache, id: 8)
            return ExchangeHook(of: Item.self) { _, _ in captured.id == 8 }
        }
        let token = cache.add(WritingAtItsEnd(cache, id: 9), exchangeHooks: [hook()])
        token.dispose()
        #expect(Set(cache.ids(of: Item.self)) == [8, 9])
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
