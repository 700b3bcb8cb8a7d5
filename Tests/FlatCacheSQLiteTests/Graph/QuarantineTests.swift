import FlatCache
import Foundation
import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

/// Tests of rows in the quarantine that can be decoded again.
struct QuarantineTests {
    private struct RenamedAuthor: Identifiable, Codable, Sendable {
        let id: String
        var fullName: String
    }

    private let folder: GraphFolder

    init() throws {
        folder = try GraphFolder()
    }

    private func attached(
        coder: some RowCoder = CompactRowCoder(),
        @DurableBuilder _ types: () -> [DurableBuilder.Declaration]
    ) async throws -> (Cache, SQLiteGraph) {
        let cache = Cache()
        let graph = try folder.graph(coder: coder, types)
        try await graph.attach(to: cache)
        return (cache, graph)
    }

    /// Writes authors, and moves them to the quarantine by another property without a new version.
    private func quarantineAuthors(_ ids: [String]) async throws {
        let (cache, graph) = try await attached { Durable(Author.self, "author") }
        cache.set(contentsOf: ids.map { Author(id: $0, name: $0.uppercased()) })
        try await graph.detach()
        let (_, other) = try await attached {
            Durable(RenamedAuthor.self, "author", load: .atStart)
        }
        #expect(folder.errors.all.last?.reason.contains(".upgrade(from: 1)") == true)
        #expect(try await other.restoreQuarantinedRows() == 0)
        #expect(try await other.statistics.quarantinedRowCount == ids.count)
        try await other.detach()
    }

    @Test(arguments: [DurableLoading.atStart, .onDemand])
    func rowsReturnAsStaleOnes(load: DurableLoading) async throws {
        try await quarantineAuthors(["a", "b", "c"])
        let (second, other) = try await attached { Durable(Author.self, "author", load: load) }
        let (cache, graph) = try await attached { Durable(Author.self, "author", load: load) }
        cache.set(Author(id: "b", name: "Newer"))
        try await graph.flush()
        cache.set(Author(id: "c", name: "Unwritten"))
        #expect(try await graph.restoreQuarantinedRows() == 2)
        #expect(try await graph.restoreQuarantinedRows() == 0)
        // The row of the entity with a newer one stays.
        #expect(try folder.run("SELECT id FROM flatcache_quarantine") == ["b"])
        if load == .onDemand {
            #expect(cache.ids(of: Author.self).sorted() == ["b", "c"])
            try await graph.load(Author.self)
        }
        #expect(cache[Author.self, "a"]?.name == "A")
        #expect(cache.freshness(of: Author.self, id: "a").isStale)
        #expect(cache[Author.self, "b"]?.name == "Newer")
        #expect(cache[Author.self, "c"]?.name == "Unwritten")
        try await graph.flush()
        try await other.flush()
        try await other.load(Author.self)
        #expect(
            second.values(of: Author.self).map(\.name).sorted() == ["A", "Newer", "Unwritten"]
        )
    }

    @Test func rowsOfAFormerVersionAreUpgraded() async throws {
        try await quarantineAuthors(["a"])
        let (cache, graph) = try await attached {
            Durable(RenamedAuthor.self, "author", version: 2, load: .atStart)
                .upgrade(from: 1) { (old: Author) in RenamedAuthor(id: old.id, fullName: old.name) }
        }
        #expect(try await graph.restoreQuarantinedRows() == 1)
        #expect(cache[RenamedAuthor.self, "a"]?.fullName == "A")
    }

    @DurableBuilder private func types() -> [DurableBuilder.Declaration] {
        Durable(Book.self, "book", load: .atStart)
        DurableList("top", of: Book.self)
    }

    @Test func rowsReturnWithTheRightKey() async throws {
        let seal: @Sendable (Data) -> Data = { Data($0.map { $0 ^ 0x55 }) }
        let right = SealedRowCoder(seal: seal, open: seal)
        let wrong = SealedRowCoder(seal: seal, open: { $0 })
        let (cache, graph) = try await attached(coder: right, types)
        cache.set(Book(id: 1, title: "One"))
        cache.list("top", of: Book.self).replace(withIDs: [1])
        try await graph.detach()
        let (_, other) = try await attached(coder: wrong, types)
        #expect(try await other.statistics.quarantinedRowCount == 2)
        try await other.detach()
        let last = try folder.graph(coder: right, types)
        // The graph isn't attached yet.
        #expect(try await last.restoreQuarantinedRows() == 2)
        let reader = Cache()
        try await last.attach(to: reader)
        #expect(reader.list("top", of: Book.self).elements.map(\.title) == ["One"])
    }

    @Test func latestRowOfAnEntityReturns() async throws {
        for name in ["older", "newer"] {
            let (cache, graph) = try await attached { Durable(Author.self, "author") }
            cache.set(Author(id: "a", name: name))
            try await graph.detach()
            let (_, other) = try await attached {
                Durable(RenamedAuthor.self, "author", load: .atStart)
            }
            try await other.detach()
        }
        let (cache, graph) = try await attached {
            Durable(Author.self, "author", limit: .staleness(.seconds(1_000)), load: .atStart)
        }
        try folder.run("UPDATE flatcache_quarantine SET time = 0")
        #expect(try await graph.restoreQuarantinedRows() == 1)
        #expect(cache[Author.self, "a"]?.name == "newer")
        #expect(try await graph.statistics.quarantinedRowCount == 1)
        // The row is as old as its return.
        try await graph.detach()
        let (reader, _) = try await attached {
            Durable(Author.self, "author", limit: .staleness(.seconds(1_000)), load: .atStart)
        }
        #expect(reader[Author.self, "a"]?.name == "newer")
    }

    @Test(arguments: [false, true])
    func removalsReachTheQuarantine(ofEverything: Bool) async throws {
        try await quarantineAuthors(["a", "b"])
        let (cache, graph) = try await attached { Durable(Author.self, "author") }
        if ofEverything { cache.removeAll() } else { cache.remove(Author.self, id: "a") }
        try await graph.flush()
        let left = ofEverything ? [] : ["b"]
        #expect(try folder.run("SELECT id FROM flatcache_quarantine") == left)
        #expect(try await graph.restoreQuarantinedRows() == left.count)
    }

    @Test func removalOfListsReachesTheQuarantine() async throws {
        // The prefix is decomposed, the name of the list is not.
        let (cache, graph) = try await attached {
            Durable(Author.self, "author")
            DurableLists(withPrefix: "cafe\u{301}/", of: Author.self)
        }
        cache.list("caf\u{e9}/1", of: Author.self).replace(withIDs: ["a"])
        try await graph.flush()
        let row = "'flatcache_lists_author', id, value, 1, '', 0 FROM flatcache_lists_author"
        try folder.run("INSERT INTO flatcache_quarantine SELECT \(row)")
        try folder.run("DELETE FROM flatcache_lists_author")
        cache.removeAll()
        try await graph.flush()
        #expect(try folder.run("SELECT id FROM flatcache_quarantine") == [])
    }

    @Test func removalsSpareQuarantinedRowsWithAnotherKindOfIdentifier() async throws {
        let (cache, graph) = try await attached { Durable(Book.self, "book") }
        for id in ["abc", "7-of-hearts"] {
            try folder.run(
                "INSERT INTO flatcache_quarantine VALUES ('book', '\(id)', x'00', 1, '', 0)"
            )
        }
        for id in [0, 7] { cache.remove(Book.self, id: id) }
        try await graph.flush()
        #expect(
            try folder.run("SELECT id FROM flatcache_quarantine ORDER BY id DESC") == [
                "abc", "7-of-hearts",
            ]
        )
    }

    /// Returns the second version of the books, in which the identifiers are greater by 1.
    private func renumbered(failing id: Int? = nil) -> Durable<Book> {
        Durable(Book.self, "book", version: 2)
            .upgrade(from: 1) { (old: Book) in
                if old.id == id { throw CocoaError(.coderReadCorrupt) }
                return Book(id: old.id + 1, title: old.title)
            }
    }

    /// Writes the books 1 to 3 of the first version, and moves the last one to the quarantine.
    private func quarantineBook() async throws {
        let (cache, graph) = try await attached { Durable(Book.self, "book") }
        cache.set(contentsOf: (1...3).map { Book(id: $0, title: "\($0)") })
        try await graph.detach()
        let (_, other) = try await attached { renumbered(failing: 3) }
        try await other.detach()
        #expect(try folder.run("SELECT id || '.' || version FROM flatcache_quarantine") == ["3.1"])
    }

    /// The quarantine keeps the row of book 4 under its former identifier 3.
    @Test(arguments: [3, nil])
    func removalsSpareTheRowThatHadTheIdentifier(failing id: Int?) async throws {
        try await quarantineBook()
        let (cache, graph) = try await attached { renumbered(failing: id) }
        #expect(try await graph.load(Book.self, id: 3)?.title == "2")
        cache.remove(Book.self, id: 3)
        try await graph.detach()
        let (_, last) = try await attached { renumbered() }
        #expect(try await last.restoreQuarantinedRows() == 1)
        #expect(try await last.load(Book.self, id: 3) == nil)
        #expect(try await last.load(Book.self, id: 4)?.title == "3")
    }

    /// The row of the value in memory is missing, as after a limit has deleted it.
    @Test func returningRowReplacesNoValueInMemory() async throws {
        try await quarantineAuthors(["a"])
        let (cache, graph) = try await attached { Durable(Author.self, "author") }
        cache.set(Author(id: "a", name: "newer"))
        try await graph.flush()
        try folder.run("DELETE FROM author")
        #expect(try await graph.restoreQuarantinedRows() == 1)
        #expect(cache[Author.self, "a"]?.name == "newer")
    }

    @Test func suspendedGraphThrows() async throws {
        let graph = try folder.graph()
        try await graph.suspend()
        let error = await #expect(throws: SQLiteGraphError.self) {
            try await graph.restoreQuarantinedRows()
        }
        #expect(error?.kind == .suspended)
    }
}
