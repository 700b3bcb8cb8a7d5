import FlatCache
import Foundation
import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

/// Tests of lists in a file.
struct DurableListTests {
    private let folder: GraphFolder

    init() throws {
        folder = try GraphFolder()
    }

    private func graph(
        books: DurableLoading = .onDemand,
        coder: some RowCoder = CompactRowCoder(),
        _ lists: DurableList<Book>...
    ) throws -> SQLiteGraph {
        try folder.graph(coder: coder) {
            Durable(Book.self, "book", load: books)
            for list in lists { list }
        }
    }

    private var best: DurableList<Book> { DurableList("best", of: Book.self) }

    /// Returns a cache to which a graph is attached.
    private func attached(_ graph: SQLiteGraph) async throws -> Cache {
        let cache = Cache()
        try await graph.attach(to: cache)
        return cache
    }

    private func books(_ ids: ClosedRange<Int>) -> [Book] {
        ids.map { Book(id: $0, title: "Book \($0)") }
    }

    /// Writes a list with two pages of two books each, a third page to come, and another book.
    private func writePages(coder: some RowCoder = CompactRowCoder()) async throws {
        let graph = try graph(coder: coder, best)
        let cache = try await attached(graph)
        let list = cache.list("best", of: Book.self)
        try list.merge(books(1...2), after: nil, next: "a")
        try list.merge(books(3...4), after: "a", next: "b")
        cache.set(Book(id: 9, title: "Other"))
        try await graph.detach()
    }

    @Test(arguments: [DurableLoading.atStart, .onDemand])
    func listIsLoadedWithItsPagesAndElementsInOneCommit(_ loading: DurableLoading) async throws {
        try await writePages()
        let graph = try graph(books: loading, best)
        let cache = try await attached(graph)
        let list = cache.list("best", of: Book.self)
        #expect(cache.version == 1)
        #expect(list.ids == [1, 2, 3, 4])
        #expect(list.elements == books(1...4))
        #expect(list.next == .after("b"))
        #expect((cache[Book.self, 9] != nil) == (loading == .atStart))
        // The cursors continue, and the earlier one, too.
        try list.merge(books(5...5), after: "b", next: nil)
        #expect(list.ids == [1, 2, 3, 4, 5])
        try await graph.detach()

        let second = try await attached(try self.graph(best))
        let copy = second.list("best", of: Book.self)
        #expect(copy.elements == books(1...5))
        #expect(copy.next == .end)
        try copy.merge(books(6...6), after: "a", next: "c")
        #expect(copy.ids == [1, 2, 6])
        #expect(folder.errors.all.isEmpty)
    }

    @Test func cursorsAtTheEndsAreStored() async throws {
        let graph = try graph(best)
        let cache = try await attached(graph)
        let list = cache.list("best", of: Book.self)
        let page = ListPage(books(1...2), next: "end", isLast: true, startCursor: "start")
        try list.merge(page, after: nil)
        try await graph.detach()

        let second = try await attached(try self.graph(best))
        let copy = second.list("best", of: Book.self)
        #expect(copy.next == .end)
        #expect(copy.startCursor == "start")
        let isLonger = try await copy.loadNext { cursor in
            #expect(cursor == "end")
            return ListPage([Book(id: 3, title: "Book 3")], next: nil)
        }
        #expect(isLonger)
        #expect(copy.ids == [1, 2, 3])
        #expect(folder.errors.all.isEmpty)
    }

    @Test func reloadedListIsStored() async throws {
        try await writePages()
        let graph = try graph(best)
        let cache = try await attached(graph)
        let list = cache.list("best", of: Book.self)
        let isReloaded = try await list.reload { [self] cursor in
            cursor == nil
                ? ListPage(books(7...8), next: "A") : ListPage(books(1...2), next: "B")
        }
        #expect(isReloaded)
        try await graph.detach()

        let second = try await attached(try self.graph(best))
        let copy = second.list("best", of: Book.self)
        #expect(copy.elements.map(\.id) == [7, 8, 1, 2])
        #expect(copy.next == .after("B"))
        try copy.merge(books(9...9), after: "A", next: nil)
        #expect(copy.ids == [7, 8, 9])
    }

    @Test func restoredListIsNotWrittenAgain() async throws {
        try await writePages()
        let graph = try graph(best)
        let cache = try await attached(graph)
        try await graph.flush()
        #expect(try await graph.statistics.transactionCount == 0)
        cache.list("other", of: Book.self).replace(withIDs: [1])
        try await graph.flush()
        #expect(try await graph.statistics.transactionCount == 0)
    }

    @Test func elementsAreLoadedWhenAListIsObserved() async throws {
        try await writePages()
        let onDemand = DurableList("best", of: Book.self, load: .onDemand)
        let graph = try graph(onDemand)
        let cache = try await attached(graph)
        let list = cache.list("best", of: Book.self)
        #expect(list.ids == [1, 2, 3, 4])
        #expect(list.elements.isEmpty)
        let titles = Recorder<[String]>()
        let observation = list.observe { titles.append($0.map(\.title)) }
        #expect(await until { titles.all.last?.count == 4 })
        observation.dispose()
        try await graph.detach()
    }

    @Test func prunedListIsLoadedWhenItIsObserved() async throws {
        try await writePages()
        let graph = try graph(best)
        let cache = try await attached(graph)
        cache.pruneUnobservedValues()
        let list = cache.list("best", of: Book.self)
        #expect(list.ids.isEmpty)
        let elements = Recorder<[Book]>()
        let observation = list.observe { elements.append($0) }
        #expect(await until { elements.all.last?.count == 4 })
        #expect(list.next == .after("b"))
        observation.dispose()
        try await graph.detach()
    }

    @Test func listInMemoryIsNewerThanItsRow() async throws {
        try await writePages()
        let cache = Cache()
        cache.list("best", of: Book.self).replace(with: books(7...8))
        let graph = try graph(best)
        try await graph.attach(to: cache)
        #expect(cache.list("best", of: Book.self).ids == [7, 8])
        try await graph.detach()
        let copy = try await attached(try self.graph(best))
        #expect(copy.list("best", of: Book.self).elements == books(7...8))
        #expect(copy.list("best", of: Book.self).next == .unknown)
    }

    @Test func batchOfAListAndItsElementsIsOneTransaction() async throws {
        let graph = try graph(best)
        let cache = try await attached(graph)
        cache.performBatchUpdates { batch in
            batch.set(Book(id: 1, title: "One"))
            batch.list("best", of: Book.self).append(contentsOf: [Book(id: 2, title: "Two")])
        }
        try await graph.flush()
        #expect(try await graph.statistics.transactionCount == 1)
        #expect(try await graph.statistics.rowCounts == ["book": 2, "flatcache_lists_book": 1])
    }

    @Test func removedElementIsMissingAsInMemory() async throws {
        try await writePages()
        let graph = try graph(best)
        let cache = try await attached(graph)
        cache.remove(Book.self, id: 2)
        let list = cache.list("best", of: Book.self)
        list.remove(3)
        let (ids, elements) = (list.ids, list.elements)
        try await graph.detach()
        let second = try await attached(try self.graph(best))
        let copy = second.list("best", of: Book.self)
        #expect(ids == [1, 2, 4])
        #expect(copy.ids == ids)
        #expect(copy.elements == elements)
        #expect(copy.next == .after("b"))
    }

    @Test func undeclaredListsStayUntouched() async throws {
        try await writePages()
        let other = DurableList("other", of: Book.self)
        let graph = try graph(other)
        let cache = try await attached(graph)
        #expect(cache.list("best", of: Book.self).ids.isEmpty)
        cache.list("best", of: Book.self).replace(withIDs: [7])
        cache.list("other", of: Book.self).replace(withIDs: [8])
        try await graph.flush()
        #expect(try await graph.statistics.rowCounts["flatcache_lists_book"] == 2)
        // Everything is removed, but not the lists that this version of the program doesn't know.
        cache.removeAll()
        try await graph.detach()
        let copy = try await attached(try self.graph(best, other))
        #expect(copy.list("best", of: Book.self).ids == [1, 2, 3, 4])
        #expect(copy.list("best", of: Book.self).elements.isEmpty)
        #expect(copy.list("other", of: Book.self).freshness.isMissing)
    }

    @Test func listThatCannotBeDecodedMovesToTheQuarantine() async throws {
        try await writePages()
        try folder.run("UPDATE flatcache_lists_book SET value = x'FF00'")
        let graph = try graph(best)
        let cache = try await attached(graph)
        #expect(cache.list("best", of: Book.self).freshness.isMissing)
        #expect(folder.errors.all.map(\.kind) == [.undecodable])
        #expect(folder.errors.all.first?.reason.hasPrefix("The list \"best\" of Book ") == true)
        #expect(try await graph.statistics.quarantinedRowCount == 1)
        #expect(try await graph.load(Book.self, id: 1) == Book(id: 1, title: "Book 1"))
    }

    @Test func cursorsThatDoNotFitAreDropped() async throws {
        try await writePages(coder: JSONRowCoder())
        func reopened(ends: String) async throws -> (ids: [Int], next: NextPage) {
            try folder.run(
                """
                UPDATE flatcache_lists_book \
                SET value = CAST(json_set(CAST(value AS TEXT), '$.ends', json('\(ends)')) AS BLOB)
                """
            )
            let cache = try await attached(try graph(coder: JSONRowCoder(), best))
            let list = cache.list("best", of: Book.self)
            return (list.ids, list.next)
        }
        #expect(try await reopened(ends: "[2, 4]").next == .after("b"))
        let list = try await reopened(ends: "[2, 3]")
        #expect(list.ids == [1, 2, 3, 4])
        #expect(list.next == .unknown)
        #expect(folder.errors.all.isEmpty)
        #expect(try await reopened(ends: "[2]").ids.isEmpty)
        #expect(folder.errors.all.map(\.kind) == [.undecodable])
    }

    @Test func listOfARefusedTypeIsRefused() async throws {
        let former = try folder.graph { Durable(Book.self, "book", version: 2) }
        let cache = try await attached(former)
        cache.set(Book(id: 1, title: "One"))
        try await former.detach()
        let graph = try graph(best)
        let copy = try await attached(graph)
        #expect(folder.errors.all.map(\.kind) == [.newerVersion])
        copy.list("best", of: Book.self).replace(withIDs: [1])
        let error = await #expect(throws: SQLiteGraphError.self) { try await graph.flush() }
        #expect(error?.kind == .newerVersion)
        #expect(try folder.run("SELECT count(*) FROM flatcache_lists_book") == ["0"])
    }

    @Test func listsOfADamagedFileAreSalvaged() async throws {
        try await writePages()
        let empty = try GraphFile.open(folder.file("new.sqlite").path, .zero) { _ in }
        _ = try RowSalvage.copyRows(from: folder.url.path, to: empty)
        #expect(try empty.number("SELECT count(*) FROM flatcache_lists_book") == 1)
        #expect(try empty.number("SELECT count(*) FROM book") == 5)
    }

    @Test func declarationsThatDoNotFitTrap() async throws {
        let lacksType = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            _ = try GraphFolder().graph { DurableList("best", of: Book.self) }
        }
        let message = try #require(lacksType?.message)
        #expect(message.contains("declare Durable(Book.self, …), too."))
        await #expect(processExitsWith: .failure) {
            _ = try GraphFolder().graph {
                Durable(Book.self, "book")
                DurableList("best", of: Book.self)
                DurableList("best", of: Book.self)
            }
        }
    }
}
