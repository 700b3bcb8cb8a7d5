import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// The cursors at the ends of a whole list, with which rows are requested that are added later.
@Suite(.timeLimit(.minutes(15)))
struct CachedListEndsTests {
    private struct Failure: Error, Equatable {}

    let cache = Cache()
    let list: CachedList<Book>
    let server = PageServer()

    init() {
        list = cache.list("list", of: Book.self)
    }

    private func page(
        _ ids: [Int],
        next: String? = nil,
        isLast: Bool = false,
        startCursor: String? = nil
    ) -> ListPage<Book> {
        ListPage(ids.map { Book(id: $0) }, next: next, isLast: isLast, startCursor: startCursor)
    }

    /// Loads the next page, and expects its request.
    private func loadNext(after cursor: String?, _ page: ListPage<Book>) async throws -> Bool {
        try await list.loadNext {
            #expect($0 == cursor)
            return page
        }
    }

    private func loadPrevious(
        before cursor: String,
        _ page: ListPage<Book>
    ) async throws -> Bool {
        try await list.loadPrevious {
            #expect($0 == cursor)
            return page
        }
    }

    @Test func pageWithoutACursorIsTheLastOne() {
        #expect(page([1]).isLast)
        #expect(page([1], next: "b", isLast: true).isLast)
        #expect(!page([1], next: "b").isLast)
        let references = ListPage<Book>([Related(1)], next: "b", isLast: true, startCursor: "a")
        #expect(references.isLast)
        #expect(references.startCursor == "a")
    }

    // MARK: The end

    @Test func lastPageWithACursorCompletesTheList() async throws {
        #expect(try await loadNext(after: nil, page([1], next: "b")))
        #expect(try await loadNext(after: "b", page([2], next: "c", isLast: true)))
        #expect(list.next == .end)
        let version = cache.version
        // Nothing has been added.
        #expect(try await loadNext(after: "c", page([], next: "c", isLast: true)) == false)
        #expect(cache.version == version)
        #expect(try await loadNext(after: "c", page([], next: "d", isLast: true)) == false)
        #expect(list.next == .end)
        #expect(try await loadNext(after: "d", page([3], next: "e", isLast: true)))
        #expect(list.ids == [1, 2, 3])
        #expect(list.next == .end)
        // More than one page has been added.
        #expect(try await loadNext(after: "e", page([], next: "f")))
        #expect(list.next == .after("f"))
        #expect(try await loadNext(after: "f", page([4])))
        #expect(list.ids == [1, 2, 3, 4])
        // The last page has no cursor.
        #expect(try await loadNext(after: "g", page([5])) == false)
        #expect(list.ids == [1, 2, 3, 4])
    }

    @Test func editsKeepTheCursorAtTheEnd() async throws {
        try list.merge(page([1, 2], next: "b", isLast: true), after: nil)
        list.append(contentsOf: [Book(id: 9)])
        list.remove(2)
        list.move(1, to: 5)
        #expect(list.next == .end)
        #expect(try await loadNext(after: "b", page([3], next: "c", isLast: true)))
        #expect(list.ids == [9, 1, 3])
        list.storage.value?.checkInvariants()
        list.replace(withIDs: [1])
        #expect(try await loadNext(after: nil, page([4])))
    }

    @Test func pageMergedByHandFollowsTheCursorAtTheEnd() throws {
        try list.merge(page([1], next: "b", isLast: true), after: nil)
        try list.merge([Book(id: 2)], after: "b", next: "c")
        #expect(list.ids == [1, 2])
        #expect(list.next == .after("c"))
    }

    @Test func lateRowsAtTheEndAreDroppedIfTheEndHasMoved() async throws {
        try list.merge(page([1], next: "b", isLast: true), after: nil)
        let isMerged = try await list.loadNext { [list] _ in
            try list.merge(page([2], next: "c", isLast: true), after: "b")
            return page([3], next: "d", isLast: true)
        }
        #expect(!isMerged)
        #expect(list.ids == [1, 2])
    }

    // MARK: The start

    @Test func previousRowsAreAddedAtTheStart() async throws {
        #expect(list.startCursor == nil)
        #expect(try await loadPrevious(before: "x", page([9])) == false)
        #expect(try await loadNext(after: nil, page([3, 4], next: "b", startCursor: "p")))
        #expect(list.startCursor == "p")
        #expect(list.startCursor(in: cache) == "p")
        // The start cursor of a later page is that of another place.
        #expect(try await loadNext(after: "b", page([5], next: "c", startCursor: "x")))
        #expect(list.startCursor == "p")
        #expect(try await loadPrevious(before: "p", page([1, 2], startCursor: "q")))
        #expect(list.ids == [1, 2, 3, 4, 5])
        #expect(list.elements.count == 5)
        #expect(list.next == .after("c"))
        #expect(list.startCursor == "q")
        let version = cache.version
        #expect(try await loadPrevious(before: "q", page([], startCursor: "q")) == false)
        #expect(cache.version == version)
        #expect(try await loadPrevious(before: "q", page([], startCursor: "r")) == false)
        #expect(list.startCursor == "r")
        #expect(try await loadPrevious(before: "r", page([0])))
        #expect(list.startCursor == nil)
        #expect(try await loadPrevious(before: "r", page([9])) == false)
        #expect(list.ids == [0, 1, 2, 3, 4, 5])
        // The added rows belong to the first page.
        try list.merge(page([7]), after: "b")
        #expect(list.ids == [0, 1, 2, 3, 4, 7])
    }

    @Test func previousRowsMoveElementsToTheirPlace() async throws {
        try list.merge(page([1, 2], next: "b", startCursor: "p"), after: nil)
        try list.merge(page([3, 4], next: "c"), after: "b")
        #expect(try await loadPrevious(before: "p", page([4, 9, 2], startCursor: "q")))
        #expect(list.ids == [4, 9, 2, 1, 3])
        #expect(try await loadPrevious(before: "q", page([1], startCursor: "r")) == false)
        #expect(list.ids == [1, 4, 9, 2, 3])
        list.storage.value?.checkInvariants()
    }

    @Test func previousRowsThatEndAtAKnownCursorAreMerged() async throws {
        try list.merge(page([1], next: "b", startCursor: "p"), after: nil)
        #expect(try await loadPrevious(before: "p", page([], next: "b", startCursor: "p")) == false)
    }

    @Test func restartForgetsTheStart() throws {
        for way in 0..<4 {
            try list.merge(page([1], next: "b", isLast: true, startCursor: "p"), after: nil)
            switch way {
            case 0: list.removeAll()
            case 1: list.replace(withIDs: [1])
            case 2: cache.removeAll()
            default: try list.merge([Book(id: 1)], after: nil, next: nil)
            }
            #expect(list.startCursor == nil)
        }
    }

    @Test func batchesShowTheStart() throws {
        try cache.performBatchUpdates { batch in
            let written = batch.list("list", of: Book.self)
            try written.merge(page([1], startCursor: "p"), after: nil)
            #expect(written.startCursor == "p")
            #expect(list.startCursor == nil)
        }
        #expect(cache.withSnapshot { list.startCursor(in: $0) } == "p")
        #expect(Observed(list, delivery: .inline).startCursor == "p")
    }

    @Test func concurrentCallsShareARequestForPreviousRows() async throws {
        try list.merge(page([1], startCursor: "p"), after: nil)
        let request = list.previousRequest
        let calls = (0..<3).map { _ in
            Task { [list, server] in
                try await list.loadPrevious { try await server.request($0) }
            }
        }
        #expect(await until { cache.core.pageLoads.waiterCount(for: request) == 3 })
        #expect(await until { server.cursors == ["p"] })
        // The next page isn't the previous one.
        #expect(try await list.loadNext { try await server.request($0) } == false)
        server.answer(0, page([0], startCursor: "q"))
        for call in calls { #expect(try await call.value) }
        #expect(list.ids == [0, 1])
    }

    @Test func previousAndNextPagesMayOverlap() async throws {
        try list.merge(page([5], next: "b", startCursor: "p"), after: nil)
        try await list.loadPrevious { [list] _ in
            let isMerged = try await list.loadNext { _ in page([6], next: "c") }
            #expect(isMerged)
            return page([4], startCursor: "q")
        }
        #expect(list.ids == [4, 5, 6])
        #expect(list.next == .after("c"))
    }

    @Test(arguments: 0..<4)
    func latePreviousRowsAreDropped(way: Int) async throws {
        try list.merge(page([1], startCursor: "p"), after: nil)
        let isMerged = try await list.loadPrevious { [cache, list] _ in
            switch way {
            case 0: list.removeAll()
            case 1: list.replace(withIDs: [1])
            case 2: cache.removeAll()
            default: try list.merge(page([2], startCursor: "p"), after: nil)
            }
            return page([77], startCursor: "q")
        }
        #expect(!isMerged)
        #expect(cache[Book.self, 77] == nil)
        #expect(!list.ids.contains(77))
    }

    @Test func errorOfPreviousRowsChangesNothing() async throws {
        try list.merge(page([1], startCursor: "p"), after: nil)
        await #expect(throws: Failure()) { try await list.loadPrevious { _ in throw Failure() } }
        #expect(list.startCursor == "p")
        #expect(try await loadPrevious(before: "p", page([0])))
    }

    // MARK: Reloads

    @Test func reloadRenewsBothEnds() async throws {
        try list.merge(page([1], next: "b", startCursor: "p"), after: nil)
        try list.merge(page([2], next: "c", isLast: true), after: "b")
        #expect(
            try await list.reload { cursor in
                cursor == nil
                    ? page([1], next: "B", startCursor: "P")
                    : page([2], next: "C", isLast: true, startCursor: "x")
            }
        )
        #expect(list.startCursor == "P")
        #expect(list.next == .end)
        #expect(try await loadNext(after: "C", page([3])))
        #expect(list.ids == [1, 2, 3])
    }

    @Test func reloadLoadsTheRowsThatWereAddedAtTheStart() async throws {
        try list.merge(page([4, 5], next: "b", startCursor: "p"), after: nil)
        #expect(try await loadPrevious(before: "p", page([1, 2, 3], startCursor: "q")))
        let cursors = Recorder<String?>()
        try await list.reload { cursor in
            cursors.append(cursor)
            let first = cursor.flatMap { Int($0) } ?? 1
            return page([first, first + 1], next: "\(first + 2)", startCursor: "q")
        }
        #expect(cursors.all == [nil, "3", "5"])
        #expect(list.ids == [1, 2, 3, 4, 5, 6])
    }
}
