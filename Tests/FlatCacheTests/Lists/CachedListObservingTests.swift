import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct CachedListObservingTests {
    let cache = Cache()
    let list: CachedList<Book>
    let received = Recorder<[String]>()

    init() {
        list = cache.list("list", of: Book.self)
        list.replace(with: [
            Book(id: 1, title: "A", author: "le-guin"), Book(id: 2, title: "B", sequel: 9),
        ])
        cache.set(Author(id: "le-guin", name: "Le Guin"))
        cache.set(Book(id: 9, title: "after B", sequel: 10))
        cache.set(Book(id: 10, title: "the last one"))
    }

    private func observe(
        initial: Bool = false,
        following: RelationshipDepth = .allRelationships
    ) -> Disposable {
        list.following(following).observe(initial: initial) { [received] books in
            received.append(books.map { $0.title ?? "-" })
        }
    }

    /// Returns the calls that a change causes, one per commit.
    private func received(of change: () -> Void) -> [[String]] {
        received.removeAll()
        change()
        cache.core.checkInvariants()
        return received.all
    }

    @Test func eachChangeOfTheOrderNotifiesOnceWithTheOrderedElements() {
        let observation = observe()
        #expect(received { list.move(2, to: 0) } == [["B", "A"]])
        #expect(
            received { list.append(contentsOf: [Book(id: 3, title: "C")]) } == [["B", "A", "C"]]
        )
        #expect(received { list.insert(Book(id: 4, title: "D"), at: 1) } == [["B", "D", "A", "C"]])
        #expect(received { list.remove(1) } == [["B", "D", "C"]])
        #expect(received { list.ids = [4, 3] } == [["D", "C"]])
        #expect(received { list.update { $0.reverse() } } == [["C", "D"]])
        #expect(received { list.removeAll() } == [[]])
        #expect(received { list.replace(with: [Book(id: 3)]) } == [["C"]])
        observation.dispose()
    }

    @Test func eachChangeOfAnElementNotifiesOnceWithAllElements() {
        let observation = observe()
        #expect(received { cache.set(Book(id: 2, title: "B2")) } == [["A", "B2"]])
        #expect(received { cache.update(Book.self, id: 1) { $0.year = 1 } } == [["A", "B2"]])
        #expect(received { list.insert(Book(id: 2, title: "B3"), at: 1) } == [["A", "B3"]])
        observation.dispose()
    }

    @Test func removalAndInsertionOfAnElementsValueNotify() {
        let observation = observe()
        #expect(received { cache.remove(Book.self, id: 1) } == [["B"]])
        #expect(received { cache.set(Book(id: 1, title: "A2")) } == [["A2", "B"]])
        #expect(received { list.ids.append(3) } == [["A2", "B"]])
        #expect(received { cache.set(Book(id: 3, title: "C")) } == [["A2", "B", "C"]])
        #expect(received { cache.removeAll(Book.self) } == [[]])
        observation.dispose()
    }

    @Test func removingEverythingNotifiesOnceAndSoDoLaterWrites() {
        let observation = observe()
        #expect(received { cache.removeAll() } == [[]])
        #expect(list.ids == [])
        #expect(received { cache.set(Book(id: 1)) } == [])
        #expect(received { list.replace(with: [Book(id: 1, title: "A")]) } == [["A"]])
        #expect(received { cache.set(Book(id: 1, title: "A2")) } == [["A2"]])
        observation.dispose()
    }

    @Test func relatedEntitiesOfElementsNotifyAtAnyDepth() {
        let observation = observe()
        #expect(
            received { cache.set(Author(id: "le-guin", name: "Ursula K. Le Guin")) } == [
                ["A", "B"]
            ]
        )
        #expect(received { cache.set(Book(id: 9, title: "renamed")) } == [["A", "B"]])
        #expect(received { cache.set(Book(id: 10, title: "renamed")) } == [["A", "B"]])
        #expect(received { cache.set(Author(id: "lem", name: "Lem")) } == [])
        #expect(received { cache.set(Book(id: 2, author: "lem")) } == [["A", "B"]])
        #expect(received { cache.set(Author(id: "lem", name: "Stanisław Lem")) } == [["A", "B"]])
        observation.dispose()
    }

    /// Returns which changes reach the observer: of the order, an element, its author, its sequel,
    /// and the sequel's sequel.
    private func reach() -> [Bool] {
        [
            received { list.update { $0.reverse() } },
            received { cache.update(Book.self, id: 1) { $0.year = ($0.year ?? 0) + 1 } },
            received { cache.update(Author.self, id: "le-guin") { $0.name += "!" } },
            received { cache.update(Book.self, id: 9) { $0.year = ($0.year ?? 0) + 1 } },
            received { cache.update(Book.self, id: 10) { $0.year = ($0.year ?? 0) + 1 } },
        ].map { $0.count == 1 }
    }

    @Test func withoutFollowingTheOrderAndTheElementsNotify() {
        let observation = observe(following: .none)
        #expect(reach() == [true, true, false, false, false])
        // The reach includes elements added later.
        list.ids.append(10)
        #expect(reach() == [true, true, false, false, true])
        observation.dispose()
        let other = observe(following: .levels(0))
        #expect(reach() == [true, true, false, false, true])
        other.dispose()
    }

    @Test func withLevelsTheRelationshipsOfTheElementsAreFollowedSoFar() {
        let observation = observe(following: .levels(1))
        #expect(reach() == [true, true, true, true, false])
        observation.dispose()
        let further = observe(following: .levels(2))
        #expect(reach() == [true, true, true, true, true])
        further.dispose()
        let all = observe(following: .levels(.max))
        #expect(reach() == [true, true, true, true, true])
        all.dispose()
        let changes = list.following(.levels(1)).observeChanges { [received] in
            received.append($0.ids.map { "\($0)" })
        }
        #expect(reach() == [true, true, true, true, false])
        changes.dispose()
        let changesOfElements = list.following(.none).observeChanges { [received] in
            received.append($0.ids.map { "\($0)" })
        }
        #expect(reach() == [true, true, false, false, false])
        changesOfElements.dispose()
        #expect(cache.core.watchedCount == 0)
    }

    @Test func initialCallIsMadeAtOnce() {
        let observation = observe(initial: true)
        #expect(received.all == [["A", "B"]])
        observation.dispose()
        let ofNothing = cache.list("nothing", of: Book.self).observe(initial: true) { [received] in
            received.append($0.map { "\($0)" })
        }
        #expect(received.all == [["A", "B"], []])
        ofNothing.dispose()
        let withoutInitialCall = observe()
        #expect(received.count == 2)
        withoutInitialCall.dispose()
    }

    @Test func batchOfManyChangesNotifiesOnce() {
        let observation = observe()
        let calls = received {
            cache.performBatchUpdates { batch in
                list.append(contentsOf: [Book(id: 3, title: "C")])
                batch.set(Book(id: 1, title: "A2"))
                batch.set(Author(id: "le-guin", name: "U. K. Le Guin"))
                list.move(3, to: 0)
                batch.set(Book(id: 1, title: "A3"))
                batch.remove(Book.self, id: 2)
            }
        }
        #expect(calls == [["C", "A3"]])
        observation.dispose()
    }

    @Test func entitiesOutsideTheListDontNotify() {
        let observation = observe()
        #expect(received { cache.set(Book(id: 3)) } == [])
        #expect(received { cache.list("other", of: Book.self).ids = [1, 2, 3] } == [])
        #expect(received { cache.list("list", of: Note.self).ids = [1] } == [])
        #expect(received { cache.set(Note(id: 1, text: "")) } == [])
        observation.dispose()
    }

    @Test(arguments: [RelationshipDepth.allRelationships, .none, .levels(1)])
    func removedElementsDontNotifyAndAddedOnesDo(following: RelationshipDepth) {
        let observation = observe(following: following)
        list.remove(1)
        #expect(received { cache.set(Book(id: 1, title: "gone")) } == [])
        #expect(received { cache.set(Author(id: "le-guin", name: "gone, too")) } == [])
        cache.set(Book(id: 3, title: "C"))
        list.ids = [3]
        #expect(received { cache.set(Book(id: 2, title: "gone")) } == [])
        #expect(received { cache.set(Book(id: 3, title: "C2")) } == [["C2"]])
        list.ids = [1, 3]
        #expect(received { cache.set(Book(id: 1, title: "back")) } == [["back", "C2"]])
        observation.dispose()
    }

    @Test func sharedElementsNotifyTheObserversOfBothLists() {
        let other = cache.list("other", of: Book.self)
        other.ids = [9, 2]
        let ofOther = other.observe { [received] books in
            received.append(["other"] + books.map { $0.title ?? "" })
        }
        let observation = observe()
        #expect(
            received { cache.set(Book(id: 2, title: "B2")) } == [
                ["other", "after B", "B2"], ["A", "B2"],
            ]
        )
        #expect(received { other.remove(2) } == [["other", "after B"]])
        #expect(received { cache.set(Book(id: 2, title: "B3")) } == [["A", "B3"]])
        observation.dispose()
        ofOther.dispose()
    }

    @Test func disposalEndsCallsAndWatching() {
        let observation = observe()
        #expect(cache.core.watchedCount == 6)
        observation.dispose()
        #expect(cache.core.watchedCount == 0)
        #expect(received { list.removeAll() } == [])
        observation.dispose()
        do {
            let token = observe()
            withExtendedLifetime(token) {}
        }
        #expect(received { list.ids = [1, 2] } == [])
        #expect(cache.core.watchedCount == 0)
    }

    @Test func observationOutlivesTheHandle() {
        let observation = cache.list("list", of: Book.self).observe { [received] books in
            received.append(books.map { $0.title ?? "-" })
        }
        #expect(received { list.remove(1) } == [["B"]])
        observation.dispose()
    }

    @Test func deliveryOfItsOwnCallsLaterWithTheLatestElements() {
        let works = Recorder<@Sendable () -> Void>()
        let observation = list.observe(delivery: CacheDelivery { works.append($0) }) {
            [received] books in
            received.append(books.map { $0.title ?? "-" })
        }
        list.remove(1)
        list.removeAll()
        #expect(received.all == [])
        #expect(works.count == 1)
        works.all[0]()
        #expect(received.all == [[], []])
        list.ids = [1]
        observation.dispose()
        works.all[1]()
        #expect(received.all == [[], []])
    }
}
