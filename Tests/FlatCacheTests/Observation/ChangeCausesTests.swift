import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests the causes in the changes that observers receive.
struct ChangeCausesTests {
    let cache = Cache()
    let received = Recorder<EntityChange<Station>>()

    private func observe(_ following: RelationshipDepth = .allRelationships) -> Disposable {
        cache.cached(Station.self, id: 0).following(following).observeChanges { [received] in
            received.append($0)
        }
    }

    private func keys(_ ids: Int...) -> Set<CacheKey> {
        Set(ids.map { CacheKey(Station.self, id: $0) })
    }

    @Test func itsOwnChangeIsCausedByItself() {
        cache.set(contentsOf: Station.chain(3))
        let observation = observe()
        cache.touch(0)
        #expect(received.all.map(\.kind) == [.updated])
        #expect(received.all.map(\.causes) == [keys(0)])
        observation.dispose()
    }

    @Test func causesOfARelatedChangeAreTheChangedEntitiesOnly() {
        cache.set(contentsOf: Station.chain(4))
        let observation = observe()
        cache.touch(3)
        #expect(received.all.map(\.kind) == [.related])
        #expect(received.all.map(\.causes) == [keys(3)])
        #expect(received.all.map { $0.old == $0.new && $0.new?.id == 0 } == [true])
        observation.dispose()
    }

    @Test func commitsCausesAreAllThatItHasChangedWithinReach() {
        cache.set(contentsOf: Station.chain(4))
        cache.set(Station(id: 9))
        let observation = observe()
        cache.performBatchUpdates { batch in
            for id in [0, 2, 3, 9] { batch.touch(id) }
            batch.replace(Station(id: 1, next: [2]))
        }
        #expect(received.all.map(\.kind) == [.updated])
        #expect(received.all.map(\.causes) == [keys(0, 2, 3)])
        observation.dispose()
    }

    @Test(arguments: [(RelationshipDepth.none, 1), (.levels(1), 2), (.levels(2), 3)])
    func entitiesBeyondTheReachArentCauses(following: RelationshipDepth, reached: Int) {
        cache.set(contentsOf: Station.chain(5))
        let observation = observe(following)
        cache.performBatchUpdates { batch in
            for id in 0..<5 { batch.touch(id) }
        }
        let expected = Set((0..<reached).map { CacheKey(Station.self, id: $0) })
        #expect(received.all.map(\.causes) == [expected])
        observation.dispose()
    }

    @Test func arrivalsAndRemovalsAreCauses() {
        cache.set(Station(id: 0, next: [1]))
        let observation = observe()
        cache.set(Station(id: 1))
        cache.remove(Station.self, id: 1)
        cache.remove(Station.self, id: 0)
        cache.set(Station(id: 0))
        #expect(received.all.map(\.kind) == [.related, .related, .removed(.explicit), .inserted])
        #expect(received.all.map(\.causes) == [keys(1), keys(1), keys(0), keys(0)])
        observation.dispose()
    }

    @Test func relationshipsCountAsTheyAreAfterTheCommit() {
        cache.set(contentsOf: [Station(id: 0, next: [1]), Station(id: 1), Station(id: 2)])
        let observation = observe()
        cache.performBatchUpdates { batch in
            batch.set(Station(id: 0, next: [2]))
            batch.touch(1)
            batch.touch(2)
        }
        #expect(received.all.map(\.causes) == [keys(0, 2)])
        observation.dispose()
    }

    @Test func inACycleEachIsACauseForTheOthers() {
        cache.set(contentsOf: [Station(id: 0, next: [1]), Station(id: 1, next: [0])])
        let observation = observe()
        cache.touch(1)
        cache.performBatchUpdates { batch in
            batch.touch(0)
            batch.touch(1)
        }
        #expect(received.all.map(\.kind) == [.related, .updated])
        #expect(received.all.map(\.causes) == [keys(1), keys(0, 1)])
        observation.dispose()
    }

    @Test func entitiesOfSeveralTypesMayBeCauses() {
        cache.set(Book(id: 1, author: "A", sequel: 2))
        let causes = Recorder<Set<CacheKey>>()
        let observation = cache.cached(Book.self, id: 1).observeChanges { causes.append($0.causes) }
        cache.performBatchUpdates { batch in
            batch.set(Author(id: "A", name: "a"))
            batch.set(Book(id: 2))
        }
        #expect(causes.all == [[CacheKey(Author.self, id: "A"), CacheKey(Book.self, id: 2)]])
        observation.dispose()
    }

    @Test func initialCallsCauseIsTheEntityItself() {
        cache.set(contentsOf: Station.chain(2))
        let causes = Recorder<Set<CacheKey>>()
        let observation = cache.cached(Station.self, id: 0).observeChanges(initial: true) {
            causes.append($0.causes)
        }
        #expect(causes.all == [keys(0)])
        observation.dispose()
    }
}
