import Testing

@testable import FlatCache

/// Tests the keys that the cache reports for refreshing.
struct CacheRefreshingTests {
    let clock = ManualClock()
    let cache: Cache

    init() {
        var configuration = CacheConfiguration(clock: clock)
        configuration.limit(Station.self, .forever, expires: .afterWrite(.seconds(10)))
        cache = Cache(configuration: configuration)
    }

    private func key(_ id: Int) -> CacheKey { CacheKey(Station.self, id: id) }

    private func pass(_ seconds: Int) {
        clock.advance(by: .seconds(seconds))
        cache.expireValues()
    }

    @Test func watchedEntityReportsThatItBecameStale() async {
        var keys = cache.refreshNeeded.makeAsyncIterator()
        cache.set(contentsOf: [Station(id: 1, next: [2]), Station(id: 2), Station(id: 3)])
        let token = cache.observe(Station.self, id: 1) { _ in }
        pass(10)
        let found = [await keys.next(), await keys.next()]
        // The keys include related entities, but not unobserved ones.
        #expect(Set(found) == [key(1), key(2)])
        cache.set(Station(id: 1, next: [2]))
        pass(10)
        #expect(await keys.next() == key(1))
        token.dispose()
    }

    @Test func staleEntitiesAreFirst() async {
        cache.set(Station(id: 1))
        let token = cache.observe(Station.self, id: 1) { _ in }
        pass(10)
        var keys = cache.refreshNeeded.makeAsyncIterator()
        #expect(await keys.next() == key(1))
        token.dispose()
    }

    @Test func staleEntityIsReportedWhenItBecomesWatched() async {
        let pin = cache.pin(Station.self, id: 1)
        cache.set(Station(id: 1))
        var keys = cache.refreshNeeded.makeAsyncIterator()
        pass(10)
        let token = cache.observe(Station.self, id: 1) { _ in }
        #expect(await keys.next() == key(1))
        token.dispose()
        // A commit adds a relationship that reaches the stale entity.
        let other = cache.observe(Station.self, id: 5) { _ in }
        cache.set(Station(id: 5, next: [1]))
        #expect(await keys.next() == key(1))
        other.dispose()
        pin.dispose()
    }

    @Test func aServiceFetchesReportedKeysUntilTheReleaseOfTheCache() async {
        var cache: Cache? = self.cache
        cache?.set(Station(id: 1))
        let token = cache?.observe(Station.self, id: 1) { _ in }
        let keys = cache?.refreshNeeded
        let fetched = Recorder<CacheKey>()
        let service = Task {
            guard let keys else { return }
            for await key in keys { fetched.append(key) }
        }
        pass(10)
        #expect(await soon { fetched.all == [key(1)] })
        cache = nil
        token?.dispose()
        service.cancel()
        await service.value
    }

    @Test func iteratorThatBeginsDuringAnExpiryReturnsEachKeyOnce() async {
        let other = cache.observe(Station.self, id: 0) { _ in }
        for id in 1...300 {
            cache.set(Station(id: id))
            let token = cache.observe(Station.self, id: id) { _ in }
            clock.advance(by: .seconds(10))
            let expiry = RunningThread { [cache] in cache.expireValues() }
            var keys = cache.refreshNeeded.makeAsyncIterator()
            #expect(expiry.wait())
            #expect(await keys.next() == key(id))
            // A second event of the entity would precede this one.
            cache.set(Station(id: 0))
            pass(10)
            #expect(await keys.next() == key(0))
            cache.remove(Station.self, id: 0)
            cache.remove(Station.self, id: id)
            token.dispose()
        }
        other.dispose()
    }

    @Test func theSequenceEndsWithTheCache() async {
        var cache: Cache? = Cache()
        var keys = cache?.refreshNeeded.makeAsyncIterator()
        cache = nil
        #expect(await keys?.next() == nil)
    }
}
