import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct CachedListPruningTests {
    let cache = Cache()
    let list: CachedList<Station>

    init() {
        list = cache.list("list", of: Station.self)
        list.replace(with: [Station(id: 0, next: [2]), Station(id: 1)])
        cache.set(contentsOf: [Station(id: 2), Station(id: 3)])
    }

    private var stations: [Station.ID] { cache.ids(of: Station.self).sorted() }

    @Test func unobservedListsArePrunedAndCounted() {
        #expect(cache.pruneUnobservedValues() == 5)
        #expect(list.ids == [])
        #expect(stations == [])
        cache.core.checkInvariants()
    }

    @Test func pruningKeepsObservedListsTheirElementsAndRelatedEntities() {
        let received = Recorder<Int>()
        let observation = list.observe { received.append($0.count) }
        #expect(cache.pruneUnobservedValues() == 1)
        #expect(list.ids == [0, 1])
        #expect(stations == [0, 1, 2])
        #expect(received.all == [])
        observation.dispose()
        #expect(cache.pruneUnobservedValues() == 4)
        #expect(list.ids == [])
    }

    @Test func pruningRemovesEntitiesBeyondALimitedReach() {
        let observation = list.following(.none).observeChanges { _ in }
        #expect(cache.pruneUnobservedValues() == 2)
        #expect(list.ids == [0, 1])
        #expect(stations == [0, 1])
        observation.dispose()
    }

    @Test func pruningAListKeepsOtherwiseObservedElements() {
        let observation = cache.cached(Station.self, id: 1).observe { _ in }
        #expect(cache.pruneUnobservedValues() == 4)
        #expect(list.ids == [])
        #expect(stations == [1])
        observation.dispose()
    }

    @Test func iterationKeepsTheList() async {
        var values = list.values.makeAsyncIterator()
        #expect(cache.pruneUnobservedValues() == 1)
        #expect(await values.next()?.map(\.id) == [0, 1])
        #expect(list.ids == [0, 1])
    }

    @Test func removingEverythingRemovesTheListAndCountsIt() {
        #expect(cache.removeAll() == 5)
        #expect(list.ids == [])
        cache.set(contentsOf: [Station(id: 0), Station(id: 1)])
        #expect(list.elements == [])
    }

    @Test func removingATypeLeavesTheList() {
        #expect(cache.removeAll(Station.self) == 4)
        #expect(list.ids == [0, 1])
        #expect(list.elements == [])
        cache.set(Station(id: 1))
        #expect(list.elements.map(\.id) == [1])
    }

    @Test func emptiedListStaysUntilItIsPruned() {
        list.removeAll()
        cache.removeAll(Station.self)
        #expect(cache.pruneUnobservedValues() == 1)
        #expect(cache.pruneUnobservedValues() == 0)
    }
}
