import FlatCache
import FlatCacheTesting
import Foundation
import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

/// Tests of the rows of a damaged file that was set aside.
struct SetAsideFileTests {
    private let folder: GraphFolder

    init() throws {
        folder = try GraphFolder()
    }

    private func attached() async throws -> (Cache, SQLiteGraph) {
        let cache = Cache()
        let graph = try folder.graph {
            Durable(Book.self, "book", load: .atStart)
            Durable(Author.self, "author")
            DurableList("best", of: Book.self)
            DurableResponses()
        }
        try await graph.attach(to: cache)
        return (cache, graph)
    }

    private var other: URL { folder.file("graph.sqlite.corrupt-1") }

    /// Writes a file and moves it to another path, as a damaged file.
    private func setAside(_ damage: (inout Data) -> Void = { _ in }) async throws {
        let (cache, graph) = try await attached()
        let title = String(repeating: "t", count: 100)
        cache.set(contentsOf: (0..<1_000).map { Book(id: $0, title: title) })
        cache.set(contentsOf: (0..<1_000).map { Author(id: "\($0)", name: title) })
        cache.list("best", of: Book.self).replace(withIDs: [1, 2, 3])
        _ = try await cache.load("categories") { ["one"] }
        try await graph.detach()
        try await graph.suspend()
        var bytes = try Data(contentsOf: folder.url)
        damage(&bytes)
        for name in try folder.contents {
            try FileManager.default.removeItem(at: folder.file(name))
        }
        try bytes.write(to: other)
    }

    @Test func rowsOfAFileAreImported() async throws {
        try await setAside()
        let (cache, graph) = try await attached()
        cache.set(Book(id: 1, title: "newer"))
        cache.set(Book(id: 2, title: "removed"))
        try await graph.flush()
        cache.remove(Book.self, id: 2)
        try await graph.flush()
        #expect(try await graph.importRows(of: other) == 998 + 1_000 + 1)
        #expect(cache.count(of: Book.self) == 999)
        #expect(cache[Book.self, 1]?.title == "newer")
        #expect(cache.list("best", of: Book.self).ids == [1, 2, 3])
        #expect(try await graph.load(Author.self, id: "999") != nil)
        #expect(try await graph.statistics.quarantinedRowCount == 0)
        #expect(try await graph.importRows(of: other) == 0)
        #expect(folder.errors.all.isEmpty)
        #expect(FileManager.default.fileExists(atPath: other.path))
    }

    @Test func readableRowsOfADamagedFileAreImported() async throws {
        try await setAside { bytes in
            let start = bytes.count / 2 / 4096 * 4096
            bytes.replaceSubrange(start..<start + 8192, with: repeatElement(0xEE, count: 8192))
            bytes.removeLast(4096)
        }
        let (_, graph) = try await attached()
        let count = try await graph.importRows(of: other)
        #expect((1_800..<2_001).contains(count))
        #expect(folder.errors.all.map(\.kind) == [.corrupt])
        #expect(folder.errors.all.first?.file == other.path)
        #expect(folder.errors.all.first?.reason.contains("can't be read") == true)
    }

    @Test func lockedFileIsAnError() async throws {
        try await setAside()
        let graph = try folder.graph(books: .onDemand, lockTimeout: .zero)
        let connection = try Database(opening: other.path)
        try connection.execute("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE")
        let error = await #expect(throws: SQLiteGraphError.self) {
            try await graph.importRows(of: other)
        }
        #expect(error?.kind == .locked)
        #expect(error?.file == other.path)
        connection.close()
        #expect(try await graph.importRows(of: other) == 2_000)
        #expect(folder.errors.all.isEmpty)
    }

    /// Writes a file whose quarantine has authors, the latest ones last, and moves it.
    private func setAsideQuarantine(_ authors: Author...) async throws {
        let (cache, graph) = try await attached()
        for author in authors {
            cache.set(author)
            try await graph.flush()
            let row = "'author', id, value, 1, '', 0 FROM author"
            try folder.run("INSERT INTO flatcache_quarantine SELECT \(row)")
            try folder.run("DELETE FROM author")
        }
        try await graph.detach()
        try await graph.suspend()
        try FileManager.default.moveItem(at: folder.url, to: other)
    }

    @Test func latestRowOfAnEntityInTheQuarantineIsImported() async throws {
        try await setAsideQuarantine(Author(id: "a", name: "older"), Author(id: "a", name: "newer"))
        let (_, graph) = try await attached()
        #expect(try await graph.importRows(of: other) == 0)
        #expect(try await graph.restoreQuarantinedRows() == 1)
        #expect(try await graph.load(Author.self, id: "a")?.name == "newer")
    }

    @Test func removedEntitiesInTheQuarantineAreNotImported() async throws {
        try await setAsideQuarantine(Author(id: "a", name: "A"), Author(id: "b", name: "B"))
        let (cache, graph) = try await attached()
        cache.set(Author(id: "a", name: "later"))
        try await graph.flush()
        cache.remove(Author.self, id: "a")
        try await graph.flush()
        _ = try await graph.importRows(of: other)
        #expect(try folder.run("SELECT id FROM flatcache_quarantine") == ["b"])
    }

    /// A removal of everything removes the declared lists.
    @Test func removedListsAreNotImported() async throws {
        let former = try folder.graph {
            Durable(Book.self, "book")
            DurableLists(withPrefix: "search?", of: Book.self)
            DurableLists(withPrefix: "shelf/", of: Book.self)
        }
        let cache = Cache()
        try await former.attach(to: cache)
        for name in ["search?a", "shelf/b"] {
            cache.list(name, of: Book.self).replace(withIDs: [1])
        }
        try await former.detach()
        try await former.suspend()
        try FileManager.default.moveItem(at: folder.url, to: other)
        let graph = try folder.graph {
            Durable(Book.self, "book")
            DurableLists(withPrefix: "search?", of: Book.self)
        }
        let next = Cache()
        try await graph.attach(to: next)
        next.removeAll()
        try await graph.flush()
        #expect(try await graph.importRows(of: other) == 1)
        #expect(try folder.run("SELECT id FROM flatcache_lists_book") == ["shelf/b"])
    }

    @Test func missingOtherFileIsAnError() async throws {
        let (_, graph) = try await attached()
        let error = await #expect(throws: SQLiteGraphError.self) {
            try await graph.importRows(of: other)
        }
        #expect(error?.kind == .cannotOpen)
        #expect(!FileManager.default.fileExists(atPath: other.path))
    }

    @Test func rowsOfAnEarlierVersionAreUpgraded() async throws {
        struct Former: Identifiable, Codable, Sendable { let id: Int, name: String }
        let former = try folder.graph { Durable(Former.self, "book") }
        let cache = Cache()
        try await former.attach(to: cache)
        cache.set(Former(id: 5, name: "five"))
        try await former.detach()
        try await former.suspend()
        try FileManager.default.moveItem(at: folder.url, to: other)
        let graph = try folder.graph {
            Durable(Book.self, "book", version: 2)
                .upgrade(from: 1) { (old: Former) in Book(id: old.id, title: old.name) }
        }
        #expect(try await graph.importRows(of: other) == 1)
        #expect(try await graph.load(Book.self, id: 5)?.title == "five")
    }

    /// Writes books of the first version, and moves their file.
    private func setAsideBooks() async throws {
        let graph = try folder.graph { Durable(Book.self, "book") }
        let cache = Cache()
        try await graph.attach(to: cache)
        cache.set(contentsOf: (1...5).map { Book(id: $0, title: "\($0)") })
        try await graph.detach()
        try await graph.suspend()
        try FileManager.default.moveItem(at: folder.url, to: other)
    }

    /// The former identifiers of some books are present identifiers of others.
    @Test func rowsOfAnEarlierVersionAreComparedByTheirNewIdentifiers() async throws {
        try await setAsideBooks()
        let graph = try folder.graph {
            Durable(Book.self, "book", version: 2)
                .upgrade(from: 1) { (old: Book) in Book(id: old.id + 1, title: old.title) }
        }
        let cache = Cache()
        try await graph.attach(to: cache)
        cache.set(contentsOf: [Book(id: 3, title: "removed"), Book(id: 5, title: "newer")])
        try await graph.flush()
        cache.remove(Book.self, id: 3)
        try await graph.flush()
        #expect(try await graph.importRows(of: other) == 3)
        try await graph.load(Book.self)
        let books = cache.values(of: Book.self).sorted { $0.id < $1.id }
        #expect(books.map(\.id) == [2, 4, 5, 6])
        #expect(books.map(\.title) == ["1", "3", "newer", "5"])
        #expect(try await graph.importRows(of: other) == 0)
        #expect(try await graph.statistics.quarantinedRowCount == 0)
    }

    @Test func removedEntityDoesNotReturnWithAnotherTypeOfIdentifier() async throws {
        try await setAsideBooks()
        let graph = try folder.graph {
            Durable(Author.self, "book", version: 2)
                .upgrade(from: 1) { (old: Book) in
                    Author(id: "book-\(old.id)", name: old.title)
                }
        }
        let cache = Cache()
        try await graph.attach(to: cache)
        cache.set(Author(id: "book-3", name: "removed"))
        try await graph.flush()
        cache.remove(Author.self, id: "book-3")
        try await graph.flush()
        #expect(try await graph.importRows(of: other) == 4)
        try await graph.load(Author.self)
        #expect(cache.ids(of: Author.self).sorted() == [1, 2, 4, 5].map { "book-\($0)" })
    }

    /// The removal of book 3 of the first version doesn't concern the present book 3.
    @Test func removalsBeforeAnUpgradeDoNotConcernOtherEntities() async throws {
        try await setAsideBooks()
        let first = try folder.graph { Durable(Book.self, "book") }
        let cache = Cache()
        try await first.attach(to: cache)
        cache.set(contentsOf: [Book(id: 3, title: "removed"), Book(id: 9, title: "9")])
        try await first.flush()
        cache.remove(Book.self, id: 3)
        try await first.detach()
        let graph = try folder.graph {
            Durable(Book.self, "book", version: 2)
                .upgrade(from: 1) { (old: Book) in Book(id: old.id + 1, title: old.title) }
        }
        try await graph.attach(to: Cache())
        _ = try await graph.importRows(of: other)
        #expect(try await graph.load(Book.self, id: 3)?.title == "2")
        #expect(try await graph.load(Book.self, id: 10)?.title == "9")
    }

    /// A row that can't be upgraded yet may belong to any entity.
    @Test func rowsThatCannotBeUpgradedAreKept() async throws {
        try await setAsideBooks()
        func types(fails: Bool) -> Durable<Book> {
            Durable(Book.self, "book", version: 2)
                .upgrade(from: 1) { (old: Book) in
                    if fails, old.id == 3 { throw CocoaError(.coderReadCorrupt) }
                    return Book(id: old.id + 1, title: old.title)
                }
        }
        let graph = try folder.graph { types(fails: true) }
        let cache = Cache()
        try await graph.attach(to: cache)
        cache.set(Book(id: 3, title: "newer"))
        try await graph.flush()
        #expect(try await graph.importRows(of: other) == 3)
        try await graph.detach()
        let last = try folder.graph { types(fails: false) }
        try await last.attach(to: Cache())
        #expect(try await last.restoreQuarantinedRows() == 1)
        #expect(try await last.load(Book.self, id: 3)?.title == "newer")
        #expect(try await last.load(Book.self, id: 4)?.title == "3")
    }

    @Test func lastPageMayBeMissing() async throws {
        try await setAside { $0.removeLast(4096) }
        try FileManager.default.moveItem(at: other, to: folder.url)
        let (cache, graph) = try await attached()
        #expect(folder.errors.all.map(\.kind) == [.corrupt])
        #expect(
            cache.count(of: Book.self) + (try await graph.statistics.rowCounts["author"] ?? 0)
                > 1_950
        )
    }
}
