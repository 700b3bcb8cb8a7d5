import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests of layers together with limits, expiries, pruning and pins.
struct LayerLimitTests {
    private let clock = SleeplessClock()
    private let cache: Cache

    init() {
        cache = Cache(configuration: CacheConfiguration(clock: clock))
    }

    @Test(arguments: [false, true])
    func aPendingEntityThatHasExpiredGoesAfterItsLayer(isHidden: Bool) {
        cache.limit(Book.self, expires: .afterWrite(.seconds(10)))
        cache.set(Book(id: 1, title: "a"))
        let layer = cache.beginLayer("Edit") { layer in
            if isHidden {
                layer.remove(Book.self, id: 1)
            } else {
                layer.update(Book.self, id: 1) { $0.title = "b" }
            }
        }
        clock.advance(by: .seconds(20))
        cache.expireValues()
        #expect(cache.confirmed[Book.self, 1] != nil)
        layer.rollBack()
        cache.expireValues()
        #expect(cache[Book.self, 1] == nil)
        cache.core.checkInvariants()
    }

    @Test func aLimitThatIsSetBeneathLayersCountsConfirmedValues() {
        cache.set(contentsOf: (1...3).map { Book(id: $0, title: "a") })
        let layer = cache.beginLayer("Edit") { layer in
            layer.remove(Book.self, id: 1)
            layer.set(Book(id: 4, title: "b"))
        }
        cache.limit(Book.self, .count(10), expires: .afterWrite(.seconds(10)))
        #expect(cache.core.tables.table(of: Book.self).limits?.state.count == 3)
        layer.rollBack()
        cache.core.checkInvariants()
        clock.advance(by: .seconds(20))
        cache.expireValues()
        #expect(cache.count(of: Book.self) == 0)
    }

    @Test func anEntityThatOnlyALayerHasIsNotLimited() {
        cache.limit(
            Book.self,
            .cost(10) { $0.year ?? 0 },
            staleAfter: .seconds(5),
            expires: .afterAccess(.seconds(10))
        )
        let layer = cache.beginLayer("Draft") { $0.set(Book(id: 1, year: 100)) }
        cache.pin(Book.self, id: 1).dispose()
        for id in 2..<20 { cache.set(Book(id: id, year: 3)) }
        clock.advance(by: .seconds(60))
        cache.expireValues()
        #expect(cache[Book.self, 1]?.year == 100)
        layer.rollBack()
        #expect(cache.count(of: Book.self) == 0)
        cache.core.checkInvariants()
    }

    @Test func entitiesAreLimitedAgainAfterTheirLayers() throws {
        cache.limit(Book.self, .count(2))
        cache.set(contentsOf: [Book(id: 1, title: "a"), Book(id: 2, title: "a")])
        let layers = (1...6).map { id in
            cache.beginLayer("\(id)") { $0.set(Book(id: id, title: "b")) }
        }
        for layer in layers[3...] { try layer.confirm() }
        for layer in layers { layer.rollBack() }
        for id in 10..<20 { cache.set(Book(id: id, title: "c")) }
        #expect(cache.count(of: Book.self) <= 2)
        cache.core.checkInvariants()
    }

    @Test func pruningKeepsPendingEntitiesAndTheElementsOfBothLists() {
        cache.set(contentsOf: (1...4).map { Book(id: $0, title: "a") })
        let list = cache.list("all", of: Book.self)
        list.ids = [2]
        let layer = cache.beginLayer("Edit") { layer in
            layer.remove(Book.self, id: 1)
            layer.list("all", of: Book.self).append(3)
            layer.list("all", of: Book.self).remove(2)
        }
        cache.pruneUnobservedValues()
        #expect(cache.confirmed.ids(of: Book.self).sorted() == [1, 2, 3])
        cache.performBatchUpdates { batch in
            batch.list("all", of: Book.self).update { $0.append(4) }
            cache.pruneUnobservedValues()
        }
        #expect(cache.confirmed.ids(of: Book.self).sorted() == [1, 2, 3])
        layer.rollBack()
        #expect(cache.ids(of: Book.self).sorted() == [1, 2, 3])
        #expect(list.ids == [2, 4])
    }

    @Test func theTargetsOfBothAliasesArePinned() {
        cache.limit(Book.self, .count(1))
        cache.set(Book(id: 1, title: "a"))
        let alias = cache.alias("latest", of: Book.self)
        alias.target = 1
        let layer = cache.beginLayer("Open") { $0.setAlias("latest", of: Book.self, to: 2) }
        cache.set(Book(id: 2, title: "a"))
        func present() -> [Int] {
            for id in 10..<40 { cache.set(Book(id: id, title: "b")) }
            return [1, 2, 3].filter { cache.contains(Book.self, id: $0) }
        }
        #expect(present() == [1, 2])
        alias.set(Book(id: 3, title: "a"))
        #expect(present() == [2, 3])
        layer.rollBack()
        #expect(present() == [3])
    }
}
