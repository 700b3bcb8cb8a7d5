import Dispatch
import FlatCache
import Synchronization
import Testing

@testable import FlatCacheDispatch

struct MemoryPressureWatchTests {
    private let trigger = Trigger()

    private func filledCache() -> Cache {
        let cache = Cache()
        cache.set(contentsOf: (0..<100).map { Leaf(id: $0) })
        return cache
    }

    private func watch(_ cache: Cache) -> MemoryPressureWatch {
        MemoryPressureWatch(
            cache,
            source: trigger.source,
            warning: .fraction(0.5),
            critical: .count(10)
        )
    }

    @Test(arguments: [(MemoryPressureLevel.warning, 50), (.critical, 10)])
    func eventTrimsToTheTargetOfItsLevel(level: MemoryPressureLevel, rest: Int) async {
        let cache = filledCache()
        let token = watch(cache).start { level }
        trigger.fire()
        #expect(await until { cache.count(of: Leaf.self) == rest })
        token.dispose()
        #expect(await until { trigger.end.isFired })
        #expect(cache.count(of: Leaf.self) == rest)
    }

    @Test func eventWithoutALevelTrimsNothing() async {
        let cache = filledCache()
        let looks = Locked(0)
        let token = watch(cache).start {
            looks.withLock { $0 += 1 }
            return nil
        }
        trigger.fire()
        #expect(await until { looks.withLock { $0 } > 0 })
        token.dispose()
        #expect(await until { trigger.end.isFired })
        #expect(cache.count(of: Leaf.self) == 100)
    }

    @Test func cacheIsTrimmedOnlyAfterAnEvent() async {
        let cache = filledCache()
        let token = watch(cache).start { .critical }
        token.dispose()
        trigger.fire()
        #expect(await until { trigger.end.isFired })
        #expect(cache.count(of: Leaf.self) == 100)
    }

    @Test func tokensEndIsTheEnd() async {
        let cache = filledCache()
        var token: Disposable? = watch(cache).start { .critical }
        #expect(token != nil)
        #expect(!trigger.end.isFired)
        token = nil
        #expect(await until { trigger.end.isFired })
        #expect(cache.count(of: Leaf.self) == 100)
    }

    @Test func disposalDuringTheLookPreventsTheTrim() async {
        let cache = filledCache()
        let token = Mutex<Disposable?>(nil)
        let started = watch(cache).start {
            token.withLock { $0.take() }?.dispose()
            return .critical
        }
        token.withLock { $0 = started }
        trigger.fire()
        #expect(await until { trigger.end.isFired })
        #expect(cache.count(of: Leaf.self) == 100)
    }

    @Test func itEndsWithTheCacheWhichItDoesNotKeepAlive() async {
        weak var weakCache: Cache?
        let token: Disposable
        do {
            let cache = filledCache()
            weakCache = cache
            token = watch(cache).start { .critical }
        }
        #expect(weakCache == nil)
        #expect(!trigger.end.isFired)
        trigger.fire()
        #expect(await until { trigger.end.isFired })
        token.dispose()
    }

    @Test func disposalReleasesTheWatchAndItsClosure() async {
        let cache = filledCache()
        let isReleased = Signal()
        weak var weakWatch: MemoryPressureWatch?
        do {
            let tracked = TrackedObject(isReleased)
            let watch = watch(cache)
            weakWatch = watch
            let token = watch.start { withExtendedLifetime(tracked) { .warning } }
            trigger.fire()
            #expect(await until { cache.count(of: Leaf.self) == 50 })
            token.dispose()
        }
        #expect(await until { isReleased.isFired })
        #expect(await until { trigger.end.isFired })
        #expect(weakWatch == nil)
    }

    @Test func valuesInUseStay() async {
        let cache = filledCache()
        let tokens = [
            cache.pin(Leaf.self, id: 3),
            cache.cached(Leaf.self, id: 5).observe { _ in },
            MemoryPressureWatch(
                cache,
                source: trigger.source,
                warning: .fraction(0),
                critical: .fraction(0)
            ).start { .critical },
        ]
        trigger.fire()
        #expect(await until { cache.count(of: Leaf.self) == 2 })
        #expect(cache.ids(of: Leaf.self).sorted() == [3, 5])
        for token in tokens { token.dispose() }
    }
}
