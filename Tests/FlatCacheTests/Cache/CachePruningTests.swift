import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct CachePruningTests {
    let cache = Cache()

    private var stations: [Station.ID] { cache.ids(of: Station.self).sorted() }

    @Test func withoutObservationsEverythingIsPruned() {
        cache.set(contentsOf: Station.chain(10))
        cache.set(Note(id: 1, text: ""))
        #expect(cache.pruneUnobservedValues() == 11)
        #expect(stations == [])
        #expect(cache[Note.self, 1] == nil)
        #expect(cache.pruneUnobservedValues() == 0)
        cache.core.checkInvariants()
    }

    @Test func observersOfATypeReceiveTheRemovalReason() {
        cache.set(contentsOf: Station.chain(2))
        let kinds = Recorder<EntityChange<Station>.Kind>()
        let token = cache.observeAll(Station.self) { commit in
            for change in commit.changes { kinds.append(change.kind) }
        }
        cache.pruneUnobservedValues()
        cache.set(Station(id: 1))
        // If a batch removes an entity twice, the last reason counts.
        cache.performBatchUpdates { batch in
            cache.pruneUnobservedValues()
            batch.set(Station(id: 1, revision: 1))
            batch.remove(Station.self, id: 1)
        }
        #expect(
            kinds.all == [
                .removed(.pruned), .removed(.pruned), .inserted, .removed(.explicit),
            ]
        )
        #expect(kinds.all.map(\.isRemoval) == [true, true, false, true])
        token.dispose()
    }

    @Test func pruningKeepsEntitiesReachedAtAnyDepth() {
        cache.set(contentsOf: Station.chain(10))
        cache.set(contentsOf: [Station(id: 20, next: [3]), Station(id: 21)])
        let observation = cache.cached(Station.self, id: 2).observe { _ in }
        let version = cache.version
        #expect(cache.pruneUnobservedValues() == 4)
        #expect(stations == Array(2..<10))
        #expect(cache.version == version + 1)
        cache.core.checkInvariants()
        observation.dispose()
        #expect(cache.pruneUnobservedValues() == 8)
    }

    @Test func unobservedCyclesArePruned() {
        for start in [0, 10] {
            cache.set(
                contentsOf: (0..<4).map { Station(id: start + $0, next: [start + ($0 + 1) % 4]) }
            )
        }
        let observation = cache.cached(Station.self, id: 2).observe { _ in }
        #expect(cache.pruneUnobservedValues() == 4)
        #expect(stations == [0, 1, 2, 3])
        observation.dispose()
    }

    @Test(arguments: [
        (RelationshipDepth.none, 1), (.levels(1), 2), (.levels(2), 3), (.levels(99), 5),
    ])
    func limitedObservationKeepsEntitiesWithinItsReach(following: RelationshipDepth, count: Int) {
        cache.set(contentsOf: Station.chain(5))
        let observation = cache.cached(Station.self, id: 0).following(following).observe { _ in }
        #expect(cache.pruneUnobservedValues() == 5 - count)
        #expect(stations == Array(0..<count))
        observation.dispose()
    }

    @Test func relationshipsThatHaveChangedSinceCount() {
        cache.set(contentsOf: [Station(id: 0, next: [1]), Station(id: 1), Station(id: 2)])
        let observation = cache.cached(Station.self, id: 0).observe { _ in }
        cache.set(Station(id: 0, next: [2]))
        cache.pruneUnobservedValues()
        #expect(stations == [0, 2])
        observation.dispose()
    }

    @Test func inABatchTheStateSoFarCounts() {
        cache.set(contentsOf: [Station(id: 0, next: [1]), Station(id: 1), Station(id: 2)])
        let received = Recorder<Station.ID>()
        let observation = cache.record(0, in: received)
        let limited = cache.cached(Station.self, id: 5).following(.levels(1)).observe { _ in }
        cache.performBatchUpdates { batch in
            batch.set(contentsOf: [
                Station(id: 0, next: [2]), Station(id: 3), Station(id: 5, next: [6]),
                Station(id: 6, next: [7]), Station(id: 7),
            ])
            #expect(cache.pruneUnobservedValues() == 3)
            #expect(batch.ids(of: Station.self).sorted() == [0, 2, 5, 6])
            #expect(stations == [0, 1, 2])
        }
        #expect(stations == [0, 2, 5, 6])
        #expect(received.all == [0])
        cache.core.checkInvariants()
        observation.dispose()
        limited.dispose()
    }

    @Test func pruningInABatchThatThrowsIsRolledBack() {
        struct Refusal: Error {}
        cache.set(contentsOf: Station.chain(5))
        try? cache.performBatchUpdates { _ in
            #expect(cache.pruneUnobservedValues() == 5)
            throw Refusal()
        }
        #expect(stations == Array(0..<5))
        cache.core.checkInvariants()
    }

    @Test func handlesKeepNothing() {
        cache.set(Station(id: 0))
        let handle = cache.cached(Station.self, id: 0)
        #expect(cache.pruneUnobservedValues() == 1)
        #expect(handle.value == nil)
        handle.value = Station(id: 0, revision: 2)
        #expect(handle.value?.revision == 2)
    }

    @Test func observersOfKeptEntitiesArentCalled() {
        cache.set(contentsOf: [Station(id: 0, next: [1]), Station(id: 1), Station(id: 2)])
        let received = Recorder<Station.ID>()
        let observation = cache.record(0, in: received)
        cache.pruneUnobservedValues()
        #expect(received.all == [])
        cache.touch(1)
        #expect(received.all == [0])
        observation.dispose()
    }

    @Test func watchGraphIsEmptyOnceNothingIsObserved() {
        cache.set(contentsOf: Station.chain(50) + [Station(id: 60, next: [60])])
        let observations = [0, 25, 60].map { id in
            cache.cached(Station.self, id: id).observe { _ in }
        }
        #expect(cache.core.watchedCount == 51)
        observations[0].dispose()
        #expect(cache.core.watchedCount == 26)
        observations[1].dispose()
        #expect(cache.core.watchedCount == 1)
        observations[2].dispose()
        #expect(cache.core.watchedCount == 0)
        #expect(cache.pruneUnobservedValues() == 51)
        cache.core.checkInvariants()
    }

    @Test func watchGraphIsEmptyAfterManyRoundsOfObservingAndRemoving() {
        for round in 0..<50 {
            cache.set(contentsOf: Station.chain(10))
            let observation = cache.cached(Station.self, id: round % 10).observe { _ in }
            cache.removeAll()
            #expect(cache.core.watchedCount == 1)
            observation.dispose()
            #expect(cache.core.watchedCount == 0)
        }
        cache.core.checkInvariants()
    }
}
