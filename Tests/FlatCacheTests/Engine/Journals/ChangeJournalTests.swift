import TestSupport
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

@Suite(.exclusive)
struct ChangeJournalTests {
    let cache = Cache()
    let archive = Archive<Item>()

    init() { archive.attach(to: cache) }

    @Test func entityIsListedOnceHoweverOftenItChanges() {
        for price in 0..<5 { cache.set(Item(id: 1, price: price)) }
        cache.update(Item.self, id: 1) { $0.price = 9 }
        cache.performBatchUpdates { $0.set(Item(id: 2)) }
        #expect(Array(archive.journal.changes.stored) == [1, 2])
        #expect(archive.signals.count == 1)
        archive.flush()
        #expect(archive.values == [1: Item(id: 1, price: 9), 2: Item(id: 2)])
        #expect(archive.journal.changes.isEmpty)
        cache.set(Item(id: 1, price: 10))
        #expect(Array(archive.journal.changes.stored) == [1])
        #expect(archive.signals.count == 2)
    }

    @Test func journalDoesNotPreventExchangesInPlace() {
        cache.set(Item(id: 1, price: 1))
        let recorded = archive.origins.count
        cache.set(Item(id: 1, price: 2))
        #expect(archive.origins.count == recorded)
        archive.flush()
        #expect(archive.values == [1: Item(id: 1, price: 2)])
    }

    @Test func journalBeginsWithTheStoredEntities() {
        let cache = Cache()
        cache.set(contentsOf: [Item(id: 1), Item(id: 2)])
        let archive = Archive<Item>()
        archive.attach(to: cache)
        archive.flush()
        #expect(Set(archive.values.keys) == [1, 2])
    }

    @Test func snapshotShowsExactlyTheTakenChanges() {
        cache.set(Item(id: 1))
        archive.access.withSnapshot(taking: [archive.journal]) { snapshot in
            cache.set(Item(id: 1, price: 7))
            cache.set(Item(id: 2))
            #expect(archive.journal.taken.map { Array($0.stored) } == [1])
            #expect(snapshot.stored(Item.self, id: 1)?.value == Item(id: 1))
            #expect(snapshot.stored(Item.self, id: 2) == nil)
        }
        #expect(Set(archive.journal.changes.stored) == [1, 2])
        archive.access.confirm([archive.journal])
        archive.flush()
        #expect(archive.values == [1: Item(id: 1, price: 7), 2: Item(id: 2)])
    }

    @Test func changesThatCouldNotBeWrittenAreTakenAgain() {
        cache.set(contentsOf: [Item(id: 1), Item(id: 2)])
        cache.remove(Item.self, id: 3)
        archive.flush(confirms: false)
        cache.set(contentsOf: [Item(id: 2, price: 5), Item(id: 4)])
        archive.access.putBack([archive.journal])
        #expect(Array(archive.journal.changes.stored) == [1, 2, 4])
        #expect(Array(archive.journal.changes.removed) == [3])
        archive.flush()
        #expect(archive.values[2] == Item(id: 2, price: 5))
    }

    @Test("A flush writes each value with its stamp, while a thread writes values with later ones")
    func stampsBelongToTheValues() {
        let ids = 0..<3_000
        cache.set(contentsOf: ids.map { Item(id: $0) }, modifiedAt: 0)
        let stop = Signal()
        let writer = RunningThread { [cache] in
            var price = 0
            while !stop.isFired {
                price += 1
                for id in ids { cache.set(Item(id: id, price: price), modifiedAt: price) }
            }
        }
        for _ in 0..<20 {
            // The stamps of all entities are read, in several slices.
            archive.access.recordAll(in: [archive.journal])
            archive.flush()
            let rows = archive.rows.withLock { $0 }
            #expect(rows.count == ids.count)
            #expect(rows.values.allSatisfy { $0.stamp as? Int == $0.value.price })
        }
        stop.fire()
        #expect(writer.wait())
    }

    @Test func rolledBackTransactionIsNotListed() {
        #expect(throws: CancellationError.self) {
            try cache.performBatchUpdates { batch in
                batch.set(Item(id: 1))
                batch.remove(Item.self, id: 2)
                batch.removeAll(Item.self)
                batch.invalidate(Item.self, id: 3)
                batch.replace(Item(id: 4))
                throw CancellationError()
            }
        }
        cache.performBatchUpdates { _ in
            try? cache.performBatchUpdates { inner in
                inner.remove(Item.self, id: 5)
                inner.replace(Item(id: 4))
                throw CancellationError()
            }
        }
        #expect(archive.journal.changes.isEmpty)
        #expect(archive.journal.changes.overwritten.isEmpty)
        #expect(archive.signals.count == 0)
    }

    @Test func removalsAreListedEvenIfMemoryHoldsNothing() {
        cache.remove(Item.self, id: 1)
        #expect(Array(archive.journal.changes.removed) == [1])
        archive.flush()
        cache.removeAll(Item.self)
        #expect(archive.journal.changes.removesAll)
        archive.flush()
        cache.removeAll(ItemGroup.self)
        #expect(archive.journal.changes.isEmpty)
        cache.removeAll()
        #expect(archive.journal.changes.removesAll)
    }

    @Test func removedEntityThatIsStoredAgainIsListedAlthoughItsValueIsUnchanged() {
        let item = Item(id: 1, price: 1)
        cache.set(item)
        archive.flush()
        cache.performBatchUpdates { batch in
            batch.remove(Item.self, id: 1)
            batch.set(item)
        }
        archive.flush()
        #expect(archive.values == [1: item])
        cache.performBatchUpdates { batch in
            batch.removeAll(Item.self)
            batch.set(item)
        }
        archive.flush()
        #expect(archive.values == [1: item])
    }

    @Test func invalidationsAreListedEvenIfMemoryHoldsNothing() {
        cache.set(Item(id: 1))
        archive.flush()
        cache.invalidate(Item.self, id: 1)
        cache.invalidate(Item.self, id: 2)
        #expect(archive.journal.changes.stored.isEmpty)
        #expect(Set(archive.journal.changes.invalidated) == [1, 2])
        archive.flush()
        #expect(archive.rows.withLock { $0[1]?.freshness.staleFor } != nil)
        cache.set(Item(id: 1, price: 1))
        cache.invalidate(Item.self, id: 1)
        #expect(Array(archive.journal.changes.stored) == [1])
        #expect(archive.journal.changes.invalidated.isEmpty)
        archive.flush()
        #expect(archive.rows.withLock { $0[1]?.freshness.staleFor } != nil)
        cache.invalidate(Item.self)
        #expect(archive.journal.changes.invalidatesAll)
    }

    @Test func evictionsExpiriesAndPruningsAreNoChanges() {
        let clock = SleeplessClock()
        var configuration = CacheConfiguration(clock: clock)
        configuration.limit(Item.self, .count(2), expires: .afterWrite(.seconds(1)))
        let cache = Cache(configuration: configuration)
        let archive = Archive<Item>()
        archive.attach(to: cache)
        cache.set(contentsOf: (0..<4).map { Item(id: $0) })
        archive.flush()
        #expect(cache.count(of: Item.self) == 2)
        clock.advance(by: .seconds(2))
        cache.expireValues()
        #expect(cache.count(of: Item.self) == 0)
        cache.set(Item(id: 5))
        archive.flush()
        #expect(cache.pruneUnobservedValues() == 1)
        #expect(archive.journal.changes.isEmpty)
        archive.flush()
        #expect(Set(archive.values.keys) == [0, 1, 2, 3, 5])
    }

    @Test func ownedEntityIsRemovedWithItsOwnerEvenIfMemoryDoesNotHoldIt() {
        struct Order: Identifiable, Sendable, OwnsCachedValues {
            let id: Int
            var ownedCacheKeys: Set<CacheKey> { [CacheKey(Item.self, id: id)] }
        }
        cache.set(Order(id: 1))
        cache.remove(Order.self, id: 1)
        #expect(Array(archive.journal.changes.removed) == [1])
    }

    @Test func renewalIsAChangeOfATypeWithLifetimes() {
        let clock = SleeplessClock()
        var configuration = CacheConfiguration(clock: clock)
        configuration.limit(Item.self, .unlimited, staleAfter: .seconds(60))
        let cache = Cache(configuration: configuration)
        let archive = Archive<Item>()
        archive.attach(to: cache)
        cache.set(Item(id: 1))
        cache.performBatchUpdates { $0.set(Item(id: 2)) }
        archive.flush()
        clock.advance(by: .seconds(5))
        #expect(archive.rows.withLock { $0[1]?.freshness.age } == .zero)
        cache.set(Item(id: 1))
        cache.performBatchUpdates { $0.set(Item(id: 2)) }
        #expect(Array(archive.journal.changes.stored) == [1, 2])
        clock.advance(by: .seconds(3))
        archive.flush()
        #expect(archive.rows.withLock { $0[1]?.freshness.age } == .seconds(3))
        #expect(cache.version == 2)
    }

    @Test func equalValueOfATypeWithoutLifetimesIsNoChange() {
        cache.set(Item(id: 1))
        archive.flush()
        cache.set(Item(id: 1))
        cache.performBatchUpdates { $0.set(Item(id: 1)) }
        #expect(archive.journal.changes.isEmpty)
    }

    @Test func insertedEntitiesAreListedUntilTheyAreReplaced() {
        cache.set(Item(id: 1))
        cache.set(Item(id: 1, price: 2))
        cache.set(Item(id: 2))
        cache.replace(Item(id: 2, price: 3))
        cache.replace(Item(id: 3))
        cache.remove(Item.self, id: 4)
        cache.set(Item(id: 4))
        #expect(Array(archive.journal.changes.inserted) == [1, 2, 3, 4])
        let overwritten = [1, 2, 3, 4].filter(archive.journal.changes.isOverwritten)
        #expect(overwritten == [2, 3, 4])
    }

    @Test func entitiesStayListedOnceWhenSegmentsAreDivided() {
        cache.set(contentsOf: (0..<10).map { Item(id: $0) })
        cache.remove(Item.self, id: 3)
        for id in 10..<2_000 { cache.set(Item(id: id)) }
        cache.set(Item(id: 5, price: 1))
        #expect(archive.journal.changes.stored.filter { $0 == 5 } == [5])
        archive.flush(confirms: false)
        for id in 2_000..<9_000 { cache.set(Item(id: id)) }
        #expect(archive.journal.taken?.stored.count == 2_000)
        #expect(archive.journal.heldCount == 7_000)
        cache.core.checkInvariants()
    }

    @Test func twoJournalsOfOneTypeTrap() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let cache = Cache()
            let archives = [Archive<Item>(), Archive<Item>()]
            for archive in archives { archive.attach(to: cache) }
        }
        let message = try #require(result?.message)
        #expect(message.contains("Item is already kept by another graph of this cache. Detach"))
    }
}
