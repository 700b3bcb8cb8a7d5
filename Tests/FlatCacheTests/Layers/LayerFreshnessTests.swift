import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests of the freshness of values beneath layers, and of its observers.
struct LayerFreshnessTests {
    private let clock = SleeplessClock()
    private let cache: Cache
    private let kinds = Recorder<EntityChange<Book>.Kind>()

    init() {
        cache = Cache(configuration: CacheConfiguration(clock: clock))
        cache.limit(Book.self, staleAfter: .seconds(10))
    }

    private func observe() -> Disposable {
        let kinds = kinds
        return cache.cached(Book.self, id: 1).observeChanges { kinds.append($0.kind) }
    }

    @Test func snapshotsAndBatchesShowAnEntityThatOnlyALayerHasAsFresh() {
        let layer = cache.beginLayer("Draft") { $0.set(Book(id: 1, title: "a")) }
        cache.invalidate(Book.self)
        cache.withSnapshot { #expect($0.freshness(of: Book.self, id: 1).isFresh) }
        cache.performBatchUpdates { batch in
            #expect(batch.freshness(of: Book.self, id: 1).isFresh)
            batch.invalidate(Book.self)
            #expect(batch.freshness(of: Book.self, id: 1).isFresh)
        }
        layer.rollBack()
    }

    @Test func anInvalidationOfAnEntityThatOnlyALayerHasCallsNoObserver() {
        let layer = cache.beginLayer("Draft") { $0.set(Book(id: 1, title: "a")) }
        let observation = observe()
        cache.invalidate(Book.self)
        cache.invalidate(Book.self, id: 1)
        #expect(kinds.all.isEmpty)
        observation.dispose()
        layer.rollBack()
    }

    /// The value would be fresh again if it had been stored.
    @Test func anEditThatLeavesAStaleValueEqualCallsNoObserver() {
        cache.set(Book(id: 1, title: "a"))
        let layer = cache.beginLayer("1") { $0.update(Book.self, id: 1) { $0.title = "b" } }
        clock.advance(by: .seconds(20))
        cache.expireValues()
        let observation = observe()
        let equal = cache.beginLayer("2") { $0.update(Book.self, id: 1) { $0.title = "b" } }
        cache.invalidate(Book.self) { _ in false }
        equal.rollBack()
        #expect(kinds.all.isEmpty)
        #expect(cache.freshness(of: Book.self, id: 1).isStale)
        layer.rollBack()
        #expect(kinds.all == [.updated])
        #expect(cache.freshness(of: Book.self, id: 1).isStale)
        observation.dispose()
    }

    @Test func aValueThatIsStoredAgainBeneathAnEditIsFreshForObservers() {
        cache.set(Book(id: 1, title: "a"))
        let layer = cache.beginLayer("1") { $0.update(Book.self, id: 1) { $0.title = "b" } }
        clock.advance(by: .seconds(20))
        cache.expireValues()
        let observation = observe()
        cache.set(Book(id: 1, title: "a"))
        #expect(kinds.all == [.updated])
        cache.set(Book(id: 1, title: "c"))
        #expect(kinds.all == [.updated])
        layer.rollBack()
        let stored = CacheInstant(offset: .seconds(20))
        #expect(cache.freshness(of: Book.self, id: 1) == .fresh(since: stored))
        observation.dispose()
    }

    @Test func aStaleValueThatIsStoredAgainAfterAnEditIsFreshForObservers() {
        cache.set(Book(id: 1, title: "a"))
        cache.invalidate(Book.self, id: 1)
        cache.beginLayer("1") { $0.update(Book.self, id: 1) { $0.title = "b" } }.rollBack()
        let observation = observe()
        cache.set(Book(id: 1, title: "a"))
        #expect(kinds.all == [.updated])
        #expect(cache.freshness(of: Book.self, id: 1).isFresh)
        observation.dispose()
    }

    @Test func observersLearnOnceThatAnEditedValueBecomesStale() {
        cache.set(Book(id: 1, title: "a"))
        let layer = cache.beginLayer("1") { $0.update(Book.self, id: 1) { $0.title = "b" } }
        let observation = observe()
        clock.advance(by: .seconds(20))
        cache.expireValues()
        cache.invalidate(Book.self, id: 1)
        cache.invalidate(Book.self)
        #expect(kinds.all == [.becameStale])
        layer.rollBack()
        cache.invalidate(Book.self, id: 1)
        cache.invalidate(Book.self)
        #expect(kinds.all == [.becameStale, .updated])
        let stale = CacheInstant(offset: .seconds(10))
        #expect(cache.freshness(of: Book.self, id: 1) == .stale(since: stale))
        observation.dispose()
    }

    @Test func aConditionOfAnInvalidationReceivesConfirmedValues() {
        cache.set(Book(id: 1, title: "a"))
        let layer = cache.beginLayer("1") { $0.update(Book.self, id: 1) { $0.title = "b" } }
        cache.invalidate(Book.self) { $0.title == "a" }
        #expect(cache.freshness(of: Book.self, id: 1).isStale)
        layer.rollBack()
        #expect(cache.freshness(of: Book.self, id: 1).isStale)
    }

    @Test func confirmationIsTheTimeOfANewEntity() throws {
        let layer = cache.beginLayer("Draft") { $0.set(Book(id: 1, title: "a")) }
        clock.advance(by: .seconds(20))
        try layer.confirm()
        let confirmed = CacheInstant(offset: .seconds(20))
        #expect(cache.freshness(of: Book.self, id: 1) == .fresh(since: confirmed))
    }
}
