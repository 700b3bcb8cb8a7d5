import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct CacheFollowingTests {
    let cache = Cache()
    let received = Recorder<Station.ID>()

    /// Returns the stations whose changes reach an observer.
    private func reach(of id: Station.ID, _ following: RelationshipDepth, among ids: Range<Int>)
        -> [Int]
    {
        let observation = cache.record(id, following: following, in: received)
        defer { observation.dispose() }
        return ids.filter { id in
            let before = received.count
            cache.touch(id)
            cache.core.checkInvariants()
            return received.count > before
        }
    }

    @Test func limitsTheReach() {
        cache.set(contentsOf: Station.chain(5))
        #expect(reach(of: 0, .none, among: 0..<5) == [0])
        #expect(reach(of: 0, .levels(0), among: 0..<5) == [0])
        #expect(reach(of: 0, .levels(1), among: 0..<5) == [0, 1])
        #expect(reach(of: 0, .levels(2), among: 0..<5) == [0, 1, 2])
        #expect(reach(of: 0, .levels(.max), among: 0..<5) == [0, 1, 2, 3, 4])
        #expect(reach(of: 0, .allRelationships, among: 0..<5) == [0, 1, 2, 3, 4])
        #expect(cache.core.watchedCount == 0)
    }

    @Test func shortestWayCounts() {
        cache.set(contentsOf: [
            Station(id: 0, next: [1, 2]), Station(id: 1, next: [2]), Station(id: 2, next: [3]),
            Station(id: 3, next: [4]), Station(id: 4),
        ])
        #expect(reach(of: 0, .levels(1), among: 0..<5) == [0, 1, 2])
        #expect(reach(of: 0, .levels(2), among: 0..<5) == [0, 1, 2, 3])
    }

    @Test func cyclesAreFollowedOnce() {
        cache.set(contentsOf: (0..<4).map { Station(id: $0, next: [($0 + 1) % 4, $0]) })
        #expect(reach(of: 0, .none, among: 0..<4) == [0])
        #expect(reach(of: 0, .levels(1), among: 0..<4) == [0, 1])
        #expect(reach(of: 3, .levels(2), among: 0..<4) == [0, 1, 3])
        #expect(reach(of: 0, .levels(9), among: 0..<4) == [0, 1, 2, 3])
        cache.performBatchUpdates { batch in
            for id in 0..<4 { batch.touch(id) }
        }
        let before = received.count
        let observation = cache.record(0, following: .levels(9), in: received)
        cache.performBatchUpdates { batch in
            for id in 0..<4 { batch.touch(id) }
        }
        #expect(received.count == before + 1)
        observation.dispose()
    }

    @Test(arguments: [RelationshipDepth.none, .levels(1), .levels(2), .allRelationships])
    func reachFollowsTheRelationshipsAsTheyChange(following: RelationshipDepth) {
        cache.set(contentsOf: [
            Station(id: 0, next: [1]), Station(id: 1, next: [2]), Station(id: 2, next: [3]),
            Station(id: 3), Station(id: 4, next: [5]), Station(id: 5, next: [6]), Station(id: 6),
        ])
        let observation = cache.record(0, following: following, in: received)
        func reaches(_ id: Station.ID) -> Bool {
            let before = received.count
            cache.touch(id)
            cache.core.checkInvariants()
            return received.count > before
        }
        let limit = min(following.levelLimit, 9)

        // The station refers to another target.
        cache.update(Station.self, id: 0) { $0.next = [4] }
        #expect((0...6).filter(reaches) == [0] + [4, 5, 6].prefix(limit))
        // The target refers to a target of its own.
        cache.update(Station.self, id: 4) { $0.next = [1] }
        #expect((0...6).filter(reaches) == ([0] + [4, 1, 2, 3].prefix(limit)).sorted())
        // A shorter path leads to a station that was further away.
        cache.update(Station.self, id: 0) { $0.next = [4, 2] }
        let levels = [[0], [4, 2], [1, 3]].prefix(limit + 1)
        #expect((0...6).filter(reaches) == levels.flatMap(\.self).sorted())
        // The removed station reaches no other.
        cache.remove(Station.self, id: 0)
        #expect((1...6).filter(reaches) == [])
        // The station is stored again with another target.
        cache.set(Station(id: 0, next: [6]))
        #expect((1...6).filter(reaches) == Array([6].prefix(limit)))
        observation.dispose()
        #expect(cache.core.watchedCount == 0)
    }

    @Test func missingEntitiesCountWithinTheReach() {
        let observation = cache.record(0, following: .levels(2), in: received)
        cache.set(Station(id: 0, next: [1]))
        #expect(received.count == 1)
        cache.set(Station(id: 1, next: [2]))
        #expect(received.count == 2)
        cache.set(Station(id: 2, next: [3]))
        #expect(received.count == 3)
        cache.set(Station(id: 3))
        #expect(received.count == 3)
        observation.dispose()
    }

    @Test func causesOfALimitedObserverLieWithinItsReach() {
        cache.set(contentsOf: Station.chain(4))
        let causes = Recorder<Set<CacheKey>>()
        let observation = cache.cached(Station.self, id: 0).following(.levels(1)).observeChanges {
            causes.append($0.causes)
        }
        cache.performBatchUpdates { batch in
            for id in 1..<4 { batch.touch(id) }
        }
        #expect(causes.all == [[CacheKey(Station.self, id: 1)]])
        observation.dispose()
    }

    @Test func limitedAndUnlimitedObserversDoNotDisturbEachOther() {
        cache.set(contentsOf: Station.chain(4))
        let all = Recorder<Station.ID>()
        let limited = cache.record(0, following: .levels(1), in: received)
        let unlimited = cache.record(0, in: all)
        for id in 0..<4 { cache.touch(id) }
        #expect(received.count == 2)
        #expect(all.count == 4)
        unlimited.dispose()
        cache.core.checkInvariants()
        for id in 0..<4 { cache.touch(id) }
        #expect(received.count == 4)
        #expect(all.count == 4)
        #expect(cache.core.watchedCount == 2)
        limited.dispose()
        #expect(cache.core.watchedCount == 0)
        cache.core.checkInvariants()
    }

    @Test func defaultIsToFollowAll() {
        cache.set(contentsOf: Station.chain(3))
        let handle = cache.cached(Station.self, id: 0)
        let observations = [
            cache.cached(Station.self, id: 0).observe { _ in received.append(1) },
            cache.cached(Station(id: 0)).observe { _ in received.append(2) },
            handle.observe { _ in received.append(3) },
            handle.following(.none).observe { _ in received.append(4) },
            handle.observeChanges { _ in received.append(5) },
            handle.following(.levels(1)).observeChanges { _ in received.append(6) },
            cache.cached(Station(id: 0)).following(.none).observe { _ in received.append(7) },
            cache.cached(Station(id: 0)).following(.none).observeChanges { _ in received.append(8)
            },
        ]
        cache.touch(2)
        #expect(received.all == [1, 2, 3, 5])
        for observation in observations { observation.dispose() }
    }

    /// An entity that records each read of its relationships.
    private struct CountedReads: Identifiable, Sendable, HasCachedRelationships {
        let id: Int
        var revision = 0
        let reads: Recorder<Int>

        var relatedCacheKeys: Set<CacheKey> {
            reads.append(id)
            return [CacheKey(Station.self, id: id)]
        }
    }

    @Test func observersDontExamineChangesThatKeepRelationships() {
        let reads = Recorder<Int>()
        cache.set(CountedReads(id: 1, reads: reads))
        let observations = (0..<50).map { _ in
            cache.cached(CountedReads.self, id: 1).following(.levels(1)).observe {
                self.received.append($0.id)
            }
        }
        reads.removeAll()
        cache.update(CountedReads.self, id: 1) { $0.revision += 1 }
        #expect(received.count == 50)
        #expect(reads.count <= 2)
        for observation in observations { observation.dispose() }
    }
}
