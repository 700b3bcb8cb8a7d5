import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// A server that sends a cursor again must not make a loop over all pages endless.
@Suite(.timeLimit(.minutes(15)))
struct CachedListRepeatedCursorTests {
    let cache = Cache()
    let list: CachedList<Book>

    init() {
        list = cache.list("list", of: Book.self)
    }

    /// Loads pages until the list is complete or a load fails, at most as many as there are.
    private func loadAll(_ pages: [String?: ([Int], next: String?)]) async throws {
        for _ in 0...2 * pages.count {
            let isLonger = try await list.loadNext { cursor in
                let (ids, next) = try #require(pages[cursor])
                return ListPage(ids.map { Book(id: $0) }, next: next)
            }
            if !isLonger { return }
        }
        Issue.record("The loop doesn't end.")
    }

    @Test(arguments: [[], [1], [2, 1]])
    func pageThatEndsWhereItBeginsIsAnError(ids: [Int]) async throws {
        let error = await #expect(throws: CursorError.self) {
            try await loadAll([nil: ([1, 2], "b"), "b": (ids, "b")])
        }
        let description = try String(describing: #require(error))
        #expect(
            description == """
                The page after the cursor "b" of the list "list" of Book has no new element and \
                ends at a cursor where an earlier page ended. The server doesn't reach the end of \
                the list.
                """
        )
        #expect(list.ids == [1, 2])
        #expect(list.next == .after("b"))
    }

    @Test func cycleOfCursorsIsAnError() async throws {
        await #expect(throws: CursorError.self) {
            try await loadAll([nil: ([1], "b"), "b": ([2], "c"), "c": ([], "d"), "d": ([1], "b")])
        }
        #expect(list.ids == [1, 2])
        #expect(list.next == .after("d"))
    }

    @Test func errorStoresNothing() async throws {
        try list.merge([Book(id: 1)], after: nil, next: "b")
        let version = cache.version
        await #expect(throws: CursorError.self) {
            try await loadAll(["b": ([1], "b")])
        }
        #expect(cache.version == version)
        #expect(try await list.loadNext { _ in ListPage([Book(id: 2)], next: nil) })
        #expect(list.ids == [1, 2])
    }

    @Test func repeatedCursorWithNewElementsContinuesTheList() async throws {
        try list.merge([Book(id: 1)], after: nil, next: "b")
        #expect(try await list.loadNext { _ in ListPage([Book(id: 2)], next: "b") })
        #expect(try await list.loadNext { _ in ListPage([Book(id: 3)], next: nil) })
        #expect(list.ids == [1, 2, 3])
    }

    @Test func emptyPageWithANewCursorContinuesTheList() async throws {
        try await loadAll([nil: ([], "b"), "b": ([], "c"), "c": ([1], nil)])
        #expect(list.ids == [1])
    }
}
