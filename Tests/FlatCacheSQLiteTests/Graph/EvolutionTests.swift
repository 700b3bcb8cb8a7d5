import FlatCache
import Foundation
import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

/// Tests of files that former or later versions of a client have written.
struct EvolutionTests {
    private struct BookV1: Identifiable, Codable, Sendable {
        let id: String
        var name: String
    }

    private struct BookV2: Identifiable, Codable, Sendable {
        let id: Int
        var name: String
        var pages: Int
    }

    private struct BookV3: Identifiable, Codable, Hashable, Sendable {
        let id: Int
        var title: String
        var pages: Int
    }

    private struct RenamedAuthor: Identifiable, Codable, Sendable {
        let id: String
        var fullName: String
    }

    private struct NoNumber: Error {}

    private let folder: GraphFolder

    init() throws {
        folder = try GraphFolder()
    }

    /// Writes values with a graph that declares their type.
    private func write<Value: Identifiable & Codable & Sendable>(
        _ values: [Value],
        _ durable: Durable<Value>
    ) async throws where Value.ID: Codable & Sendable {
        let cache = Cache()
        let graph = try folder.graph { durable }
        try await graph.attach(to: cache)
        cache.set(contentsOf: values)
        try await graph.detach()
    }

    /// Returns a cache with all values that a graph loads at its start.
    private func read<Value: Identifiable & Codable & Sendable>(
        _ durable: Durable<Value>
    ) async throws -> (Cache, SQLiteGraph) where Value.ID: Codable & Sendable {
        let cache = Cache()
        let graph = try folder.graph { durable }
        try await graph.attach(to: cache)
        return (cache, graph)
    }

    /// Returns the kind of the error that a closure throws.
    private func kind(_ body: () async throws -> Void) async -> SQLiteGraphError.Kind? {
        let error = await #expect(throws: SQLiteGraphError.self) { try await body() }
        return error?.kind
    }

    private var third: Durable<BookV3> {
        Durable(BookV3.self, "book", version: 3, load: .atStart)
            .upgrade(from: 2) { (old: BookV2) in
                BookV3(id: old.id, title: old.name, pages: old.pages)
            }
            .upgrade(from: 1) { (old: BookV1) in
                guard let number = Int(old.id) else { throw NoNumber() }
                return BookV2(id: number, name: old.name, pages: 0)
            }
    }

    @Test func rowsAreUpgradedAcrossThreeVersions() async throws {
        let old = [
            BookV1(id: "1", name: "One"), BookV1(id: "x", name: "X"), BookV1(id: "2", name: "Two"),
        ]
        try await write(old, Durable(BookV1.self, "book"))
        let (cache, graph) = try await read(third)
        #expect(
            Set(cache.values(of: BookV3.self)) == [
                BookV3(id: 1, title: "One", pages: 0), BookV3(id: 2, title: "Two", pages: 0),
            ]
        )
        // The row that can't be upgraded is reported once.
        #expect(folder.errors.all.map(\.kind) == [.undecodable])
        #expect(try await graph.statistics.quarantinedRowCount == 1)
        #expect(try folder.run("SELECT id || version FROM flatcache_quarantine") == ["x1"])
        try await graph.detach()
        _ = try await read(third)
        #expect(folder.errors.count == 1)
        #expect(try await graph.statistics.rowCounts["book"] == 2)
    }

    @Test func rowThatIsUpgradedToTheIdentifierOfAnotherOneIsQuarantined() async throws {
        let old = ["1", "01", "2"].map { BookV1(id: $0, name: "Name of \($0)") }
        try await write(old, Durable(BookV1.self, "book"))
        let (cache, graph) = try await read(third)
        #expect(Set(cache.values(of: BookV3.self).map(\.id)) == [1, 2])
        #expect(folder.errors.all.map(\.kind) == [.undecodable])
        #expect(folder.errors.all.first?.reason.contains("same identifier") == true)
        #expect(try await graph.statistics.quarantinedRowCount == 1)
        // The row that comes first in the former order stays.
        #expect(cache[BookV3.self, 1]?.title == "Name of 01")
        #expect(try folder.run("SELECT id FROM flatcache_quarantine") == ["1"])
    }

    @Test func rowsOfTheSecondVersionSkipTheFirstStep() async throws {
        try await write(
            [BookV2(id: 7, name: "Seven", pages: 70)],
            Durable(BookV2.self, "book", version: 2)
        )
        let (cache, _) = try await read(third)
        #expect(cache[BookV3.self, 7] == BookV3(id: 7, title: "Seven", pages: 70))
        #expect(folder.errors.all.isEmpty)
    }

    @Test func typeWithoutAnUpgradeIsRefusedOnceAndKeepsItsRows() async throws {
        let first = Durable(BookV1.self, "book")
        try await write([BookV1(id: "1", name: "One"), BookV1(id: "2", name: "Two")], first)
        // The declaration has an upgrade, but not from the file's version.
        let incomplete = Durable(BookV3.self, "book", version: 3, load: .atStart)
            .upgrade(from: 2) { (old: BookV2) in
                BookV3(id: old.id, title: old.name, pages: old.pages)
            }
        let (cache, graph) = try await read(incomplete)
        #expect(cache.count(of: BookV3.self) == 0)
        #expect(folder.errors.all.map(\.kind) == [.missingUpgrade])
        let reason = try #require(folder.errors.all.first?.reason)
        for part in ["\"book\" has version 1", "BookV3, with version 3", ".upgrade(from: 1)"] {
            #expect(reason.contains(part))
        }
        cache.set(BookV3(id: 1, title: "Overwritten", pages: 9))
        try await graph.detach()
        #expect(try await graph.statistics.quarantinedRowCount == 0)
        #expect(folder.errors.count == 1)
        let (copy, _) = try await read(third)
        #expect(Set(copy.values(of: BookV3.self).map(\.title)) == ["One", "Two"])
    }

    @Test func typeWithoutRowsNeedsNoUpgrade() async throws {
        try await write([], Durable(BookV2.self, "book"))
        let second = Durable(BookV3.self, "book", version: 2, load: .atStart)
        try await write([BookV3(id: 7, title: "Seven", pages: 70)], second)
        let (copy, _) = try await read(second)
        #expect(copy[BookV3.self, 7]?.title == "Seven")
        #expect(folder.errors.all.isEmpty)
    }

    @Test func rowsOfANewerVersionStayUntouched() async throws {
        try await write(
            [BookV3(id: 1, title: "One", pages: 1), BookV3(id: 2, title: "Two", pages: 2)],
            third
        )
        let (cache, graph) = try await read(
            Durable(BookV2.self, "book", version: 2, load: .atStart)
        )
        #expect(cache.count(of: BookV2.self) == 0)
        #expect(folder.errors.all.map(\.kind) == [.newerVersion])
        cache.set(BookV2(id: 1, name: "Overwritten", pages: 9))
        cache.remove(BookV2.self, id: 2)
        #expect(await kind { _ = try await graph.load(BookV2.self, id: 2) } == .newerVersion)
        // The value in memory doesn't need the file.
        #expect(try await graph.load(BookV2.self, id: 1)?.name == "Overwritten")
        // Loads of the cache ask the API.
        cache.setLoader(for: BookV2.self) { ids in
            ids.map { BookV2(id: $0, name: "Downloaded", pages: 0) }
        }
        #expect(try await cache.load(BookV2.self, id: 2)?.name == "Downloaded")
        try await graph.detach()
        #expect(folder.errors.count == 1)
        let (copy, _) = try await read(third)
        #expect(copy[BookV3.self, 1]?.title == "One")
        #expect(copy[BookV3.self, 2]?.title == "Two")
    }

    @Test func versionThatAnotherProcessHasUpgradedStaysUntouched() async throws {
        let second = Durable(BookV2.self, "book", version: 2)
        let (cache, graph) = try await read(second)
        cache.set(BookV2(id: 1, name: "One", pages: 1))
        try await graph.flush()
        // Another process upgrades the file while this one uses it.
        _ = try await read(third)
        cache.set(BookV2(id: 1, name: "Late", pages: 2))
        #expect(await kind { try await graph.flush() } == .newerVersion)
        #expect(await kind { _ = try await graph.load(BookV2.self, id: 5) } == .newerVersion)
        #expect(folder.errors.all.map(\.kind) == [.newerVersion])
        let (copy, _) = try await read(third)
        #expect(copy[BookV3.self, 1]?.title == "One")
    }

    @Test func flushThrowsAfterItHasWrittenTheOtherTypes() async throws {
        try await write([BookV2(id: 1, name: "One", pages: 1)], Durable(BookV2.self, "book"))
        let cache = Cache()
        let graph = try folder.graph {
            Durable(Book.self, "book", version: 2)
            Durable(Author.self, "author")
        }
        try await graph.attach(to: cache)
        cache.set(Author(id: "a", name: "A"))
        try await graph.flush()
        cache.set(Author(id: "b", name: "B"))
        cache.set(Book(id: 1, title: "Unwritten"))
        for event in [SQLiteGraph.Survival.processExit, .powerLoss] {
            #expect(await kind { try await graph.flush(surviving: event) } == .missingUpgrade)
        }
        #expect(try folder.run("SELECT id FROM author") == ["a", "b"])
        #expect(try folder.run("SELECT count(*) FROM book") == ["1"])
        #expect(folder.errors.all.map(\.kind) == [.missingUpgrade])
        // A graph without a cache has no changes.
        try await graph.detach()
        try await graph.flush()
        // It doesn't read the type, either.
        #expect(await kind { _ = try await graph.load(Book.self, id: 1) } == .missingUpgrade)
    }

    @Test func unknownTypesStayUntouched() async throws {
        try await write([Author(id: "a", name: "A")], Durable(Author.self, "author"))
        try await write([Book(id: 1, title: "One")], Durable(Book.self, "book"))
        let (cache, _) = try await read(Durable(Author.self, "author", load: .atStart))
        #expect(cache[Author.self, "a"]?.name == "A")
    }

    @Test func undecodableRowIsQuarantinedAndReportedOnce() async throws {
        try await write(
            (1...3).map { Book(id: $0, title: "Book \($0)") },
            Durable(Book.self, "book")
        )
        try folder.run("UPDATE book SET value = x'FF00' WHERE id = 2")
        let (cache, graph) = try await read(Durable(Book.self, "book", load: .atStart))
        #expect(cache.count(of: Book.self) == 2)
        #expect(folder.errors.all.map(\.key) == [CacheKey(Book.self, id: 2)])
        #expect(try await graph.statistics.quarantinedRowCount == 1)
        try folder.run("UPDATE book SET value = x'00' WHERE id = 3")
        let (_, other) = try await read(Durable(Book.self, "book"))
        #expect(try await other.load(Book.self, id: 3) == nil)
        #expect(folder.errors.count == 2)
        // The row of another entity is damaged, too.
        try folder.run("UPDATE book SET id = 8 WHERE id = 1")
        #expect(try await other.load(Book.self, id: 8) == nil)
        #expect(folder.errors.all.map(\.description).count == 3, "\(folder.errors.all)")
        #expect(try await other.statistics.quarantinedRowCount == 3)
    }

    @Test func undecodableStampIsIgnoredAndReportedOnce() async throws {
        let numbered = Durable(Book.self, "book", load: .atStart).stamps(of: Int.self)
        let (cache, graph) = try await read(numbered)
        for id in 1...3 { cache.set(Book(id: id, title: "Book \(id)"), modifiedAt: id) }
        try await graph.detach()
        let named = Durable(Book.self, "book", load: .atStart).stamps(of: String.self)
        let (copy, other) = try await read(named)
        #expect(copy.count(of: Book.self) == 3)
        #expect(folder.errors.all.map(\.kind) == [.undecodable])
        #expect(try await other.statistics.quarantinedRowCount == 0)
        let third = try folder.graph { Durable(Book.self, "book").stamps(of: String.self) }
        for id in 1...3 { #expect(try await third.load(Book.self, id: id) != nil) }
        #expect(folder.errors.count == 2)
        copy.set(Book(id: 1, title: "Later"), modifiedAt: "a")
        #expect(copy[Book.self, 1]?.title == "Later")
    }

    @Test func fileOfAnotherProgramIsAnError() async throws {
        try folder.run("CREATE TABLE notes (text)")
        let error = #expect(throws: SQLiteGraphError.self) { try folder.graph() }
        #expect(error?.kind == .foreign)
        #expect(try folder.run("SELECT name FROM sqlite_schema") == ["notes"])
    }

    @Test(arguments: [0, 7, 1_000])
    func fileOfAnotherFormatIsAnErrorAndStaysUntouched(format: Int) async throws {
        try await write([Book(id: 1, title: "One")], Durable(Book.self, "book"))
        let present = try #require(try folder.run("PRAGMA user_version").first)
        try folder.run("PRAGMA user_version = \(format)")
        let bytes = try Data(contentsOf: folder.url)
        let error = #expect(throws: SQLiteGraphError.self) { try folder.graph() }
        #expect(error?.kind == .newerVersion)
        #expect(error?.file == folder.url.path)
        #expect(error?.reason.contains("format \(format);") == true)
        #expect(error?.reason.contains("format \(present).") == true)
        #expect(try Data(contentsOf: folder.url) == bytes)
        #expect(try folder.contents.filter { $0.contains(".corrupt-") } == [])
    }

    /// The rows are still in their table, so they can't be in the quarantine.
    @Test func errorsOfAnUpgradeThatFailsAreNotReported() async throws {
        try await write((1...3).map { Book(id: $0, title: "\($0)") }, Durable(Book.self, "book"))
        try folder.run(
            """
            CREATE TRIGGER failure BEFORE INSERT ON flatcache_types \
            BEGIN SELECT RAISE(ABORT, ''); END
            """
        )
        let graph = try folder.graph {
            Durable(BookV3.self, "book", version: 2)
                .upgrade(from: 1) { (old: Book) in
                    if old.id == 2 { throw NoNumber() }
                    return BookV3(id: old.id, title: old.title, pages: 0)
                }
        }
        #expect(await kind { try await graph.attach(to: Cache()) } == .failed)
        #expect(folder.errors.all.isEmpty)
        try folder.run("DROP TRIGGER failure")
        try await graph.attach(to: Cache())
        #expect(folder.errors.all.map(\.kind) == [.undecodable])
        #expect(try await graph.statistics.quarantinedRowCount == 1)
    }

    @Test func corruptFileIsSetAside() async throws {
        try await write([Book(id: 1, title: "One")], Durable(Book.self, "book"))
        try Data(repeating: 1, count: 10_000).write(to: folder.url)
        let (cache, graph) = try await read(Durable(Book.self, "book", load: .atStart))
        #expect(cache.count(of: Book.self) == 0)
        #expect(folder.errors.all.map(\.kind) == [.corrupt])
        let copy = try #require(try folder.contents.first { $0.contains(".corrupt-") })
        #expect(folder.errors.all.first?.reason.contains(copy) == true)
        #expect(try Data(contentsOf: folder.file(copy)) == Data(repeating: 1, count: 10_000))
        cache.set(Book(id: 2, title: "Two"))
        try await graph.detach()
        let (other, _) = try await read(Durable(Book.self, "book", load: .atStart))
        #expect(other[Book.self, 2]?.title == "Two")
    }

    /// The names of the new file's own files are longer than the system allows.
    @Test func errorOfAReplacementNamesTheFile() throws {
        let url = folder.file(String(repeating: "a", count: 251))
        try Data(repeating: 1, count: 10_000).write(to: url)
        let error = #expect(throws: SQLiteGraphError.self) {
            try SQLiteGraph(url) { Durable(Book.self, "book") }
        }
        #expect(error?.file == url.path)
        #expect(error?.reason.contains("and it can't be replaced") == true)
        #expect(try Data(contentsOf: url) == Data(repeating: 1, count: 10_000))
    }

    @Test func rowOfAnotherCoderIsReportedInSentences() async throws {
        try await write([Book(id: 1, title: "One")], Durable(Book.self, "book"))
        let graph = try folder.graph(coder: JSONRowCoder()) { Durable(Book.self, "book") }
        #expect(try await graph.load(Book.self, id: 1) == nil)
        let reason = try #require(folder.errors.all.first?.reason)
        #expect(!reason.contains(".."))
        #expect(reason.contains("coder"))
    }

    @Test func emptyFileIsANewGraph() async throws {
        try Data().write(to: folder.url)
        try await write([Book(id: 1, title: "One")], Durable(Book.self, "book"))
        #expect(folder.errors.all.isEmpty)
        #expect(try folder.run("SELECT count(*) FROM book") == ["1"])
    }

    @Test func upgradesThatDoNotFitTrap() async {
        await #expect(processExitsWith: .failure) {
            _ = try GraphFolder().graph {
                Durable(Book.self, "book", version: 2)
                    .upgrade(from: 1) { (old: Book) in Author(id: "\(old.id)", name: old.title) }
            }
        }
    }
}
