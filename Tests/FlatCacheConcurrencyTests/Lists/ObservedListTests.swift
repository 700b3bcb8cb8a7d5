import Observation
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

@Suite(.exclusive)
struct ObservedListTests {
    let cache = Cache()
    let told = Recorder<String>()

    private var list: CachedList<Station> { cache.list("line", of: Station.self) }

    private func observable(
        following: RelationshipDepth = .allRelationships
    ) -> Observed<CachedList<Station>> {
        Observed(list.following(following), delivery: .inline)
    }

    private func trackElements(_ observable: Observed<CachedList<Station>>, _ name: String) {
        withObservationTracking {
            _ = observable.elements
        } onChange: { [told] in
            told.append(name)
        }
    }

    private func trackIDs(_ observable: Observed<CachedList<Station>>, _ name: String) {
        withObservationTracking {
            _ = observable.ids
        } onChange: { [told] in
            told.append(name)
        }
    }

    @Test func readsTheLatestOrderAndElements() {
        let observable = list.observable
        #expect(observable.id == "line")
        #expect(observable.source.name == "line")
        #expect(observable.ids == [])
        list.replace(with: [Station(id: 2), Station(id: 1)])
        #expect(observable.ids == [2, 1])
        cache.touch(1)
        #expect(observable.elements == [Station(id: 2), Station(id: 1, revision: 1)])
    }

    @Test func newOrderAndANewElementNotify() {
        list.replace(with: [Station(id: 1), Station(id: 2)])
        let observable = observable()
        trackElements(observable, "elements")
        trackIDs(observable, "ids")
        list.move(2, to: 0)
        #expect(told.all.sorted() == ["elements", "ids"])
        trackElements(observable, "appended")
        list.append(contentsOf: [Station(id: 3)])
        #expect(told.all.last == "appended")
        trackElements(observable, "removed")
        list.remove(3)
        #expect(told.all.last == "removed")
        #expect(told.count == 4)
    }

    @Test func changesOfAnElementAndARelatedEntityNotifyOnce() {
        list.replace(with: [Station(id: 1, next: [9]), Station(id: 2)])
        let observable = observable()
        let read = Recorder<[Int]>()
        withObservationTracking {
            _ = observable.elements
        } onChange: {
            read.append(observable.elements.map(\.revision))
        }
        cache.performBatchUpdates { batch in
            batch.touch(1)
            batch.touch(2)
        }
        #expect(read.all == [[1, 1]])
        trackElements(observable, "related")
        cache.set(Station(id: 9))
        #expect(told.all == ["related"])
        cache.touch(1)
        #expect(told.all == ["related"])
    }

    @Test func entitiesOutsideTheListDontNotifyTheObservable() {
        list.replace(with: [Station(id: 1)])
        cache.set(Station(id: 2))
        let observable = observable()
        trackElements(observable, "told")
        cache.touch(2)
        cache.list("other", of: Station.self).replace(with: [Station(id: 2), Station(id: 3)])
        list.append(contentsOf: [Station(id: 1)])
        #expect(told.all == [])
    }

    @Test func followsTheElementsRelationshipsToTheGivenDepth() {
        list.replace(with: [Station(id: 1, next: [9])])
        let observable = observable(following: .none)
        trackElements(observable, "told")
        cache.set(Station(id: 9))
        #expect(told.all == [])
        cache.touch(1)
        #expect(told.all == ["told"])
    }

    @Test func trackersAreNotifiedByItsDelivery() {
        let scheduler = ManualScheduler()
        let observable = Observed(list, delivery: scheduler.delivery)
        trackElements(observable, "told")
        list.replace(with: [Station(id: 1)])
        #expect(told.all == [])
        scheduler.runAll()
        #expect(told.all == ["told"])
    }

    @Test func observesForAsLongAsItLivesAndKeepsNothing() {
        list.replace(with: [Station(id: 1), Station(id: 2)])
        do {
            let observable = observable()
            trackElements(observable, "told")
            #expect(cache.core.watchedCount == 3)
        }
        #expect(cache.core.watchedCount == 0)
        cache.touch(1)
        #expect(told.all == [])

        weak var weakCache: Cache?
        let observable: Observed<CachedList<Station>>
        do {
            let cache = Cache()
            weakCache = cache
            cache.list("line", of: Station.self).replace(with: [Station(id: 1)])
            observable = cache.list("line", of: Station.self).observable
        }
        #expect(weakCache == nil)
        #expect(observable.elements == [])
        #expect(observable.ids == [])
    }

    @MainActor
    @Test(.timeLimit(.minutes(15)))
    func loopMissesNoChangeAndEndsWithTheLastElements() async {
        let observable = Observed(list, delivery: .isolated(to: MainActor.shared))
        let last = 300
        let writer = RunningThread { [list] in
            for id in 1...last { list.append(contentsOf: [Station(id: id)]) }
        }
        var count = 0
        while count < last {
            let isTold = Signal()
            count = withObservationTracking {
                observable.elements.count
            } onChange: {
                isTold.fire()
            }
            if count == last { break }
            guard await until({ isTold.isFired }) else { break }
        }
        #expect(count == last)
        #expect(await until { writer.hasEnded })
    }
}
