import TestSupport
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Removals of all values, most of which exchange the segments of a table.
@Suite(.exclusive)
struct CacheEmptyingTests {
    private let cache = Cache()

    private func fill(_ cache: Cache, _ count: Int = 200) {
        cache.set(contentsOf: (0..<count).map { Station(id: $0) })
    }

    private func segments(of cache: Cache) -> SegmentList<Station> {
        cache.core.tables.table(of: Station.self).segments
    }

    /// Removes all stations; returns whether their segments were exchanged.
    private func removesAtOnce(_ cache: Cache, _ remove: (Cache) -> Int) -> Bool {
        let former = segments(of: cache)
        let count = cache.count(of: Station.self)
        #expect(remove(cache) == count)
        #expect(cache.count(of: Station.self) == 0)
        #expect((0..<count).allSatisfy { cache[Station.self, $0] == nil })
        cache.core.checkInvariants()
        return segments(of: cache) !== former
    }

    @Test func loneRemovalExchangesSegments() {
        fill(cache)
        #expect(removesAtOnce(cache) { $0.removeAll(Station.self) })
        fill(cache)
        #expect(removesAtOnce(cache) { $0.removeAll() })
        fill(cache)
        #expect(cache.count(of: Station.self) == 200)
    }

    @Test func removalOfAllTypesExchangesSegmentsOfEach() {
        fill(cache)
        cache.set(Note(id: 1, text: "A"))
        let table = cache.core.tables.table(of: Note.self)
        let former = table.segments
        let version = cache.core.clock.visibleVersion
        #expect(cache.removeAll() == 201)
        #expect(cache[Note.self, 1] == nil)
        #expect(table.segments !== former)
        #expect(cache.core.clock.visibleVersion == version + 1)
    }

    @Test func removalFromAnEmptyCacheIsNoCommit() {
        fill(cache)
        cache.removeAll()
        let version = cache.core.clock.visibleVersion
        #expect(cache.removeAll(Station.self) == 0)
        #expect(cache.removeAll() == 0)
        #expect(cache.core.clock.visibleVersion == version)
    }

    @Test func handlesFindLaterValues() {
        fill(cache)
        let handle = cache.cached(Station.self, id: 7)
        #expect(handle.value?.id == 7)
        cache.removeAll(Station.self)
        #expect(handle.value == nil)
        cache.set(Station(id: 7, revision: 2))
        #expect(handle.value?.revision == 2)
    }

    @Test func openSnapshotKeepsItsValues() {
        fill(cache)
        cache.withSnapshot { snapshot in
            #expect(!removesAtOnce(cache) { $0.removeAll(Station.self) })
            #expect(snapshot.count(of: Station.self) == 200)
            #expect(snapshot[Station.self, 3]?.id == 3)
        }
    }

    @Test func observersAreNotified() {
        fill(cache)
        let removed = Recorder<Int>()
        let token = cache.cached(Station.self, id: 3).observeChanges { removed.append($0.id) }
        #expect(!removesAtOnce(cache) { $0.removeAll(Station.self) })
        #expect(removed.all == [3])
        token.dispose()
        fill(cache)
        #expect(removesAtOnce(cache) { $0.removeAll(Station.self) })
        #expect(removed.all == [3])
    }

    @Test func observersOfAllEntitiesAreNotified() {
        fill(cache, 20)
        let removed = Recorder<Int>()
        let token = cache.observeAll(Station.self) { removed.append($0.changes.count) }
        #expect(!removesAtOnce(cache) { $0.removeAll() })
        #expect(removed.all == [20])
        token.dispose()
    }

    @Test func batchRollsBackRemoval() {
        struct Failure: Error {}
        fill(cache)
        #expect(throws: Failure.self) {
            try cache.performBatchUpdates { batch in
                batch.removeAll(Station.self)
                throw Failure()
            }
        }
        #expect(cache.count(of: Station.self) == 200)
    }

    @Test func stampsOfRemovedEntitiesAreForgotten() {
        cache.set(Station(id: 1), modifiedAt: 10)
        #expect(removesAtOnce(cache) { $0.removeAll(Station.self) })
        cache.set(Station(id: 1, revision: 5), modifiedAt: 3)
        #expect(cache[Station.self, 1]?.revision == 5)
    }

    @Test func limitCountsLaterValuesOnly() {
        var configuration = CacheConfiguration()
        configuration.limit(Station.self, .count(250))
        let cache = Cache(configuration: configuration)
        fill(cache)
        #expect(removesAtOnce(cache) { $0.removeAll(Station.self) })
        fill(cache)
        #expect(cache.count(of: Station.self) == 200)
        fill(cache, 300)
        #expect(cache.count(of: Station.self) == 250)
        cache.core.checkInvariants()
    }

    @Test("A snapshot shows the values of all types or none while they are removed")
    func snapshotsAreWhole() {
        let cache = cache
        let isEnded = Signal()
        let isInTime = onThreads(3) { thread in
            if thread == 0 {
                for revision in 1...300 {
                    cache.performBatchUpdates { batch in
                        for id in 0..<40 { batch.set(Station(id: id, revision: revision)) }
                        batch.set(Note(id: 1, text: "A"))
                    }
                    cache.removeAll()
                }
                isEnded.fire()
                return
            }
            while !isEnded.isFired {
                cache.withSnapshot { snapshot in
                    let count = snapshot.count(of: Station.self)
                    #expect(count == 0 || count == 40)
                    #expect((snapshot[Station.self, 20] != nil) == (count == 40))
                    #expect((snapshot[Note.self, 1] != nil) == (count == 40))
                }
            }
        }
        #expect(isInTime)
        cache.core.checkInvariants()
    }
}
