import Observation
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests reads and notifications of an observable handle.
struct ObservedCachedTests {
    let cache = Cache()
    let told = Recorder<String>()

    private func observable(
        _ id: Station.ID,
        following: RelationshipDepth = .allRelationships
    ) -> Observed<Cached<Station>> {
        let station = cache.cached(Station.self, id: id)
        return Observed(station.following(following), delivery: .inline)
    }

    /// Reads an entity and tracks it until the next call of `onChange`.
    @discardableResult
    private func track(
        _ observable: Observed<Cached<Station>>,
        _ name: String = "told"
    ) -> Station? {
        withObservationTracking {
            observable.value
        } onChange: { [told] in
            told.append(name)
        }
    }

    // MARK: Reading and writing

    @Test func readsTheLatestValue() {
        let observable = cache.cached(Station.self, id: 1).observable
        #expect(observable.id == 1)
        #expect(observable.source == cache.cached(Station.self, id: 1))
        #expect(observable.value == nil)
        cache.set(Station(id: 1, revision: 7))
        #expect(observable.value?.revision == 7)
        cache.remove(Station.self, id: 1)
        #expect(observable.value == nil)
    }

    @Test func writesThrough() {
        struct Refusal: Error {}
        let book = cache.cached(Book.self, id: 1).observable
        book.value = Book(id: 1, title: "A")
        book.value = Book(id: 1, year: 1974)
        #expect(cache[Book.self, 1] == Book(id: 1, title: "A", year: 1974))
        let updated = book.update { $0.title = "B" }
        #expect(updated?.title == "B")
        #expect(cache[Book.self, 1]?.title == "B")
        #expect(throws: Refusal.self) {
            try book.update { book in
                book.title = "C"
                throw Refusal()
            }
        }
        #expect(cache[Book.self, 1]?.title == "B")
        book.value = nil
        #expect(cache[Book.self, 1] == nil)
        let absent = book.update { $0.title = "D" }
        #expect(absent == nil)
    }

    // MARK: Notifications

    @Test func trackerIsNotifiedOnceAboutTheNextCommit() {
        cache.set(Station(id: 1))
        let observable = observable(1)
        track(observable)
        #expect(told.all == [])
        cache.touch(1)
        #expect(told.all == ["told"])
        cache.touch(1)
        #expect(told.all == ["told"])
        track(observable)
        track(observable)
        cache.touch(1)
        #expect(told.all == ["told", "told", "told"])
    }

    @Test func repeatedReadsNotifyTheTrackerOnce() {
        let first = observable(1)
        let second = observable(2)
        withObservationTracking {
            _ = first.value
            _ = first.value
            _ = second.value
        } onChange: { [told] in
            told.append("told")
        }
        cache.set(contentsOf: [Station(id: 1), Station(id: 2)])
        #expect(told.all == ["told"])
    }

    @Test func notifiedTrackersReadTheCommittedState() {
        cache.set(contentsOf: [Station(id: 1, next: [2]), Station(id: 2)])
        let observable = observable(1)
        let handle = cache.cached(Station.self, id: 2)
        let read = Recorder<[Int?]>()
        func track() {
            withObservationTracking {
                _ = observable.value
            } onChange: { [cache] in
                read.append([
                    cache[Station.self, 1]?.revision, observable.value?.revision,
                    handle.value?.revision,
                ])
            }
        }
        track()
        cache.performBatchUpdates { batch in
            batch.touch(1)
            batch.touch(2)
            #expect(read.all == [])
        }
        track()
        cache.touch(2)
        track()
        cache.remove(Station.self, id: 1)
        #expect(read.all == [[1, 1, 1], [1, 1, 2], [nil, nil, 2]])
    }

    @Test func insertionChangeAndRemovalNotify() {
        let observable = observable(1)
        for (name, write) in [
            ("arrival", { $0.set(Station(id: 1)) }),
            ("change", { $0.touch(1) }),
            ("removal", { $0.remove(Station.self, id: 1) }),
        ] as [(String, (Cache) -> Void)] {
            track(observable, name)
            write(cache)
        }
        #expect(told.all == ["arrival", "change", "removal"])
    }

    @Test func changesOfRelatedEntitiesNotify() {
        cache.set(contentsOf: Station.chain(5))
        let observable = observable(0)
        track(observable)
        cache.touch(4)
        #expect(told.all == ["told"])
    }

    @Test func followsRelationshipsToTheGivenDepth() {
        cache.set(contentsOf: Station.chain(5))
        let alone = observable(0, following: .none)
        let near = observable(0, following: .levels(2))
        track(alone, "alone")
        track(near, "near")
        cache.touch(3)
        #expect(told.all == [])
        cache.touch(2)
        #expect(told.all == ["near"])
        cache.touch(0)
        #expect(told.all == ["near", "alone"])
    }

    @Test func commitNotifiesOnceIfTrackedAgainAtOnce() {
        cache.set(contentsOf: [Station(id: 1, next: [2]), Station(id: 2)])
        let observable = observable(1)
        @Sendable func track() {
            withObservationTracking {
                _ = observable.value
            } onChange: { [told] in
                told.append("\(observable.value?.revision ?? -1)")
                track()
            }
        }
        track()
        cache.touch(1)
        cache.performBatchUpdates { batch in
            for _ in 0..<5 {
                batch.touch(1)
                batch.touch(2)
            }
        }
        cache.touch(2)
        #expect(told.all == ["1", "6", "6"])
    }

    @Test func unchangedCommitsDontNotify() {
        struct Refusal: Error {}
        cache.set(contentsOf: [Station(id: 1), Station(id: 2)])
        let observable = observable(1)
        track(observable)
        cache.touch(2)
        cache.set(Note(id: 1, text: ""))
        cache.set(Station(id: 1))
        observable.value = Station(id: 1)
        try? cache.performBatchUpdates { batch in
            batch.touch(1)
            throw Refusal()
        }
        #expect(told.all == [])
    }

    @Test func itsOwnWritesNotify() {
        let observable = observable(1)
        track(observable)
        observable.value = Station(id: 1)
        #expect(told.all == ["told"])
        track(observable)
        observable.update { $0.revision += 1 }
        #expect(told.all == ["told", "told"])
        track(observable)
        observable.value = nil
        #expect(told.all == ["told", "told", "told"])
    }

    @Test func onlyTheObservableOfAChangedEntityNotifies() {
        cache.set(contentsOf: (0..<1001).map { Station(id: $0) })
        let observables = (0..<1000).map { observable($0) }
        for observable in observables { track(observable, "\(observable.id)") }
        cache.touch(1000)
        #expect(told.all == [])
        cache.touch(500)
        #expect(told.all == ["500"])
        cache.performBatchUpdates { batch in
            for id in [999, 500, 0, 1000] { batch.touch(id) }
        }
        #expect(told.all == ["500", "0", "999"])
        // Otherwise, optimized code releases the observables after their last use, which ends their
        // notifications.
        withExtendedLifetime(observables) {}
    }

    @Test func trackersAreNotifiedByItsDelivery() {
        let scheduler = ManualScheduler()
        let observable = Observed(
            cache.cached(Station.self, id: 1),
            delivery: scheduler.delivery
        )
        track(observable)
        cache.set(Station(id: 1))
        #expect(told.all == [])
        scheduler.runAll()
        #expect(told.all == ["told"])
    }

    // MARK: Lifetime

    @Test func observesForAsLongAsItLives() {
        cache.set(contentsOf: Station.chain(3))
        weak var weakObservable: Observed<Cached<Station>>?
        do {
            let observable = observable(0)
            weakObservable = observable
            track(observable)
            #expect(cache.core.watchedCount == 3)
        }
        #expect(weakObservable == nil)
        #expect(cache.core.watchedCount == 0)
        cache.touch(0)
        #expect(told.all == [])
    }

    @Test func eachObservesOnce() {
        let handle = cache.cached(Station.self, id: 1)
        let first = handle.observable
        for _ in 0..<10 {
            track(first)
            _ = first.value
        }
        #expect(cache.core.writer.graph.allEntityObservers.count == 1)
        let second = handle.observable
        #expect(first !== second)
        #expect(cache.core.writer.graph.allEntityObservers.count == 2)
    }

    @Test func keepsNeitherItsCacheNorTheValue() {
        weak var weakCache: Cache?
        weak var weakReceipt: Receipt?
        let observable: Observed<Cached<Loan>>
        do {
            let cache = Cache()
            let receipt = Receipt()
            weakCache = cache
            weakReceipt = receipt
            cache.set(Loan(id: 1, receipt: receipt))
            observable = cache.cached(Loan.self, id: 1).observable
            #expect(observable.value != nil)
        }
        #expect(weakCache == nil)
        #expect(weakReceipt == nil)
        #expect(observable.value == nil)
        observable.value = Loan(id: 1, receipt: Receipt())
        #expect(observable.value == nil)
        let updated = observable.update { $0.receipt = Receipt() }
        #expect(updated == nil)
    }
}
