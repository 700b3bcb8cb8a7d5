import Observation
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct CachedListMergingTests {
    let cache = Cache()
    let list: CachedList<Book>

    init() {
        list = cache.list("list", of: Book.self)
    }

    /// Merges references to books.
    private func merge(_ ids: [Int], after cursor: String?, next: String?) throws {
        try list.merge(ids.map { Related($0) }, after: cursor, next: next)
    }

    @Test func pagesFollowEachOther() throws {
        #expect(list.next == .unknown)
        try list.merge([Book(id: 1), Book(id: 2)], after: nil, next: "b")
        #expect(list.next == .after("b"))
        try list.merge([Book(id: 3, title: "Kindred")], after: "b", next: "c")
        #expect(list.next == .after("c"))
        try list.merge([Book(id: 4)], after: "c", next: nil)
        #expect(list.next == .end)
        #expect(list.ids == [1, 2, 3, 4])
        #expect(list.elements.map(\.id) == [1, 2, 3, 4])
        #expect(cache[Book.self, 3]?.title == "Kindred")
    }

    @Test func ingestMergesThePageOfItsResponseInTheSameCommit() throws {
        struct Page: Decodable {
            var items: [Related<Library.City>]
            var next: String?
        }
        let response = #"{"items": [{"id": "a", "name": "A"}, "b"], "next": "c"}"#
        func ingest(after cursor: String?) throws {
            try cache.ingest {
                try decoded(Page.self, response)
            } apply: { batch, page in
                try batch.list("cities", of: Library.City.self)
                    .merge(page.items, after: cursor, next: page.next)
            }
        }
        #expect(throws: CursorError.self) { try ingest(after: "x") }
        #expect(cache.count(of: Library.City.self) == 0)
        #expect(cache.version == 0)
        try ingest(after: nil)
        let cities = cache.list("cities", of: Library.City.self)
        #expect(cities.ids == ["a", "b"])
        #expect(cities.next == .after("c"))
        #expect(cities.elements.map(\.name) == ["A"])
        #expect(cache.version == 1)
    }

    @Test func valuesOfAPageAreMerged() throws {
        cache.set(Book(id: 1, title: "Tehanu"))
        try list.merge([Book(id: 1, year: 1990)], after: nil, next: nil)
        #expect(cache[Book.self, 1] == Book(id: 1, title: "Tehanu", year: 1990))
    }

    @Test func referencesNeedNoValues() throws {
        try merge([1, 2], after: nil, next: "b")
        #expect(list.ids == [1, 2])
        #expect(list.elements == [])
        cache.set(Book(id: 2))
        #expect(list.elements == [Book(id: 2)])
        #expect(list.next == .after("b"))
    }

    @Test func anySequenceOfReferencesIsAPage() throws {
        try list.merge((1...3).lazy.map { Related<Book>($0) }, after: nil, next: "b")
        try list.merge(Set([Related<Book>(4)]), after: "b", next: nil)
        #expect(list.ids == [1, 2, 3, 4])
        #expect(ListPage<Book>((1...2).lazy.map { Related($0) }, next: nil).ids == [1, 2])
        #expect(ListPage<Book>([], next: "b").ids == [])
    }

    @Test func emptyLiteralIsAPage() throws {
        try list.merge([], after: nil, next: "b")
        #expect(list.ids == [])
        #expect(list.next == .after("b"))
    }

    @Test func pageWithoutACursorReplacesAllPages() throws {
        try merge([1, 2], after: nil, next: "b")
        try merge([3, 4], after: "b", next: "c")
        try merge([5, 1], after: nil, next: "x")
        #expect(list.ids == [5, 1])
        #expect(list.next == .after("x"))
        #expect(throws: CursorError.self) { try merge([9], after: "b", next: nil) }
        #expect(throws: CursorError.self) { try merge([9], after: "c", next: nil) }
        try merge([6], after: "x", next: nil)
        #expect(list.ids == [5, 1, 6])
    }

    @Test func pageAfterAnEarlierCursorReplacesTheLaterPages() throws {
        try merge([1, 2], after: nil, next: "b")
        try merge([3, 4], after: "b", next: "c")
        try merge([5], after: "c", next: nil)
        try merge([4, 7], after: "b", next: "d")
        #expect(list.ids == [1, 2, 4, 7])
        #expect(list.next == .after("d"))
        #expect(throws: CursorError.self) { try merge([9], after: "c", next: nil) }
    }

    @Test func unknownCursorChangesNothing() throws {
        try merge([1], after: nil, next: "b")
        let version = cache.version
        let error = #expect(throws: CursorError.self) {
            try list.merge([Book(id: 9)], after: "no such", next: nil)
        }
        #expect(error?.cursor == "no such")
        #expect(error?.listName == "list")
        #expect(error?.elementType == "Book")
        let message = error.map { "\($0)" } ?? ""
        #expect(message.contains(#"list "list" of Book"#))
        #expect(message.contains(#"cursor "no such""#))
        #expect(cache.version == version)
        #expect(list.ids == [1])
        #expect(list.next == .after("b"))
        #expect(cache[Book.self, 9] == nil)
    }

    @Test func listWithoutPagesKnowsNoCursor() {
        list.replace(with: [Book(id: 1)])
        #expect(throws: CursorError.self) { try merge([2], after: "b", next: nil) }
        #expect(list.next == .unknown)
    }

    @Test func elementOfTwoPagesKeepsItsFirstPosition() throws {
        try merge([1, 2, 3], after: nil, next: "b")
        try merge([3, 4, 4, 2, 5], after: "b", next: "c")
        #expect(list.ids == [1, 2, 3, 4, 5])
        // The boundary is the end of the distinct elements.
        try merge([6, 5], after: "c", next: "d")
        #expect(list.ids == [1, 2, 3, 4, 5, 6])
        try merge([7], after: "c", next: nil)
        #expect(list.ids == [1, 2, 3, 4, 5, 7])
    }

    @Test func pageThatArrivesTwiceChangesNothing() throws {
        try merge([1, 2], after: nil, next: "b")
        try merge([3, 4], after: "b", next: "c")
        let version = cache.version
        try merge([3, 4], after: "b", next: "c")
        #expect(cache.version == version)
        #expect(list.ids == [1, 2, 3, 4])
        #expect(list.next == .after("c"))
    }

    @Test func emptyPagesMoveTheCursor() throws {
        try merge([], after: nil, next: "b")
        try merge([], after: "b", next: "c")
        #expect(list.next == .after("c"))
        try merge([1], after: "c", next: "d")
        try merge([], after: "d", next: nil)
        #expect(list.ids == [1])
        #expect(list.next == .end)
        try merge([2], after: "b", next: nil)
        #expect(list.ids == [2])
    }

    @Test func repeatedCursorMeansTheLastPageThatSentIt() throws {
        try merge([1], after: nil, next: "b")
        try merge([2], after: "b", next: "b")
        try merge([3], after: "b", next: "c")
        #expect(list.ids == [1, 2, 3])
        try merge([4], after: "b", next: "c")
        #expect(list.ids == [1, 2, 4])
    }

    @Test func batchesShowAndRollBackPages() throws {
        try merge([1], after: nil, next: "b")
        try cache.performBatchUpdates { batch in
            let written = batch.list("list", of: Book.self)
            #expect(written.next == .after("b"))
            try written.merge([Book(id: 2)], after: "b", next: "c")
            #expect(written.ids == [1, 2])
            #expect(written.next == .after("c"))
            #expect(written.next(in: batch) == .after("c"))
            #expect(list.next == .after("b"))
            #expect(throws: CursorError.self) {
                try written.merge([Book(id: 3)], after: "x", next: nil)
            }
            #expect(batch[Book.self, 3] == nil)
            try written.merge([Book(id: 4)], after: "c", next: nil)
        }
        #expect(list.ids == [1, 2, 4])
        #expect(list.next == .end)
        #expect(throws: CursorError.self) {
            try cache.performBatchUpdates { batch in
                let written = batch.list("list", of: Book.self)
                try written.merge([Book(id: 5)], after: nil, next: "z")
                try written.merge([Book(id: 6)], after: "y", next: nil)
            }
        }
        #expect(list.ids == [1, 2, 4])
        #expect(list.next == .end)
        #expect(cache[Book.self, 5] == nil)
    }

    @Test func snapshotsKeepTheirPages() throws {
        try merge([1], after: nil, next: "b")
        try cache.withSnapshot { snapshot in
            try merge([2], after: "b", next: nil)
            #expect(list.next(in: snapshot) == .after("b"))
            #expect(list.ids(in: snapshot) == [1])
            #expect(list.next(in: cache) == .end)
        }
        #expect(cache.withSnapshot { list.next(in: $0) } == .end)
    }

    @Test func changeOfTheNextPageAloneIsObserved() throws {
        try merge([1], after: nil, next: "b")
        cache.set(Book(id: 1))
        let elements = Recorder<[Book]>()
        let changes = Recorder<ListChange<Book>>()
        let observations = [
            list.observe { elements.append($0) }, list.observeChanges { changes.append($0) },
        ]
        try merge([], after: "b", next: nil)
        #expect(elements.all == [[Book(id: 1)]])
        let change = try #require(changes.all.first)
        #expect(changes.count == 1)
        #expect(change.oldNext == .after("b"))
        #expect(change.next == .end)
        #expect(!change.hasNewOrder)
        #expect(change.causes == [])
        try merge([], after: "b", next: nil)
        #expect(changes.count == 1)
        for observation in observations { observation.dispose() }
    }

    @Test func observableListShowsTheNextPage() throws {
        let observable = Observed(list, delivery: .inline)
        #expect(observable.next == .unknown)
        let notified = Recorder<String>()
        withObservationTracking {
            _ = observable.next
        } onChange: {
            notified.append("changed")
        }
        try merge([], after: nil, next: "b")
        #expect(notified.count == 1)
        #expect(observable.next == .after("b"))
    }

    @Test func onlyAPageAfterACursorHasACursor() {
        #expect(NextPage.unknown.cursor == nil)
        #expect(NextPage.after("b").cursor == "b")
        #expect(NextPage.end.cursor == nil)
    }

    @Test func mergingAfterTheCacheHasGoneDoesNothing() throws {
        var cache: Cache? = Cache()
        let list = try #require(cache?.list("list", of: Book.self))
        cache = nil
        try list.merge([Book(id: 1)], after: "b", next: nil)
        #expect(list.ids == [])
        #expect(list.next == .unknown)
    }
}
