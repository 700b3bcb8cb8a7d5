import FlatCache
import Foundation
import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

/// Tests of files that can't be written or read.
struct GraphErrorTests {
    private let folder: GraphFolder

    init() throws {
        folder = try GraphFolder()
    }

    private func attached() async throws -> (Cache, SQLiteGraph) {
        let cache = Cache()
        let graph = try folder.graph()
        try await graph.attach(to: cache)
        return (cache, graph)
    }

    private func kind(of flush: () async throws -> Void) async -> SQLiteGraphError.Kind? {
        do {
            try await flush()
            return nil
        } catch {
            return (error as? SQLiteGraphError)?.kind
        }
    }

    /// Returns the lines that a second process prints.
    private func linesOfProbe(_ command: String, _ number: String) async throws -> [String] {
        let path = folder.url.path
        return try await onOwnThread {
            try SecondProcess([command, path, number], of: "SQLiteProbe").lines()
        }
    }

    @Test func fullDiskLosesNothing() async throws {
        let lines = try await linesOfProbe("limited", "200000")
        #expect(lines == ["diskFull", "memory 1000", "rows 999"])
        #expect(try folder.run("PRAGMA integrity_check") == ["ok"])
    }

    @Test func fileWithoutPermissionIsAnError() async throws {
        let (_, graph) = try await attached()
        try await graph.detach()
        let lines = try await linesOfProbe("unprivileged", "0")
        #expect(lines.count == 1)
        #expect(["readOnly", "cannotOpen"].contains(lines.first))
    }

    @Test func valueThatIsTooLargeForSQLiteIsReportedAlone() async throws {
        let (cache, graph) = try await attached()
        await graph.engine.setMaximumRowSize(10_000)
        cache.set(Book(id: 1, title: "Small"))
        cache.set(Book(id: 2, title: String(repeating: "t", count: 20_000)))
        cache.set(Book(id: 3, title: "Small"))
        try await graph.flush()
        #expect(folder.errors.all.map(\.kind) == [.unencodable])
        #expect(folder.errors.all.first?.key == CacheKey(Book.self, id: 2))
        #expect(try folder.run("SELECT id FROM book") == ["1", "3"])
    }

    @Test func localizedDescriptionNamesTheFileAndTheCause() {
        let error = SQLiteGraphError(.corrupt, file: "shop.sqlite", code: 11, reason: "malformed")
        #expect((error as any Error).localizedDescription == "shop.sqlite: malformed (SQLite 11)")
    }

    @Test func identifierAndStampCountForTheSizeOfARow() async throws {
        let cache = Cache()
        let graph = try folder.graph { Durable(Author.self, "author").stamps(of: String.self) }
        try await graph.attach(to: cache)
        await graph.engine.setMaximumRowSize(50_000)
        let long = String(repeating: "l", count: 30_000)
        cache.set(Author(id: long, name: String(repeating: "n", count: 25_000)))
        cache.set(
            Author(id: "2", name: String(repeating: "n", count: 25_000)),
            modifiedAt: String(repeating: "s", count: 25_000)
        )
        cache.set(Author(id: "3", name: "Small"), modifiedAt: "3")
        try await graph.flush()
        #expect(folder.errors.all.map(\.kind) == [.unencodable, .unencodable])
        #expect(try folder.run("SELECT id FROM author") == ["3"])
    }

    @Test(arguments: ["book value", "book id", "book used", "flatcache_types identifiers"])
    func tableWithADamagedDefinitionIsReplaced(column: String) async throws {
        let names = column.split(separator: " ")
        let (cache, graph) = try await attached()
        cache.set(contentsOf: (0..<10).map { Book(id: $0, title: "Book \($0)") })
        try await graph.detach()
        try folder.run("ALTER TABLE \(names[0]) RENAME COLUMN \(names[1]) TO other")
        let (copy, other) = try await attached()
        #expect(folder.errors.all.map(\.kind) == [.corrupt])
        #expect(copy.count(of: Book.self) == 10)
        copy.set(Book(id: 10, title: "Later"))
        try await other.flush()
        #expect(try folder.run("SELECT count(*) FROM book") == ["11"])
    }

    /// A table that is missing at the start is damage and not an exchange of the content.
    @Test func fileWithoutATableIsReplaced() async throws {
        let (cache, graph) = try await attached()
        cache.set(Book(id: 1, title: "Book"))
        try await graph.detach()
        try folder.run("DROP TABLE book")
        let (copy, other) = try await attached()
        #expect(folder.errors.all.map(\.kind) == [.corrupt])
        copy.set(Book(id: 2, title: "Later"))
        try await other.flush()
        #expect(try folder.run("SELECT id FROM book") == ["2"])
    }

    @Test(arguments: ["INSERT INTO nowhere VALUES (1)", "SELECT author FROM book"])
    func triggerThatUsesAMissingNameIsNoLoss(statement: String) async throws {
        let (cache, graph) = try await attached()
        let body = "BEFORE INSERT ON flatcache_log BEGIN \(statement); END"
        try folder.run("CREATE TRIGGER failure \(body)")
        cache.set(Book(id: 1, title: "Book"))
        #expect(await kind { try await graph.flush() } == .failed)
        #expect(folder.errors.all.allSatisfy { $0.kind == .failed })
        try folder.run("DROP TRIGGER failure")
        try await graph.flush()
        #expect(try folder.run("SELECT id FROM book") == ["1"])
    }

    @Test func lockedFileIsLoadedAtOnce() async throws {
        do {
            let cache = Cache()
            let graph = try folder.graph()
            try await graph.attach(to: cache)
            cache.set(Book(id: 1, title: "kept"))
            try await graph.detach()
        }
        // It waits, since the connection of the first graph can be closed a moment later.
        let other = try Database(path: folder.url.path, lockTimeout: .seconds(60))
        try other.execute("BEGIN IMMEDIATE")
        let reader = Cache()
        let graph = try folder.graph(lockTimeout: .zero) {
            Durable(Book.self, "book", limit: .age(.seconds(1_000)), load: .atStart)
            DurableLists(withPrefix: "search?", of: Book.self, maximumCount: 10)
        }
        // The file lacks the table of the lists.
        #expect(await kind { try await graph.attach(to: reader) } == .locked)
        try other.execute("ROLLBACK")
        try await graph.attach(to: reader)
        try await graph.detach()
        try other.execute("BEGIN IMMEDIATE")
        let last = Cache()
        try await graph.attach(to: last)
        #expect(last[Book.self, 1]?.title == "kept")
        try other.execute("ROLLBACK")
        #expect(folder.errors.all.isEmpty)
    }

    @Test func lockedFileIsFlushedLater() async throws {
        let cache = Cache()
        let graph = try folder.graph(lockTimeout: .zero)
        try await graph.attach(to: cache)
        let other = try Database(path: folder.url.path, lockTimeout: .zero)
        cache.set(Book(id: 1, title: "One"))
        try other.execute("BEGIN IMMEDIATE")
        #expect(await kind { try await graph.flush() } == .locked)
        cache.set(Book(id: 1, title: "Changed"))
        cache.remove(Author.self, id: "a")
        try other.execute("COMMIT")
        try await graph.flush()
        let (copy, _) = try await attached()
        #expect(copy[Book.self, 1]?.title == "Changed")
    }

    @Test func deletedFileIsWrittenAgain() async throws {
        let (cache, graph) = try await attached()
        cache.set(Book(id: 1, title: "One"))
        try await graph.flush()
        for name in try folder.contents {
            try FileManager.default.removeItem(at: folder.file(name))
        }
        cache.set(Book(id: 2, title: "Two"))
        try await graph.flush()
        #expect(folder.errors.all.map(\.kind) == [.lostFile])
        #expect(try await graph.statistics.rowCounts["book"] == 2)
        let (copy, _) = try await attached()
        #expect(copy.count(of: Book.self) == 2)
    }

    @Test func fileThatWasDeletedBetweenTwoAttachmentsIsEmpty() async throws {
        let (cache, graph) = try await attached()
        cache.set(Book(id: 1, title: "One"))
        try await graph.detach()
        for name in try folder.contents {
            try FileManager.default.removeItem(at: folder.file(name))
        }
        let other = Cache()
        try await graph.attach(to: other)
        #expect(other.count(of: Book.self) == 0)
        other.set(Book(id: 2, title: "Two"))
        try await graph.flush()
        #expect(try folder.run("SELECT id FROM book") == ["2"])
        // Memory has lost nothing.
        #expect(folder.errors.all.isEmpty)
    }

    @Test func fileThatReplacesAnotherOneIsUsed() async throws {
        let (cache, graph) = try await attached()
        cache.set(Book(id: 1, title: "One"))
        try await graph.detach()
        let copy = folder.file("copy.sqlite")
        try FileManager.default.copyItem(at: folder.url, to: copy)
        try await graph.attach(to: cache)
        try FileManager.default.removeItem(at: folder.url)
        try FileManager.default.moveItem(at: copy, to: folder.url)
        cache.set(Book(id: 2, title: "Two"))
        try await graph.flush()
        #expect(folder.errors.all.map(\.kind) == [.lostFile])
        #expect(try folder.run("SELECT id FROM book") == ["1", "2"])
    }

    @Test func damagedPagesAreSetAsideAndReadableRowsAreKept() async throws {
        let (cache, graph) = try await attached()
        let title = String(repeating: "t", count: 100)
        cache.set(contentsOf: (0..<10_000).map { Book(id: $0, title: title) })
        try await graph.detach()
        // The pages in the middle contain rows.
        let handle = try FileHandle(forUpdating: folder.url)
        let size = try handle.seekToEnd()
        try handle.seek(toOffset: size / 2 / 4096 * 4096)
        try handle.write(contentsOf: Data(repeating: 0xFF, count: 3 * 4096))
        try handle.close()

        let other = Cache()
        let second = try folder.graph(books: .onDemand)
        try await second.attach(to: other)
        // The whole table is read when it's about to be rewritten.
        other.set(contentsOf: (0..<10_000).map { Book(id: $0, title: "new \($0)") })
        try await second.flush()
        #expect(folder.errors.all.map(\.kind) == [.corrupt])
        let words = try #require(folder.errors.all.first?.reason.split(separator: " "))
        let copied = try #require(words.compactMap { Int($0) }.last)
        #expect(copied > 9_000)
        #expect(copied < 10_000)
        #expect(try await second.statistics.rowCounts["book"] == 10_000)
        #expect(try folder.run("PRAGMA integrity_check") == ["ok"])
    }
}

extension GraphEngine {
    fileprivate func setMaximumRowSize(_ size: Int) { database.maximumRowSize = size }
}
