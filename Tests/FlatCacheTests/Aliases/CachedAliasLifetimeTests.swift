import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct CachedAliasLifetimeTests {
    @Test func observationsAndSequencesKeepNoCache() {
        weak var weakCache: Cache?
        let observation: Disposable
        let sequence: CacheSequence<Author?>
        do {
            let cache = Cache()
            weakCache = cache
            cache.currentUser.set(Author(id: "lem", name: "Lem"))
            observation = cache.currentUser.observe { _ in }
            sequence = cache.currentUser.values
        }
        #expect(weakCache == nil)
        withExtendedLifetime((observation, sequence)) {}
    }

    @Test(arguments: [RelationshipDepth.allRelationships, .none])
    func observersAreReleasedWithTheCacheDespiteTheirTokens(following: RelationshipDepth) {
        var cache: Cache? = Cache()
        cache?.currentUser.set(Author(id: "lem", name: "Lem"))
        weak var weakReceipt: Receipt?
        let observation: Disposable?
        do {
            let receipt = Receipt()
            weakReceipt = receipt
            observation = cache?.currentUser.following(following).observe { _ in
                withExtendedLifetime(receipt) {}
            }
        }
        #expect(weakReceipt != nil)
        cache = nil
        #expect(weakReceipt == nil)
        observation?.dispose()
    }

    @Test func queryThatReadsAnAliasKeepsNoCache() {
        weak var weakCache: Cache?
        let current: Disposable
        do {
            let cache = Cache()
            weakCache = cache
            let alias = cache.featuredBook
            let query = cache.query(Book.self).where { $0.id != alias.value(in: $1)?.id }
            cache.set(contentsOf: [Book(id: 1), Book(id: 2)])
            current = query.keepCurrent()
            alias.target = 2
            #expect(query.elements.map(\.id) == [1])
        }
        #expect(weakCache == nil)
        withExtendedLifetime(current) {}
    }

    @Test func observerIsReleasedWhenItsObservationEnds() {
        let cache = Cache()
        weak var weakReceipt: Receipt?
        let observation: Disposable
        do {
            let receipt = Receipt()
            weakReceipt = receipt
            observation = cache.currentUser.observe { _ in withExtendedLifetime(receipt) {} }
        }
        #expect(weakReceipt != nil)
        observation.dispose()
        #expect(weakReceipt == nil)
    }

    @Test func pendingCallsOfAReleasedCacheDontReportAMissingTarget() {
        let works = Recorder<@Sendable () -> Void>()
        let received = Recorder<String>()
        var cache: Cache? = Cache(delivery: CacheDelivery { works.append($0) })
        let observation = cache?.currentUser.observe { received.append($0?.name ?? "nobody") }
        cache?.currentUser.set(Author(id: "lem", name: "Lem"))
        cache = nil
        for work in works.all { work() }
        #expect(received.all == [])
        observation?.dispose()
    }
}
