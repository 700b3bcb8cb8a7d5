import Synchronization
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct TableTests {
    /// An entity whose identifiers have equal hashes, so that one stripe and one probe sequence
    /// hold them.
    struct Colliding: Identifiable, Sendable, Equatable {
        struct ID: Hashable, Sendable {
            let number: Int
            func hash(into hasher: inout Hasher) { hasher.combine(0) }
        }

        let id: ID
        var revision = 0
    }

    private func slotCount(of cache: Cache) -> Int {
        var count = 0
        cache.core.tables.existingTable(of: Station.self)?.forEachSegment { count += $1.capacity }
        return count
    }

    @Test func identifiersWithEqualHashesAreDistinguished() {
        let cache = Cache()
        let ids = (0..<60).map { Colliding.ID(number: $0) }
        let handles = ids.map { cache.cached(Colliding.self, id: $0) }
        cache.set(contentsOf: ids.map { Colliding(id: $0, revision: $0.number) })
        #expect(handles.map { $0.value?.revision } == Array(0..<60))
        for id in ids where id.number % 3 != 0 { cache.remove(Colliding.self, id: id) }
        cache.core.checkInvariants()
        for (id, handle) in zip(ids, handles) {
            #expect(handle.value?.revision == (id.number % 3 == 0 ? id.number : nil))
            #expect(cache[Colliding.self, id]?.revision == handle.value?.revision)
        }
        #expect(cache.count(of: Colliding.self) == 20)
    }

    /// An entity whose identifiers implement `hashValue` themselves, with equal lower halves, as
    /// some Foundation classes do.
    struct HalfColliding: Identifiable, Sendable {
        struct ID: Hashable, Sendable {
            let number: Int
            /// The number of comparisons of two identifiers.
            static let comparisons = Atomic<Int>(0)

            static func == (left: ID, right: ID) -> Bool {
                comparisons.add(1, ordering: .relaxed)
                return left.number == right.number
            }
            var hashValue: Int { number &<< 32 }
            func hash(into hasher: inout Hasher) { hasher.combine(hashValue) }
        }

        let id: ID
    }

    @Test func poorHashValuesSuffice() {
        let cache = Cache()
        cache.set(
            contentsOf: (0..<2_000).lazy.map { HalfColliding(id: HalfColliding.ID(number: $0)) }
        )
        HalfColliding.ID.comparisons.store(0, ordering: .relaxed)
        for number in 0..<2_000 {
            #expect(cache.contains(HalfColliding.self, id: HalfColliding.ID(number: number)))
        }
        #expect(HalfColliding.ID.comparisons.load(ordering: .relaxed) < 2_000 * 2)
    }

    @Test func repeatedInsertionsDontGrowTheTable() {
        let cache = Cache()
        cache.set(contentsOf: (0..<50_000).lazy.map { Station(id: $0 % 10, revision: $0) })
        #expect(slotCount(of: cache) < 1_000)
        #expect(cache.values(of: Station.self).count == 10)
        cache.core.checkInvariants()
    }

    @Test func releasesMemoryWhenMostEntriesAreRemoved() {
        let cache = Cache()
        cache.set(contentsOf: (0..<20_000).lazy.map { Station(id: $0) })
        let handles = [cache.cached(Station.self, id: 5), cache.cached(Station.self, id: 15_000)]
        #expect(handles.map { $0.value?.id } == [5, 15_000])
        let changes = Recorder<EntityChange<Station>>()
        let observation = cache.cached(Station.self, id: 7).observeChanges { changes.append($0) }
        let full = slotCount(of: cache)
        #expect(full >= 20_000)

        cache.performBatchUpdates { batch in
            for id in 10..<20_000 { batch.remove(Station.self, id: id) }
        }
        #expect(slotCount(of: cache) < full / 4)
        cache.core.checkInvariants()

        // Handles and observers find the kept entries.
        #expect(cache.ids(of: Station.self).sorted() == Array(0..<10))
        #expect(handles.map { $0.value?.id } == [5, nil])
        cache.touch(5)
        #expect(handles[0].value == cache[Station.self, 5])
        cache.touch(7)
        #expect(changes.all.map(\.kind) == [.updated])
        cache.set(Station(id: 15_000))
        #expect(handles[1].value?.id == 15_000)
        cache.core.checkInvariants()
        observation.dispose()
    }

    @Test func allKeptEntriesMayBeInOneStripe() {
        let cache = Cache()
        let kept = (0..<12).map { Colliding(id: Colliding.ID(number: $0)) }
        cache.set(contentsOf: kept)
        cache.set(contentsOf: (12..<1_500).map { Colliding(id: Colliding.ID(number: $0)) })
        cache.performBatchUpdates { batch in
            for number in 12..<1_500 {
                batch.remove(Colliding.self, id: Colliding.ID(number: number))
            }
        }
        #expect(cache.values(of: Colliding.self).count == 12)
        #expect(kept.allSatisfy { cache[Colliding.self, $0.id] == $0 })
        #expect(cache[Colliding.self, Colliding.ID(number: 12)] == nil)
        cache.core.checkInvariants()
    }

    @Test func valuesOfClosedLogsAreNotReadAgain() {
        let cache = Cache()
        func setInBatch(_ revisions: Int...) {
            cache.performBatchUpdates { batch in
                for revision in revisions {
                    batch.set(Colliding(id: Colliding.ID(number: 1), revision: revision))
                }
            }
            cache.core.checkInvariants()
        }
        setInBatch(1)
        setInBatch(2)
        // Stored in place, which leaves the table's log alone.
        cache.set(Colliding(id: Colliding.ID(number: 1), revision: 3))
        cache.core.checkInvariants()
        cache.withSnapshot { snapshot in
            setInBatch(4, 5)
            setInBatch(6)
            #expect(snapshot[Colliding.self, Colliding.ID(number: 1)]?.revision == 3)
        }
        #expect(cache[Colliding.self, Colliding.ID(number: 1)]?.revision == 6)
        #expect(cache.isSettled())
        cache.core.checkInvariants()
    }

    @Test func snapshotIsIteratedWhileItsTableGrowsAndShrinks() {
        let cache = Cache()
        cache.set(contentsOf: (0..<20_000).lazy.map { Station(id: $0) })
        let table = cache.core.tables.table(of: Station.self)
        cache.withSnapshot { snapshot in
            var seen: [Int] = []
            // The table grows and then shrinks during the iteration.
            table.forEachValue(at: snapshot.version) { id, station in
                seen.append(station.id)
                if seen.count == 5_000 {
                    cache.set(contentsOf: (20_000..<60_000).map { Station(id: $0) })
                }
                if seen.count == 12_000 { cache.removeAll(Station.self) }
                if seen.count == 15_000 { cache.set(Station(id: 70_000)) }
            }
            #expect(seen.sorted() == Array(0..<20_000))
            #expect(snapshot.count(of: Station.self) == 20_000)
            #expect(snapshot[Station.self, 17]?.id == 17)
            #expect(snapshot[Station.self, 20_017] == nil)
        }
        #expect(cache.ids(of: Station.self) == [70_000])
        // Another thread drops most of the kept values.
        #expect(cache.isSettled())
        #expect(slotCount(of: cache) < 1_000)
        cache.core.checkInvariants()
    }

    @Test func scanPassesOverFoundEntriesAfterSegmentsAreJoined() {
        var configuration = CacheConfiguration()
        configuration.segmentSize = SegmentSize(maximumCapacity: 16)
        let cache = Cache(configuration: configuration)
        let table = cache.core.tables.table(of: Station.self)
        let ids = Station.idsInOneStripe(60).sorted {
            table.hash(of: $0) < table.hash(of: $1)
        }
        cache.set(contentsOf: [ids[0], ids[59]].map { Station(id: $0) })
        let version = cache.core.clock.openSnapshot()
        cache.set(contentsOf: ids[1..<59].map { Station(id: $0) })
        var scan = StripeScan(of: table.stripe(at: 5))
        var found: [Int] = []
        while found.isEmpty, let next = scan.next(at: version) { found += next.map(\.id) }
        let segmentCount = table.segments.count
        for id in ids[1..<59] { cache.remove(Station.self, id: id) }
        cache.core.closeSnapshot(cache.core.clock.openSnapshot())
        #expect(table.segments.count < segmentCount)
        while let next = scan.next(at: version) { found += next.map(\.id) }
        #expect(found == [ids[0], ids[59]])
        cache.core.closeSnapshot(version)
        cache.core.checkInvariants()
    }

    /// A value whose bytes can't exist in two places.
    struct Watcher: Identifiable, Sendable {
        final class Target: Sendable {}

        let id: Int
        nonisolated(unsafe) weak var target: Target?
    }

    @Test func valuesWithWeakReferencesSurviveMoves() {
        let cache = Cache()
        let targets = (0..<500).map { _ in Watcher.Target() }
        for (id, target) in targets.enumerated() { cache.set(Watcher(id: id, target: target)) }
        for (id, target) in targets.enumerated() {
            #expect(cache[Watcher.self, id]?.target === target)
        }
        for id in 10..<500 { cache.remove(Watcher.self, id: id) }
        #expect((0..<10).allSatisfy { cache[Watcher.self, $0]?.target === targets[$0] })
        cache.core.checkInvariants()
    }

    @Test func comingAndGoingDoesNotMakeTheTableGrow() {
        let cache = Cache()
        cache.set(contentsOf: (0..<1_000).lazy.map { Station(id: $0) })
        let before = slotCount(of: cache)
        for id in 1_000..<20_000 {
            cache.set(Station(id: id))
            cache.remove(Station.self, id: id - 1_000)
        }
        #expect(cache.count(of: Station.self) == 1_000)
        #expect(slotCount(of: cache) <= before * 2)
        cache.core.checkInvariants()
    }

    @Test func handleDoesNotTakeAnotherEntryForItsOwn() {
        let cache = Cache()
        let handles = (0..<200).map { cache.cached(Station.self, id: $0) }
        for id in 0..<200 {
            cache.set(Station(id: id))
            #expect(handles[id].value?.id == id)
            cache.remove(Station.self, id: id)
            // The new entry takes the free slot.
            cache.set(Station(id: 1_000 + id))
            #expect(handles[id].value == nil)
        }
        cache.core.checkInvariants()
    }

    @Test func rolledBackBatchLeavesNoEntries() throws {
        struct Refusal: Error {}
        let cache = Cache()
        cache.set(Station(id: -1))
        try? cache.performBatchUpdates { batch in
            batch.set(contentsOf: (0..<1_000).map { Station(id: $0) })
            throw Refusal()
        }
        let table = try #require(cache.core.tables.existingTable(of: Station.self))
        #expect(table.entryCount == 1)
        cache.core.checkInvariants()
    }
}
