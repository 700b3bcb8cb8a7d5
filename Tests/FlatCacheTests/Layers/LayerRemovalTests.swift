import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests of layers together with removals of whole types, of everything and of owners.
struct LayerRemovalTests {
    private let cache = Cache()

    private struct Refusal: Error {}

    @Test func removingAllOfATypeRemovesItsOnlyEntityBeneathALayerThatHidesIt() {
        cache.set(Book(id: 1, title: "a"))
        let layer = cache.beginLayer("Delete") { $0.remove(Book.self, id: 1) }
        #expect(cache.removeAll(Book.self) == 1)
        layer.rollBack()
        #expect(cache[Book.self, 1] == nil)
        cache.core.checkInvariants()
    }

    @Test func removingEverythingRemovesHiddenEntities() {
        cache.set(Book(id: 1, title: "a"))
        cache.set(Note(id: 1, text: "b"))
        let layer = cache.beginLayer("Delete") { $0.remove(Book.self, id: 1) }
        #expect(cache.removeAll() == 2)
        #expect(!layer.isOpen)
        #expect(cache.confirmed[Book.self, 1] == nil)
        cache.set(Book(id: 2, title: "c"))
        #expect(cache.ids(of: Book.self) == [2])
        cache.core.checkInvariants()
    }

    @Test func removingAllOfATypeLeavesTheEntitiesThatOnlyLayersHave() {
        cache.set(Book(id: 2, title: "a"))
        let layer = cache.beginLayer("Draft") { $0.set(Book(id: 1, title: "b")) }
        #expect(cache.removeAll(Book.self) == 1)
        #expect(cache.ids(of: Book.self) == [1])
        layer.rollBack()
        #expect(cache.count(of: Book.self) == 0)
        cache.core.checkInvariants()
    }

    @Test func aRemovalOfEverythingThatIsRolledBackLeavesTheLayersOpen() {
        cache.set(Book(id: 1, title: "a"))
        let layer = cache.beginLayer("Rename") { layer in
            layer.update(Book.self, id: 1) { $0.title = "b" }
        }
        try? cache.performBatchUpdates { batch in
            #expect(batch.removeAll() == 1)
            #expect(batch[Book.self, 1] == nil)
            throw Refusal()
        }
        #expect(layer.isOpen)
        #expect(cache[Book.self, 1]?.title == "b")
        #expect(cache.cached(Book.self, id: 1).isPending)
        #expect(cache.pendingLayers.elements.map(\.label) == ["Rename"])
        layer.rollBack()
        #expect(cache[Book.self, 1]?.title == "a")
        cache.core.checkInvariants()
    }

    @Test func removalsOfEntitiesThatOnlyALayerHasDoNothing() {
        let layer = cache.beginLayer("Draft") { $0.set(Book(id: 1, title: "a")) }
        let changes = Recorder<EntityChange<Book>.Kind>()
        let handle = cache.cached(Book.self, id: 1)
        let token = handle.observeChanges { changes.append($0.kind) }
        #expect(cache.remove(Book.self, id: 1) == nil)
        handle.value = nil
        #expect(cache[Book.self, 1]?.title == "a")
        #expect(changes.all.isEmpty)
        token.dispose()
        layer.rollBack()
    }

    @Test func removingAnOwnerRemovesTheConfirmedValuesOfOwnedEntities() {
        cache.set(Author(id: 1, books: [1, 2]))
        cache.set(contentsOf: [Book(id: 1, title: "a"), Book(id: 2, title: "a")])
        let layer = cache.beginLayer("Edit") { layer in
            layer.update(Book.self, id: 1) { $0.title = "b" }
            layer.set(Book(id: 2, title: "b"))
            layer.update(Author.self, id: 1) { $0.books = [] }
        }
        cache.remove(Author.self, id: 1)
        #expect(cache.confirmed.count(of: Book.self) == 0)
        #expect(cache.ids(of: Book.self) == [2])
        layer.rollBack()
        #expect(cache.count(of: Book.self) == 0)
        cache.core.checkInvariants()
    }

    @Test func theEvictionOfAnOwnerLeavesItsPendingEntitiesAsTheyAre() {
        cache.limit(Author.self, .count(1))
        cache.set(Author(id: 1, books: [1]))
        cache.set(Book(id: 1, title: "a"))
        let layer = cache.beginLayer("Rename") { layer in
            layer.update(Book.self, id: 1) { $0.title = "b" }
        }
        for id in 10..<20 { cache.set(Author(id: id, books: [])) }
        #expect(cache[Author.self, 1] == nil)
        #expect(cache[Book.self, 1]?.title == "b")
        layer.rollBack()
        #expect(cache[Book.self, 1]?.title == "a")
        cache.core.checkInvariants()
    }

    @Test func aHeldRemovalOfAnOwnerRemovesWhatItOwnsWhenItIsSettled() throws {
        cache.set(Author(id: 1, books: [1]))
        let older = cache.beginLayer("Edit") { layer in
            layer.update(Author.self, id: 1) { $0.books = [1, 2] }
        }
        try cache.beginLayer("Delete") { $0.remove(Author.self, id: 1) }.confirm()
        // A late poll.
        cache.set(Author(id: 1, books: [1]))
        cache.set(Book(id: 1, title: "a"))
        #expect(cache[Author.self, 1] == nil)
        older.rollBack()
        #expect(cache.confirmed[Author.self, 1] == nil)
        #expect(cache[Book.self, 1] == nil)
        cache.core.checkInvariants()
    }
}

private struct Author: CacheEntity, Equatable, OwnsCachedValues {
    let id: Int
    var books: [Int]

    var ownedCacheKeys: Set<CacheKey> { Set(books.map { CacheKey(Book.self, id: $0) }) }
}
