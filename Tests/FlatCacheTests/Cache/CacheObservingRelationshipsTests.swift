import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct CacheObservingRelationshipsTests {
    let cache = Cache()
    let received = Recorder<Station.ID>()

    @Test func entitiesReachedAtAnyDepthNotify() {
        cache.set(contentsOf: Station.chain(20))
        let observation = cache.record(0, in: received)
        for id in 0..<20 { cache.touch(id) }
        #expect(received.all == Array(repeating: 0, count: 20))
        observation.dispose()
    }

    @Test func relationshipsHaveADirection() {
        cache.set(contentsOf: [Station(id: 0, next: [1]), Station(id: 1)])
        let observation = cache.record(1, in: received)
        cache.touch(0)
        #expect(received.all == [])
        observation.dispose()
    }

    @Test func relationshipsCrossTypes() {
        cache.set(Author(id: "le-guin", name: "Ursula"))
        cache.set(Book(id: 1, author: "le-guin"))
        let names = Recorder<String?>()
        let observation = cache.cached(Book.self, id: 1).observe { [cache] book in
            names.append(book.author?.cached(in: cache).value?.name)
        }
        cache.set(Author(id: "le-guin", name: "Ursula K. Le Guin"))
        #expect(names.all == ["Ursula K. Le Guin"])
        observation.dispose()
    }

    @Test func missingEntitiesCountOnceTheyArrive() {
        cache.set(Station(id: 0, next: [1]))
        let observation = cache.record(0, in: received)
        cache.set(Station(id: 2))
        #expect(received.all == [])
        cache.set(Station(id: 1, next: [2]))
        #expect(received.all == [0])
        cache.touch(2)
        #expect(received.all == [0, 0])
        cache.core.checkInvariants()
        observation.dispose()
    }

    @Test func typeOfWhichNothingIsStoredYetStartsToCountWhenItArrives() {
        cache.set(Book(id: 1, author: "le-guin"))
        let books = Recorder<EntityChange<Book>.Kind>()
        let observation = cache.cached(Book.self, id: 1).observeChanges { books.append($0.kind) }
        cache.set(Author(id: "le-guin", name: "Ursula"))
        #expect(books.all == [.related])
        cache.core.checkInvariants()
        observation.dispose()
    }

    @Test func removedEntitiesCountAgainWhenTheyReturn() {
        cache.set(contentsOf: Station.chain(3))
        let observation = cache.record(0, in: received)
        cache.remove(Station.self, id: 1)
        #expect(received.all == [0])
        cache.touch(2)
        #expect(received.all == [0])
        #expect(cache.core.watchedCount == 2)
        cache.set(Station(id: 1, next: [2]))
        cache.touch(2)
        #expect(received.all == [0, 0, 0])
        cache.core.checkInvariants()
        observation.dispose()
    }

    @Test func relationshipToItselfNotifiesOnce() {
        cache.set(Station(id: 0, next: [0]))
        let observation = cache.record(0, in: received)
        cache.touch(0)
        #expect(received.all == [0])
        cache.core.checkInvariants()
        observation.dispose()
        #expect(cache.core.watchedCount == 0)
    }

    @Test func mutualRelationshipsNotifyOnceEach() {
        cache.set(contentsOf: [Station(id: 0, next: [1]), Station(id: 1, next: [0])])
        let observations = [cache.record(0, in: received), cache.record(1, in: received)]
        cache.touch(0)
        #expect(received.all == [0, 1])
        cache.touch(1)
        #expect(received.all == [0, 1, 0, 1])
        cache.core.checkInvariants()
        observations[0].dispose()
        cache.touch(0)
        #expect(received.all == [0, 1, 0, 1, 1])
        observations[1].dispose()
        #expect(cache.core.watchedCount == 0)
        cache.core.checkInvariants()
    }

    @Test func diamondNotifiesOnce() {
        cache.set(contentsOf: [
            Station(id: 0, next: [1, 2]), Station(id: 1, next: [3]), Station(id: 2, next: [3]),
            Station(id: 3),
        ])
        let observations = (0...3).map { cache.record($0, in: received) }
        cache.touch(3)
        #expect(received.all == [0, 1, 2, 3])
        cache.update(Station.self, id: 1) { $0.next = [] }
        #expect(received.all == [0, 1, 2, 3, 0, 1])
        cache.touch(3)
        #expect(received.all == [0, 1, 2, 3, 0, 1, 0, 2, 3])
        cache.core.checkInvariants()
        for observation in observations { observation.dispose() }
    }

    @Test func doubleRelationshipNotifiesOnce() {
        // For example, a book can be a sequel and one of its author's books.
        struct Pair: Identifiable, Sendable, HasCachedRelationships {
            let id: Int
            var first: Related<Note>?
            var second: Related<Note>?
            var relatedCacheKeys: Set<CacheKey> {
                Set([first, second].compactMap { $0?.cacheKey })
            }
        }
        cache.set(Note(id: 9, text: ""))
        cache.set(Pair(id: 1, first: Related(9), second: Related(9)))
        let observation = cache.cached(Pair.self, id: 1).observe { self.received.append($0.id) }
        cache.set(Note(id: 9, text: "new"))
        #expect(received.all == [1])
        cache.update(Pair.self, id: 1) { $0.first = nil }
        cache.set(Note(id: 9, text: "newer"))
        #expect(received.all == [1, 1, 1])
        cache.update(Pair.self, id: 1) { $0.second = nil }
        cache.set(Note(id: 9, text: "newest"))
        #expect(received.all == [1, 1, 1, 1])
        cache.core.checkInvariants()
        observation.dispose()
    }

    @Test func detachedCycleDoesntNotify() {
        cache.set(contentsOf: [
            Station(id: 0, next: [1]), Station(id: 1, next: [2]), Station(id: 2, next: [3]),
            Station(id: 3, next: [1]),
        ])
        let observation = cache.record(0, in: received)
        #expect(cache.core.watchedCount == 4)
        cache.update(Station.self, id: 0) { $0.next = [] }
        #expect(received.all == [0])
        #expect(cache.core.watchedCount == 1)
        for id in 1...3 { cache.touch(id) }
        #expect(received.all == [0])
        cache.core.checkInvariants()
        observation.dispose()
    }

    @Test func cycleWithoutOneRelationshipIsFollowedAsAChain() {
        cache.set(contentsOf: (0..<4).map { Station(id: $0, next: [($0 + 1) % 4]) })
        let observations = (0..<4).map { cache.record($0, in: received) }
        cache.update(Station.self, id: 3) { $0.next = [] }
        #expect(received.all == [0, 1, 2, 3])
        cache.touch(1)
        #expect(received.all.dropFirst(4) == [0, 1])
        cache.core.checkInvariants()
        for observation in observations { observation.dispose() }
    }

    @Test func changeHasKindValuesCausesAndVersion() throws {
        cache.set(contentsOf: Station.chain(3))
        let changes = Recorder<EntityChange<Station>>()
        let observation = cache.cached(Station.self, id: 0).observeChanges { changes.append($0) }
        cache.performBatchUpdates { batch in
            batch.touch(1)
            batch.touch(2)
        }
        cache.touch(0)
        cache.remove(Station.self, id: 0)
        cache.set(Station(id: 0))

        func key(_ id: Int) -> CacheKey { CacheKey(Station.self, id: id) }
        let first = Station(id: 0, next: [1])
        let second = Station(id: 0, revision: 1, next: [1])
        let expected = [
            EntityChange(
                id: 0,
                kind: .related,
                old: first,
                new: first,
                causes: [key(1), key(2)],
                version: 2
            ),
            EntityChange(
                id: 0,
                kind: .updated,
                old: first,
                new: second,
                causes: [key(0)],
                version: 3
            ),
            EntityChange(
                id: 0,
                kind: .removed(.explicit),
                old: second,
                new: nil,
                causes: [key(0)],
                version: 4
            ),
            EntityChange(
                id: 0,
                kind: .inserted,
                old: nil,
                new: Station(id: 0),
                causes: [key(0)],
                version: 5
            ),
        ]
        #expect(changes.all == expected)
        #expect(try #require(changes.all.first).key == key(0))
        observation.dispose()
    }

    @Test func causesAreOnlyReachableEntities() {
        cache.set(contentsOf: [
            Station(id: 0, next: [2]), Station(id: 1, next: [3]), Station(id: 2), Station(id: 3),
        ])
        let causes = Recorder<[Station.ID: Set<CacheKey>]>()
        let observations = [0, 1].map { id in
            cache.cached(Station.self, id: id).observeChanges { causes.append([$0.id: $0.causes]) }
        }
        cache.performBatchUpdates { batch in
            for id in 0...3 where id != 1 { batch.touch(id) }
            batch.set(Station(id: 4))
        }
        func keys(_ ids: Int...) -> Set<CacheKey> {
            Set(ids.map { CacheKey(Station.self, id: $0) })
        }
        #expect(causes.all == [[0: keys(0, 2)], [1: keys(3)]])
        for observation in observations { observation.dispose() }
    }
}
