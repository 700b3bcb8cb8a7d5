import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests which objects a list retains, and its state after the release of the cache.
@Suite(.exclusive)
struct CachedListLifetimeTests {
    @Test func listAndItsObservationsKeepNoCache() {
        weak var weakCache: Cache?
        let list: CachedList<Book>
        let observation: Disposable
        let sequence: CacheSequence<[Book]>
        do {
            let cache = Cache()
            weakCache = cache
            list = cache.list("list", of: Book.self)
            list.replace(with: [Book(id: 1)])
            observation = list.observe { _ in }
            sequence = list.values
        }
        #expect(weakCache == nil)
        withExtendedLifetime((list, observation, sequence)) {}
    }

    @Test func withoutItsCacheAListIsEmptyAndWritingDoesNothing() throws {
        var cache: Cache? = Cache()
        let list = try #require(cache?.list("list", of: Book.self))
        list.replace(with: [Book(id: 1), Book(id: 2)])
        cache = nil
        #expect(list.ids == [])
        #expect(list.elements == [])
        list.append(contentsOf: [Book(id: 3)])
        list.replace(with: [Book(id: 3)])
        list.insert(Book(id: 3), at: 0)
        list.ids = [3]
        list.removeAll()
        #expect(!list.remove(1))
        #expect(!list.move(1, to: 0))
        let result = list.update { _ in
            Issue.record("The closure must not be called.")
            return 1
        }
        #expect(result == nil)
        #expect(list.ids == [])
        #expect(list.core.tables.existingTable(of: Book.self)?.writtenValue(id: 3) == nil)
        #expect(list.storage.table.writtenValue(id: "list") == nil)
    }

    @Test func withoutItsCacheObservingDoesNothingAndKeepsNothing() {
        var cache: Cache? = Cache()
        let list = cache?.list("list", of: Book.self)
        cache = nil
        weak var weakReceipt: Receipt?
        let observations: [Disposable?]
        do {
            let receipt = Receipt()
            weakReceipt = receipt
            observations = [
                list?.observe(initial: true) { _ in withExtendedLifetime(receipt) {} },
                list?.observeChanges { _ in withExtendedLifetime(receipt) {} },
            ]
        }
        #expect(list != nil)
        #expect(weakReceipt == nil)
        for observation in observations { observation?.dispose() }
    }

    @Test(arguments: [RelationshipDepth.allRelationships, .none])
    func observersAreReleasedWithTheCacheDespiteTheirTokens(following: RelationshipDepth) {
        var cache: Cache? = Cache()
        let list = cache?.list("list", of: Book.self)
        list?.replace(with: [Book(id: 1)])
        weak var weakReceipt: Receipt?
        let observations: [Disposable?]
        do {
            let receipt = Receipt()
            weakReceipt = receipt
            observations = [
                list?.following(following).observe { _ in withExtendedLifetime(receipt) {} },
                list?.following(following).observeChanges { _ in
                    withExtendedLifetime(receipt) {}
                },
            ]
        }
        #expect(weakReceipt != nil)
        cache = nil
        #expect(weakReceipt == nil)
        for observation in observations { observation?.dispose() }
    }

    @Test func observerIsReleasedWhenItsObservationEnds() {
        let cache = Cache()
        weak var weakReceipt: Receipt?
        let observation: Disposable
        do {
            let receipt = Receipt()
            weakReceipt = receipt
            observation = cache.list("list", of: Book.self).observe { _ in
                withExtendedLifetime(receipt) {}
            }
        }
        #expect(weakReceipt != nil)
        observation.dispose()
        #expect(weakReceipt == nil)
    }

    @Test func removedElementsAreReleasedWhileTheListKeepsTheirPlaces() {
        let cache = Cache()
        let list = cache.list("list", of: Loan.self)
        weak var weakReceipt: Receipt?
        do {
            let receipt = Receipt()
            weakReceipt = receipt
            list.replace(with: [Loan(id: 1, receipt: receipt)])
        }
        let observation = list.observe { _ in }
        #expect(weakReceipt != nil)
        cache.remove(Loan.self, id: 1)
        #expect(weakReceipt == nil)
        #expect(list.ids == [1])
        observation.dispose()
    }

    @Test func cacheMayBeReleasedInsideAnUpdate() {
        let holder = Locked<Cache?>(Cache())
        let list = holder.withLock { $0?.list("list", of: Book.self) }
        list?.ids = [1]
        let result = list?.update { ids in
            holder.withLock { $0 = nil }
            ids.append(2)
            return ids.count
        }
        #expect(result == .some(2))
        #expect(list?.ids == [])
        #expect(list?.elements == [])
    }

    @Test func writesToAListDuringTheCachesReleaseAreDropped() throws {
        for _ in 0..<200 {
            var cache: Cache? = Cache()
            let list = try #require(cache?.list("list", of: Note.self))
            let writer = RunningThread {
                for id in 0..<20 { list.append(contentsOf: [Note(id: id, text: "")]) }
            }
            cache = nil
            #expect(writer.wait())
            #expect(list.ids == [])
            #expect(list.storage.table.writtenValue(id: "list") == nil)
            #expect(list.table.writtenValue(id: 19) == nil)
        }
    }

    @Test func pendingCallsOfAReleasedCacheDontReportAnEmptyList() {
        let works = Recorder<@Sendable () -> Void>()
        let received = Recorder<[Book.ID]>()
        var cache: Cache? = Cache(delivery: CacheDelivery { works.append($0) })
        let list = cache?.list("list", of: Book.self)
        let observation = list?.observe { received.append($0.map(\.id)) }
        list?.replace(with: [Book(id: 1)])
        cache = nil
        for work in works.all { work() }
        #expect(received.all == [])
        observation?.dispose()
    }

    /// An identifier that releases the cache when the cache hashes it.
    private struct ReleasingID: Hashable, Sendable {
        static let cache = Locked<Cache?>(nil)
        static let mayRelease = Locked(false)

        let number: Int

        func hash(into hasher: inout Hasher) {
            if number == 3, Self.mayRelease.withLock({ $0 }) {
                // Another thread could release the cache at this moment.
                let cache = Self.cache.withLock { $0.take() }
                withExtendedLifetime(cache) {}
            }
            hasher.combine(number)
        }
    }

    private struct ReleasingEntity: Identifiable, Sendable {
        let id: ReleasingID
    }

    @Test func elementsReadDuringTheReleaseOfTheCacheAreAllOrNone() {
        let list: CachedList<ReleasingEntity>
        do {
            let cache = Cache()
            list = cache.list("list", of: ReleasingEntity.self)
            list.replace(with: (0..<6).map { ReleasingEntity(id: ReleasingID(number: $0)) })
            ReleasingID.cache.withLock { $0 = cache }
        }
        #expect(list.elements.count == 6)
        ReleasingID.mayRelease.withLock { $0 = true }
        #expect(list.elements.isEmpty)
        #expect(ReleasingID.cache.withLock { $0 == nil })
    }
}
