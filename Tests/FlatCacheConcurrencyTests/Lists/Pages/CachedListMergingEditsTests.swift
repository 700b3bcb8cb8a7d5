import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Edits between the pages of a list.
struct CachedListMergingEditsTests {
    let cache = Cache()
    let list: CachedList<Book>

    /// Creates a list with the pages [1, 2], [3, 4] and [5, 6] and a cursor for another page.
    init() throws {
        list = cache.list("list", of: Book.self)
        try merge([1, 2], after: nil, next: "b")
        try merge([3, 4], after: "b", next: "c")
        try merge([5, 6], after: "c", next: "d")
    }

    private func merge(_ ids: [Int], after cursor: String?, next: String?) throws {
        try list.merge(ids.map { Related($0) }, after: cursor, next: next)
    }

    @Test func insertedElementsBelongToTheirPages() throws {
        list.insert(Book(id: 10), at: 0)
        list.insert(Book(id: 11), at: 4)
        #expect(list.ids == [10, 1, 2, 3, 11, 4, 5, 6])
        #expect(list.next == .after("d"))
        try merge([7], after: "c", next: "d")
        #expect(list.ids == [10, 1, 2, 3, 11, 4, 7])
        try merge([8], after: "b", next: "c")
        #expect(list.ids == [10, 1, 2, 8])
    }

    @Test func elementInsertedBetweenTwoPagesBelongsToTheLaterOne() throws {
        list.insert(Book(id: 10), at: 2)
        try merge([3], after: "b", next: "c")
        #expect(list.ids == [1, 2, 3])
    }

    @Test func appendedElementsStayBeforeTheNextPage() throws {
        list.append(contentsOf: [Book(id: 10)])
        try merge([7], after: "d", next: nil)
        #expect(list.ids == [1, 2, 3, 4, 5, 6, 10, 7])
        #expect(list.next == .end)
    }

    @Test func elementsAppendedToACompleteListBelongToItsLastPage() throws {
        try merge([7], after: "d", next: nil)
        list.append(contentsOf: [Book(id: 10)])
        #expect(list.next == .end)
        try merge([8], after: "d", next: nil)
        #expect(list.ids == [1, 2, 3, 4, 5, 6, 8])
    }

    @Test func removedElementsKeepTheCursors() throws {
        list.remove(2)
        list.remove(6)
        list.update { $0.removeAll { $0 == 3 || $0 == 4 } }
        #expect(list.ids == [1, 5])
        #expect(list.next == .after("d"))
        try merge([7], after: "d", next: "e")
        #expect(list.ids == [1, 5, 7])
        try merge([5], after: "c", next: "d")
        #expect(list.ids == [1, 5])
        try merge([4], after: "b", next: "c")
        #expect(list.ids == [1, 4])
    }

    @Test func listWhoseElementsAreRemovedOneByOneContinues() throws {
        for id in 1...6 { list.remove(id) }
        #expect(list.ids == [])
        #expect(list.next == .after("d"))
        try merge([7], after: "d", next: nil)
        #expect(list.ids == [7])
    }

    @Test func removedElementReturnsWithItsPage() throws {
        list.remove(3)
        try merge([3, 4], after: "b", next: "c")
        #expect(list.ids == [1, 2, 3, 4])
    }

    @Test func movedElementsOfEarlierPagesAreKept() throws {
        list.move(1, to: 4)
        #expect(list.ids == [2, 3, 4, 5, 1, 6])
        // The cursor follows element 1, which belongs to the page before it.
        try merge([3, 9], after: "b", next: "c")
        #expect(list.ids == [2, 3, 4, 5, 1, 9])
    }

    @Test func movingTheLastElementOfAPageKeepsTheOthers() throws {
        list.move(2, to: 0)
        try merge([9], after: "b", next: "c")
        #expect(list.ids == [2, 1, 9])
    }

    @Test func reversedListContinues() throws {
        list.update { $0.reverse() }
        try merge([7], after: "d", next: "e")
        #expect(list.ids == [6, 5, 4, 3, 2, 1, 7])
        try merge([8], after: "b", next: nil)
        #expect(list.ids == [6, 5, 4, 3, 2, 1, 8])
    }

    @Test func assignedIdentifiersKeepTheCursors() throws {
        list.ids = [3, 1, 20]
        #expect(list.next == .after("d"))
        try merge([7], after: "d", next: nil)
        #expect(list.ids == [3, 1, 20, 7])
    }

    @Test func editOfTheOrderAloneKeepsNext() throws {
        try merge([], after: "d", next: nil)
        list.update { $0.sort(by: >) }
        #expect(list.next == .end)
    }

    @Test(arguments: 0..<4)
    func replacingForgetsTheCursors(way: Int) throws {
        switch way {
        case 0: list.replace(with: [Book(id: 1)])
        case 1: list.replace(withIDs: [1])
        case 2: list.removeAll()
        default: cache.removeAll()
        }
        #expect(list.ids == (way < 2 ? [1] : []))
        #expect(list.next == .unknown)
        for cursor in ["b", "c", "d"] {
            #expect(throws: CursorError.self) { try merge([9], after: cursor, next: nil) }
        }
    }

    @Test func replacingWithTheSameElementsForgetsTheCursors() throws {
        let version = cache.version
        list.replace(withIDs: [1, 2, 3, 4, 5, 6])
        #expect(cache.version == version + 1)
        #expect(list.next == .unknown)
        list.replace(withIDs: [1, 2, 3, 4, 5, 6])
        #expect(cache.version == version + 1)
    }

    @Test func emptiedListThatIsCompleteIsUnknownAgain() throws {
        try merge([], after: nil, next: nil)
        #expect(list.next == .end)
        list.removeAll()
        #expect(list.next == .unknown)
    }

    @Test func pageMergedInsideAnUpdateKeepsItsCursor() throws {
        try list.update { ids in
            try merge([7], after: "d", next: "e")
            ids = [1, 2, 7]
        }
        #expect(list.ids == [1, 2, 7])
        #expect(list.next == .after("e"))
        try merge([8], after: "d", next: nil)
        #expect(list.ids == [1, 2, 8])
    }

    @Test func mergedPageIsPinned() throws {
        var configuration = CacheConfiguration()
        configuration.limit(Book.self, .count(2))
        let cache = Cache(configuration: configuration)
        let pinning = cache.list("pinning", of: Book.self)
        try pinning.merge((0..<10).map { Book(id: $0) }, after: nil, next: "b")
        #expect(pinning.elements.count == 10)
        let other = Cache(configuration: configuration)
        let loose = other.list("loose", of: Book.self, pinsElements: false)
        try loose.merge((0..<10).map { Book(id: $0) }, after: nil, next: "b")
        #expect(other.isSettled())
        #expect(loose.ids.count == 10)
        #expect(loose.elements.count < 10)
    }
}
