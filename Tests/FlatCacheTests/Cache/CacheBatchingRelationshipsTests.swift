import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests relationships that begin and end, with each kind of write.
struct CacheBatchingRelationshipsTests {
    struct Refusal: Error {}

    /// A method that writes a change of one station.
    enum Way: CaseIterable {
        case set, setContents, replace, update, batch, nestedBatch, handle, joining

        func write(_ station: Station, to cache: Cache) {
            switch self {
            case .set: cache.set(station)
            case .setContents: cache.set(contentsOf: [station])
            case .replace: cache.replace(station)
            case .update: cache.update(Station.self, id: station.id) { $0 = station }
            case .batch: cache.performBatchUpdates { $0.set(station) }
            case .nestedBatch:
                cache.performBatchUpdates { _ in
                    cache.performBatchUpdates { $0.set(station) }
                }
            case .handle: cache.cached(Station.self, id: station.id).value = station
            case .joining: cache.performBatchUpdates { _ in cache.set(station) }
            }
        }
    }

    let cache = Cache()
    let received = Recorder<Station.ID>()

    @Test(arguments: Way.allCases)
    func addedRelationshipsAreFollowed(way: Way) {
        cache.set(contentsOf: [Station(id: 1), Station(id: 2), Station(id: 3, next: [])])
        let observation = cache.record(1, in: received)
        way.write(Station(id: 1, next: [2]), to: cache)
        #expect(received.all == [1])
        cache.touch(2)
        #expect(received.all == [1, 1])
        way.write(Station(id: 2, revision: 5, next: [3]), to: cache)
        cache.touch(3)
        #expect(received.all == [1, 1, 1, 1])
        cache.core.checkInvariants()
        observation.dispose()
    }

    @Test(arguments: Way.allCases)
    func droppedRelationshipsAreNotFollowed(way: Way) {
        cache.set(contentsOf: [
            Station(id: 1, next: [2]), Station(id: 2, next: [3]), Station(id: 3),
        ])
        let observation = cache.record(1, in: received)
        way.write(Station(id: 1, next: []), to: cache)
        #expect(received.all == [1])
        cache.touch(2)
        cache.touch(3)
        #expect(received.all == [1])
        #expect(cache.core.watchedCount == 1)
        cache.core.checkInvariants()
        observation.dispose()
    }

    @Test(arguments: Way.allCases)
    func entitiesNewInTheSameWriteAreReached(way: Way) {
        let observation = cache.record(1, in: received)
        cache.set(contentsOf: [Station(id: 2, next: [3]), Station(id: 3)])
        #expect(received.all == [])
        way.write(Station(id: 1, next: [2]), to: cache)
        let afterTheFirst = received.count
        cache.touch(3)
        // An update of an absent value writes nothing.
        #expect(received.count == (way == .update ? 0 : afterTheFirst + 1))
        cache.core.checkInvariants()
        observation.dispose()
    }

    @Test func relationshipsOfABatchCountAtItsOwnCommit() {
        cache.set(contentsOf: [Station(id: 1), Station(id: 2, next: [3])])
        let observation = cache.record(1, in: received)
        let causes = Recorder<Set<CacheKey>>()
        let watching = cache.cached(Station.self, id: 1).observeChanges { causes.append($0.causes) }
        cache.performBatchUpdates { batch in
            batch.update(Station.self, id: 1) { $0.next = [2] }
            batch.set(Station(id: 3))
        }
        #expect(received.all == [1])
        #expect(causes.all == [[CacheKey(Station.self, id: 1), CacheKey(Station.self, id: 3)]])
        cache.touch(3)
        #expect(received.all == [1, 1])
        observation.dispose()
        watching.dispose()
    }

    @Test func relationshipsDroppedInABatchDontCountAtItsCommit() {
        cache.set(contentsOf: [
            Station(id: 0, next: [1]), Station(id: 1, next: [2]), Station(id: 2),
        ])
        let observation = cache.cached(Station.self, id: 0).observeChanges { change in
            #expect(change.causes == [CacheKey(Station.self, id: 1)])
            self.received.append(change.id)
        }
        cache.performBatchUpdates { batch in
            batch.touch(2)
            batch.set(Station(id: 1))
        }
        #expect(received.all == [0])
        observation.dispose()
    }

    @Test func relationshipsOfARolledBackNestedBatchAreNotFollowed() {
        cache.set(contentsOf: (0..<4).map { Station(id: $0) })
        let observation = cache.record(0, in: received)
        cache.performBatchUpdates { batch in
            batch.update(Station.self, id: 0) { $0.next = [1] }
            try? cache.performBatchUpdates { inner in
                inner.update(Station.self, id: 0) { $0.next = [2] }
                inner.set(Station(id: 1, next: [3]))
                throw Refusal()
            }
        }
        #expect(received.all == [0])
        cache.touch(2)
        cache.touch(3)
        #expect(received.all == [0])
        cache.touch(1)
        #expect(received.all == [0, 0])
        cache.core.checkInvariants()
        observation.dispose()
    }

    @Test func relationshipsOfABatchThatThrowsAreNotFollowed() {
        cache.set(contentsOf: (0..<3).map { Station(id: $0, next: $0 == 0 ? [1] : []) })
        let observation = cache.record(0, in: received)
        try? cache.performBatchUpdates { batch in
            batch.update(Station.self, id: 0) { $0.next = [2] }
            throw Refusal()
        }
        cache.touch(2)
        #expect(received.all == [])
        cache.touch(1)
        #expect(received.all == [0])
        cache.core.checkInvariants()
        observation.dispose()
    }

    @Test func relationshipOutlastsARemovalAndASetInOneBatch() {
        cache.set(contentsOf: [Station(id: 0, next: [1]), Station(id: 1)])
        let observation = cache.record(0, in: received)
        cache.performBatchUpdates { batch in
            batch.remove(Station.self, id: 1)
            batch.set(Station(id: 1, revision: 1))
        }
        #expect(received.all == [0])
        cache.touch(1)
        #expect(received.all == [0, 0])
        cache.core.checkInvariants()
        observation.dispose()
    }
}
