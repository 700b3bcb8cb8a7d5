import TestSupport
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct UnwrittenEntitiesTests {
    private func limited(
        _ limit: CacheLimit<Item>,
        expires expiration: CacheExpiration<Item> = .never,
        clock: SleeplessClock = SleeplessClock()
    ) -> (Cache, Archive<Item>) {
        var configuration = CacheConfiguration(clock: clock)
        configuration.limit(Item.self, limit, expires: expiration)
        let (cache, archive) = (Cache(configuration: configuration), Archive<Item>())
        archive.attach(to: cache)
        return (cache, archive)
    }

    @Test(arguments: [CacheLimit<Item>.count(1_000), .cost(3_000) { _ in 3 }])
    func limitDiscardsNoUnwrittenEntity(limit: CacheLimit<Item>) {
        let (cache, archive) = limited(limit)
        for start in stride(from: 0, to: 100_000, by: 10_000) {
            cache.set(contentsOf: (start..<start + 10_000).map { Item(id: $0) })
        }
        for id in 0..<100 { cache.set(Item(id: id, price: 1)) }
        #expect(cache.count(of: Item.self) == 100_000)
        archive.flush(confirms: false)
        #expect(cache.count(of: Item.self) == 100_000)
        archive.access.putBack([archive.journal])
        archive.flush()
        #expect(archive.values.count == 100_000)
        #expect(cache.count(of: Item.self) == 1_000)
        cache.core.checkInvariants()
    }

    @Test func entityThatChangesWhileItIsWrittenStaysInUse() {
        let (cache, archive) = limited(.count(1))
        cache.set(contentsOf: (0..<5).map { Item(id: $0) })
        archive.access.withSnapshot(taking: [archive.journal]) { _ in
            cache.set(contentsOf: [Item(id: 2, price: 1), Item(id: 3, price: 1)])
        }
        archive.access.confirm([archive.journal])
        #expect(Set(cache.ids(of: Item.self)) == [2, 3])
        archive.flush()
        #expect(cache.count(of: Item.self) == 1)
    }

    @Test func unwrittenEntitiesAreNeitherTrimmedNorPrunedNorExpired() {
        let clock = SleeplessClock()
        let (cache, archive) = limited(
            .unlimited,
            expires: .afterWrite(.seconds(1)),
            clock: clock
        )
        cache.set(contentsOf: (0..<5).map { Item(id: $0) })
        #expect(cache.trim(to: .count(0)) == 0)
        #expect(cache.pruneUnobservedValues() == 0)
        clock.advance(by: .seconds(2))
        cache.expireValues()
        #expect(cache.count(of: Item.self) == 5)
        archive.flush()
        cache.expireValues()
        #expect(cache.count(of: Item.self) == 0)
        #expect(archive.values.count == 5)
    }

    @Test func restoredEntityIsNotInUse() {
        let (cache, archive) = limited(.count(10))
        archive.rows.withLock { rows in
            for id in 0..<100 { rows[id] = .init(value: Item(id: id)) }
        }
        archive.restore()
        #expect(cache.count(of: Item.self) == 10)
    }

    @Test func endOfAJournalReleasesItsEntities() {
        let (cache, archive) = limited(.count(10))
        cache.set(contentsOf: (0..<100).map { Item(id: $0) })
        archive.detach()
        for id in 100..<200 { cache.set(Item(id: id)) }
        #expect(cache.count(of: Item.self) == 10)
        cache.core.checkInvariants()
    }

    @Test func endOfTheCacheLeavesNothingUnwritten() {
        let archive = Archive<Item>()
        var cache: Cache? = Cache()
        cache.map(archive.attach)
        cache?.set(Item(id: 1))
        archive.flush(confirms: false)
        cache?.set(contentsOf: [Item(id: 1, price: 1), Item(id: 2)])
        cache = nil
        #expect(archive.values == [1: Item(id: 1, price: 1), 2: Item(id: 2)])
        archive.access.confirm([archive.journal])
        archive.restore()
        #expect(archive.access.isClosed)
    }

    @Test func snapshotThatIsReadWhileTheCacheEndsIsTakenAgain() {
        let archive = Archive<Item>()
        var cache: Cache? = Cache()
        cache.map(archive.attach)
        cache?.set(Item(id: 1))
        archive.access.withSnapshot(taking: [archive.journal]) { _ in cache = nil }
        #expect(archive.access.isClosed)
        #expect(archive.values == [1: Item(id: 1)])
    }

    @Test func releasedParticipantRetainsNothing() {
        weak var released: Archive<Item>?
        weak var core: CacheCore?
        do {
            let archive = Archive<Item>()
            released = archive
            var cache: Cache? = Cache()
            core = cache?.core
            cache.map(archive.attach)
            cache?.set(Item(id: 1))
            cache = nil
            archive.detach()
        }
        #expect(released == nil)
        #expect(core == nil)
    }
}
