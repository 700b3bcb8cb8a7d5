import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

extension CacheInvalidationTests {
    @Test func equalValueMakesFreshAndTellsObservers() {
        cache.set(Station(id: 1))
        let kinds = Recorder<EntityChange<Station>.Kind>()
        let token = cache.cached(Station.self, id: 1).observeChanges { kinds.append($0.kind) }
        cache.invalidate(Station.self, id: 1)
        cache.invalidate(Station.self, id: 1)
        #expect(kinds.all == [.becameStale])
        clock.advance(by: .seconds(2))
        cache.set(Station(id: 1))
        #expect(cache.freshness(of: Station.self, id: 1) == .fresh(since: instant(2)))
        #expect(kinds.all == [.becameStale, .updated])
        token.dispose()
    }

    @Test func dependentsLearnThatARelatedEntityBecameStale() {
        cache.set(contentsOf: Station.chain(3))
        let changes = Recorder<EntityChange<Station>>()
        let token = cache.cached(Station.self, id: 0).observeChanges { changes.append($0) }
        cache.invalidate(Station.self, id: 2)
        #expect(changes.all.map(\.kind) == [.related])
        #expect(changes.all.first?.causes == [CacheKey(Station.self, id: 2)])
        token.dispose()
    }

    @Test func observerThatBeginsInTheBatchLearnsOfTheInvalidationOfItsType() {
        let cache = Cache()
        cache.set(contentsOf: [Station(id: 1), Station(id: 2)])
        let kinds = Recorder<EntityChange<Station>.Kind>()
        var token: Disposable?
        cache.performBatchUpdates { batch in
            batch.invalidate(Station.self)
            token = cache.cached(Station.self, id: 1).observeChanges { kinds.append($0.kind) }
        }
        #expect(kinds.all == [.becameStale])
        token?.dispose()
    }

    @Test func observerLearnsThatANewlyReachedEntityBecameStale() {
        let cache = Cache()
        cache.set(contentsOf: [Station(id: 1), Station(id: 2)])
        let changes = Recorder<EntityChange<Station>>()
        let token = cache.cached(Station.self, id: 1).observeChanges { changes.append($0) }
        cache.performBatchUpdates { batch in
            batch.invalidate(Station.self)
            batch.set(Station(id: 1, next: [2]))
        }
        #expect(changes.all.map(\.kind) == [.updated])
        let keys = [1, 2].map { CacheKey(Station.self, id: $0) }
        #expect(changes.all.first?.causes == Set(keys))
        token.dispose()
    }

    @Test func secondInvalidationOfATypeNotifiesNobody() {
        let cache = Cache()
        cache.set(Station(id: 1))
        let commits = Recorder<Int>()
        let token = cache.observeAll(Station.self) { commits.append($0.changes.count) }
        cache.invalidate(Station.self)
        cache.invalidate(Station.self)
        #expect(commits.all == [1])
        token.dispose()
    }
}
