import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests the changes that observers of a list receive.
struct CachedListChangesTests {
    let cache = Cache()
    let list: CachedList<Book>
    let changes = Recorder<ListChange<Book>>()
    let observation: Disposable

    init() {
        list = cache.list("list", of: Book.self)
        list.replace(with: [Book(id: 1, author: "le-guin"), Book(id: 2, sequel: 9), Book(id: 3)])
        cache.set(Author(id: "le-guin", name: "Le Guin"))
        observation = list.observeChanges { [changes] in changes.append($0) }
    }

    /// Returns the only change that the observer receives for a closure.
    private func change(_ body: () -> Void) throws -> ListChange<Book> {
        changes.removeAll()
        body()
        #expect(changes.count == 1)
        return try #require(changes.all.last)
    }

    @Test func newOrderIsReportedWithTheOldOneAndTheDifference() throws {
        let moved = try change { list.move(3, to: 0) }
        #expect(moved.oldIDs == [1, 2, 3])
        #expect(moved.ids == [3, 1, 2])
        #expect(moved.hasNewOrder)
        #expect(moved.changedIDs == [])
        #expect(moved.causes == [])
        #expect(moved.version == cache.version)
        #expect(
            Array(moved.difference.inferringMoves()) == [
                .remove(offset: 2, element: 3, associatedWith: 0),
                .insert(offset: 0, element: 3, associatedWith: 2),
            ]
        )
    }

    @Test func changedElementIsReportedWithAnUnchangedOrder() throws {
        let changed = try change { cache.set(Book(id: 2, title: "B")) }
        #expect(changed.ids == [1, 2, 3])
        #expect(changed.oldIDs == [1, 2, 3])
        #expect(!changed.hasNewOrder)
        #expect(changed.difference.isEmpty)
        #expect(changed.changedIDs == [2])
        #expect(changed.causes == [CacheKey(Book.self, id: 2)])
        #expect(changed.version == cache.version)
    }

    @Test func relatedEntitiesAreCausesButNotChangedElements() throws {
        let author = try change { cache.set(Author(id: "le-guin", name: "Ursula")) }
        #expect(author.causes == [CacheKey(Author.self, id: "le-guin")])
        #expect(author.changedIDs == [])
        let sequel = try change { cache.set(Book(id: 9)) }
        #expect(sequel.causes == [CacheKey(Book.self, id: 9)])
        #expect(sequel.changedIDs == [], "The sequel isn't an element of the list.")
        let both = try change { list.append(contentsOf: [Book(id: 9, title: "now in the list")]) }
        #expect(both.changedIDs == [9])
    }

    @Test func arrivalsAndRemovalsOfValuesAreChangedElements() throws {
        let removed = try change { cache.remove(Book.self, id: 3) }
        #expect(removed.changedIDs == [3])
        #expect(!removed.hasNewOrder)
        let arrived = try change { cache.set(Book(id: 3)) }
        #expect(arrived.changedIDs == [3])
        #expect(arrived.ids == [1, 2, 3])
    }

    @Test func pageIsReportedAsInsertionsAndChangedElements() throws {
        let page = try change {
            list.append(contentsOf: [Book(id: 4), Book(id: 1, title: "A"), Book(id: 5)])
        }
        #expect(page.ids == [1, 2, 3, 4, 5])
        #expect(page.changedIDs == [1, 4, 5])
        #expect(page.difference.removals.isEmpty)
        #expect(page.difference.insertions.count == 2)
        #expect(page.oldIDs.applying(page.difference) == page.ids)
    }

    @Test func causesOfABatchAreAllReachableChanges() throws {
        let change = try change {
            cache.performBatchUpdates { batch in
                batch.set(Book(id: 1, title: "leaves and changes"))
                batch.set(Book(id: 2, title: "stays and changes"))
                batch.set(Book(id: 7, title: "not in the list"))
                batch.set(Book(id: 9, title: "the sequel of 2"))
                list.remove(1)
            }
        }
        #expect(change.ids == [2, 3])
        #expect(change.changedIDs == [2])
        #expect(change.causes == [CacheKey(Book.self, id: 2), CacheKey(Book.self, id: 9)])
    }

    @Test func removalOfAListIsReportedAsRemovalOfItsElements() throws {
        let change = try change { cache.removeAll() }
        #expect(change.oldIDs == [1, 2, 3])
        #expect(change.ids == [])
        #expect([1, 2, 3].applying(change.difference) == [])
        let back = try self.change { list.ids = [3] }
        #expect(back.oldIDs == [])
        #expect(back.ids == [3])
    }

    @Test func commitsThatLeaveTheListUnchangedDontNotify() {
        list.ids = [1, 2, 3]
        list.append(contentsOf: [Book(id: 1)])
        list.move(2, to: 1)
        list.remove(7)
        cache.set(Book(id: 7))
        #expect(changes.count == 0)
    }

    @Test func differencesLeadFromOneOrderToTheNext() {
        var random = SplitMix64(seed: 11)
        var order = list.ids
        for _ in 0..<300 {
            changes.removeAll()
            list.update { ids in
                for _ in 0..<random.number(in: 1...4) {
                    switch random.below(4) {
                    case 0: ids.insert(random.below(30), at: random.below(ids.count + 1))
                    case 1 where !ids.isEmpty: ids.remove(at: random.below(ids.count))
                    case 2: ids.shuffle(using: &random)
                    default: ids.append(random.below(30))
                    }
                }
            }
            for change in changes.all {
                #expect(change.oldIDs == order)
                order = order.applying(change.difference) ?? []
                #expect(change.ids == order)
            }
            #expect(order == list.ids)
        }
    }
}
