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
            cache.set(Author(id: "lem", name: "Lem"), as: .currentUser)
            observation = cache.observe(.currentUser) { _ in }
            sequence = cache.values(.currentUser)
        }
        #expect(weakCache == nil)
        withExtendedLifetime((observation, sequence)) {}
    }

    @Test(arguments: [RelationshipDepth.allRelationships, .none])
    func observersAreReleasedWithTheCacheDespiteTheirTokens(following: RelationshipDepth) {
        var cache: Cache? = Cache()
        cache?.set(Author(id: "lem", name: "Lem"), as: .currentUser)
        weak var weakReceipt: Receipt?
        let observation: Disposable?
        do {
            let receipt = Receipt()
            weakReceipt = receipt
            observation = cache?.observe(.currentUser, following: following) { _ in
                withExtendedLifetime(receipt) {}
            }
        }
        #expect(weakReceipt != nil)
        cache = nil
        #expect(weakReceipt == nil)
        observation?.dispose()
    }

    @Test func observerIsReleasedWhenItsObservationEnds() {
        let cache = Cache()
        weak var weakReceipt: Receipt?
        let observation: Disposable
        do {
            let receipt = Receipt()
            weakReceipt = receipt
            observation = cache.observe(.currentUser) { _ in withExtendedLifetime(receipt) {} }
        }
        #expect(weakReceipt != nil)
        observation.dispose()
        #expect(weakReceipt == nil)
    }

    @Test func pendingCallsOfAReleasedCacheDontReportAMissingTarget() {
        let works = Recorder<@Sendable () -> Void>()
        let received = Recorder<String>()
        var cache: Cache? = Cache(delivery: CacheDelivery { works.append($0) })
        let observation = cache?.observe(.currentUser) { received.append($0?.name ?? "nobody") }
        cache?.set(Author(id: "lem", name: "Lem"), as: .currentUser)
        cache = nil
        for work in works.all { work() }
        #expect(received.all == [])
        observation?.dispose()
    }
}
