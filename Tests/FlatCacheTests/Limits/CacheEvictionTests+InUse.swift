import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

extension CacheEvictionTests {
    @Test func evictionKeepsObservedValuesAboveTheLimit() {
        let cache = cache(.count(3))
        let tokens = (0..<5).map { id in cache.cached(Note.self, id: id).observe { _ in } }
        for id in 0..<20 { cache.set(note(id)) }
        #expect(Set(ids(cache)).isSuperset(of: 0..<5))
        #expect(cache.count(of: Note.self) <= 6)
        for token in tokens { token.dispose() }
        for id in 20..<30 { cache.set(note(id)) }
        #expect(cache.count(of: Note.self) == 3)
        cache.core.checkInvariants()
    }

    @Test(arguments: [RelationshipDepth.allRelationships, .levels(2)])
    func evictionKeepsReachedEntities(following: RelationshipDepth) {
        var configuration = CacheConfiguration()
        configuration.limit(Station.self, .count(2))
        let cache = Cache(configuration: configuration)
        let token = cache.cached(Station.self, id: 0).following(following).observe { _ in }
        cache.set(contentsOf: Station.chain(3))
        for id in 10..<20 { cache.set(Station(id: id)) }
        #expect(Set(cache.ids(of: Station.self)).isSuperset(of: 0..<3))
        token.dispose()
    }

    @Test func evictionKeepsEntitiesReachedByTheSameCommit() {
        var configuration = CacheConfiguration()
        configuration.limit(Station.self, .count(2))
        let cache = Cache(configuration: configuration)
        cache.set(contentsOf: [Station(id: 0), Station(id: 1)])
        let token = cache.cached(Station.self, id: 0).observe { _ in }
        cache.performBatchUpdates { batch in
            batch.set(Station(id: 0, next: [1]))
            for id in 10..<20 { batch.set(Station(id: id)) }
        }
        #expect(cache.contains(Station.self, id: 1))
        token.dispose()
    }

    @Test func commitMayEvictEntitiesThatItDetaches() {
        var configuration = CacheConfiguration()
        configuration.limit(Station.self, .count(2))
        let cache = Cache(configuration: configuration)
        cache.set(contentsOf: [Station(id: 1), Station(id: 0, next: [1])])
        let received = Recorder<Set<CacheKey>>()
        let token = cache.cached(Station.self, id: 0).observeChanges { received.append($0.causes) }
        cache.performBatchUpdates { batch in
            batch.set(Station(id: 0))
            batch.set(Station(id: 2))
        }
        #expect(!cache.contains(Station.self, id: 1))
        #expect(received.all == [[CacheKey(Station.self, id: 0)]])
        token.dispose()
        cache.core.checkInvariants()
    }
}
