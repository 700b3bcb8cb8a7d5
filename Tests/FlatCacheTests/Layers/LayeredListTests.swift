import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests of the edits of layers to lists.
struct LayeredListTests {
    private let cache = Cache()
    private var list: CachedList<Book> { cache.list("all", of: Book.self) }

    @Test func editsWithoutTheirAnchorsGoToTheStartOrTheEnd() {
        list.ids = [1, 2, 3]
        let layer = cache.beginLayer("Arrange") { layer in
            let list = layer.list("all", of: Book.self)
            list.insert(4, before: 99)
            list.insert(5, after: 99)
            list.move(2, before: 99)
            list.move(1, after: 99)
            // The list doesn't contain the first one, and the others are their own anchors.
            list.move(77, after: 1)
            list.move(3, before: 3)
            list.move(3, after: 3)
        }
        #expect(list.ids == [2, 4, 3, 5, 1])
        // The anchor arrives.
        list.ids = [1, 2, 3, 99]
        #expect(list.ids == [3, 4, 2, 99, 1, 5])
        layer.rollBack()
        #expect(list.ids == [1, 2, 3, 99])
    }

    @Test func withoutAnAnchorMovesGoToTheStartOrTheEnd() {
        list.ids = [1, 2, 3]
        let layer = cache.beginLayer("Arrange") { layer in
            layer.list("all", of: Book.self).move(2, before: nil)
            layer.list("all", of: Book.self).move(1, after: nil)
        }
        #expect(list.ids == [2, 3, 1])
        layer.rollBack()
    }

    @Test func pagesAreMergedBeneathTheEdits() async throws {
        try list.merge([Book(id: 1), Book(id: 2)], after: nil, next: "p2")
        let layer = cache.beginLayer("Arrange") { layer in
            let list = layer.list("all", of: Book.self)
            list.prepend(8)
            list.append(9)
            list.remove(2)
            list.move(4, before: 1)
        }
        #expect(list.ids == [8, 1, 9])
        #expect(list.next == .after("p2"))
        let isMerged = try await list.loadNext { cursor in
            #expect(cursor == "p2")
            return ListPage([Book(id: 3), Book(id: 4)], next: "p3")
        }
        #expect(isMerged)
        #expect(list.ids == [8, 4, 1, 3, 9])
        #expect(list.ids(in: cache.confirmed) == [1, 2, 3, 4])
        // An element that the confirmed list contains keeps its position there.
        list.insert(Book(id: 9), at: 1)
        #expect(list.ids == [8, 4, 1, 9, 3])
        list.removeAll()
        #expect(list.ids == [8, 9])
        #expect(list.next == .unknown)
        layer.rollBack()
        #expect(list.ids.isEmpty)
    }

    @Test func theFirstPageOfAListThatOnlyALayerHasIsMerged() async throws {
        let layer = cache.beginLayer("Add") { $0.list("all", of: Book.self).append(9) }
        let isMerged = try await list.loadNext { _ in
            ListPage([Book(id: 1), Book(id: 2)], next: nil)
        }
        #expect(isMerged)
        #expect(list.ids == [1, 2, 9])
        layer.rollBack()
        #expect(list.ids == [1, 2])
        #expect(list.next == .end)
    }

    @Test func observersOfAListAreCalledOnlyIfTheVisibleListChanges() {
        list.ids = [1, 2]
        let list = list
        let shown = Recorder<[Int]>()
        let observation = list.observe(initial: false) { _ in shown.append(list.ids) }
        let layer = cache.beginLayer("Remove") { $0.list("all", of: Book.self).remove(3) }
        list.ids = [1, 2, 3]
        #expect(shown.all.isEmpty)
        #expect(list.ids(in: cache.confirmed) == [1, 2, 3])
        layer.rollBack()
        #expect(shown.all == [[1, 2, 3]])
        observation.dispose()
    }

    @Test func elementsThatOnlyALayerInsertsAreObserved() {
        list.replace(with: [Book(id: 1, year: 1)])
        let shown = Recorder<[Int?]>()
        let observation = list.observe(initial: false) { shown.append($0.map(\.year)) }
        let layer = cache.beginLayer("Add") { layer in
            layer.list("all", of: Book.self).append(2)
        }
        cache.set(Book(id: 2, year: 2))
        layer.rollBack()
        #expect(shown.all.suffix(2) == [[1, 2], [1]])
        let count = shown.count
        cache.set(Book(id: 2, year: 3))
        #expect(shown.count == count)
        observation.dispose()
    }

    @Test func listsDropRemovedElementsWhenTheRemovalIsConfirmed() throws {
        var configuration = CacheConfiguration()
        configuration.dropRemovedElements(of: Book.self)
        let cache = Cache(configuration: configuration)
        cache.set(contentsOf: (1...3).map { Book(id: $0) })
        let list = cache.list("all", of: Book.self)
        list.ids = [1, 2, 3]
        let deletion = cache.beginLayer("Delete") { $0.remove(Book.self, id: 1) }
        let addition = cache.beginLayer("Add") { $0.list("all", of: Book.self).append(9) }
        #expect(list.ids == [1, 2, 3, 9])
        cache.remove(Book.self, id: 2)
        #expect(list.ids == [1, 3, 9])
        try deletion.confirm()
        #expect(list.ids == [3, 9])
        #expect(list.ids(in: cache.confirmed) == [3])
        addition.rollBack()
        #expect(list.ids == [3])
    }
}
