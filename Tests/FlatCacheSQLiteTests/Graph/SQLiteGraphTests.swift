import FlatCache
import Foundation
import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

struct SQLiteGraphTests {
    private let folder: GraphFolder

    init() throws {
        folder = try GraphFolder()
    }

    /// Returns a cache with a new graph of the file.
    private func reopened(books: DurableLoading = .atStart) async throws -> (Cache, SQLiteGraph) {
        let cache = Cache()
        let graph = try folder.graph(books: books)
        try await graph.attach(to: cache)
        return (cache, graph)
    }

    @Test func flushedValuesAreThereAfterARestart() async throws {
        let (cache, graph) = try await reopened()
        cache.set(contentsOf: (0..<100).map { Book(id: $0, title: "Book \($0)") })
        cache.set(Author(id: "le-guin", name: "Le Guin"))
        try await graph.flush()
        cache.update(Book.self, id: 3) { $0.title = "Three" }
        cache.remove(Book.self, id: 4)
        try await graph.flush()

        let (copy, _) = try await reopened()
        #expect(copy.count(of: Book.self) == 99)
        #expect(copy[Book.self, 3]?.title == "Three")
        #expect(copy[Book.self, 4] == nil)
        #expect(copy[Book.self, 5]?.title == "Book 5")
        #expect(copy[Author.self, "le-guin"]?.name == "Le Guin")
        // The types that are loaded at the start are one commit.
        #expect(copy.version == 1)
        #expect(folder.errors.all.isEmpty)
    }

    @Test func unflushedValuesAreNotInTheFile() async throws {
        let (cache, graph) = try await reopened()
        cache.set(Book(id: 1, title: "One"))
        #expect(try await graph.statistics.rowCounts["book"] == 0)
    }

    @Test func attachingWritesValuesThatTheCacheHolds() async throws {
        let cache = Cache()
        cache.set(Book(id: 1, title: "One"))
        let graph = try folder.graph()
        try await graph.attach(to: cache)
        try await graph.flush()
        #expect(try await graph.statistics.rowCounts["book"] == 1)
    }

    @Test func valueInMemoryIsNewerThanItsRow() async throws {
        let (cache, graph) = try await reopened()
        cache.set(Book(id: 1, title: "Old"))
        try await graph.detach()
        let other = Cache()
        other.set(Book(id: 1, title: "New"))
        let second = try folder.graph()
        try await second.attach(to: other)
        #expect(other[Book.self, 1]?.title == "New")
        try await second.flush()
        let (copy, _) = try await reopened()
        #expect(copy[Book.self, 1]?.title == "New")
    }

    @Test func loadReadsMemoryThenTheFile() async throws {
        let (cache, graph) = try await reopened()
        cache.set(contentsOf: [Book(id: 1, title: "One"), Book(id: 2, title: "Two")])
        try await graph.detach()

        let (copy, second) = try await reopened(books: .onDemand)
        #expect(copy[Book.self, 1] == nil)
        #expect(try await second.load(Book.self, id: 1)?.title == "One")
        #expect(copy[Book.self, 1]?.title == "One")
        copy.set(Book(id: 2, title: "Newer"))
        #expect(try await second.load(Book.self, id: 2)?.title == "Newer")
        #expect(try await second.load(Book.self, id: 3) == nil)
        // A loaded row isn't written again.
        try await second.flush()
        #expect(try await second.statistics.transactionCount == 1)
    }

    @Test func evictedValuesKeepTheirRows() async throws {
        var configuration = CacheConfiguration()
        configuration.limit(Book.self, .count(100))
        let cache = Cache(configuration: configuration)
        let graph = try folder.graph(books: .onDemand)
        try await graph.attach(to: cache)
        cache.set(contentsOf: (0..<5_000).map { Book(id: $0, title: "Book \($0)") })
        // The values are in use until they are written.
        #expect(cache.count(of: Book.self) == 5_000)
        try await graph.flush()
        #expect(cache.count(of: Book.self) <= 100)
        #expect(try await graph.statistics.rowCounts["book"] == 5_000)
        #expect(try await graph.load(Book.self, id: 17)?.title == "Book 17")
        cache.pruneUnobservedValues()
        try await graph.flush()
        #expect(try await graph.statistics.rowCounts["book"] == 5_000)
    }

    @Test func explicitRemovalDeletesRowsOfAbsentEntities() async throws {
        let (cache, graph) = try await reopened()
        cache.set(contentsOf: (0..<10).map { Book(id: $0, title: "Book \($0)") })
        cache.set(Author(id: "a", name: "A"))
        try await graph.detach()

        let (copy, second) = try await reopened(books: .onDemand)
        copy.remove(Book.self, id: 3)
        try await second.flush()
        #expect(try await second.statistics.rowCounts["book"] == 9)
        copy.removeAll(Book.self)
        copy.set(Book(id: 20, title: "Later"))
        try await second.flush()
        #expect(try await second.statistics.rowCounts == ["book": 1, "author": 1])
        copy.removeAll()
        try await second.flush()
        #expect(try await second.statistics.rowCounts == ["book": 0, "author": 0])
    }

    @Test func removedEntityIsNotLoadedBeforeTheFlush() async throws {
        let (cache, graph) = try await reopened()
        cache.set(Book(id: 1, title: "One"))
        try await graph.detach()
        let (copy, second) = try await reopened(books: .onDemand)
        copy.remove(Book.self, id: 1)
        #expect(try await second.load(Book.self, id: 1) == nil)
    }

    @Test func flushAfterTheEndOfACacheWritesItsLastChanges() async throws {
        let graph = try folder.graph(books: .onDemand)
        for number in 0..<20 {
            do {
                let cache = Cache()
                try await graph.attach(to: cache)
                cache.set(Book(id: number, title: "\(number)"))
            }
            try await graph.flush()
            #expect(try folder.run("SELECT count(*) FROM book") == ["\(number + 1)"])
            #expect(await !graph.isAttached)
        }
    }

    @Test func pendingChangesAreCounted() async throws {
        let (cache, graph) = try await reopened(books: .onDemand)
        #expect(try await graph.statistics.pendingChangeCount == 0)
        cache.set(contentsOf: (0..<10).map { Book(id: $0, title: "Book \($0)") })
        cache.set(Book(id: 1, title: "Again"))
        cache.remove(Author.self, id: "a")
        #expect(try await graph.statistics.pendingChangeCount == 11)
        try await graph.flush()
        #expect(try await graph.statistics.pendingChangeCount == 0)
        cache.set(Book(id: 1, title: "Last"))
        try await graph.detach()
        #expect(try await graph.statistics.pendingChangeCount == 0)
    }

    @Test func sqliteReadsJSON() async throws {
        let cache = Cache()
        let graph = try folder.graph(coder: JSONRowCoder()) {
            Durable(Book.self, "book", limit: .bytes(1_000))
        }
        try await graph.attach(to: cache)
        cache.set(Book(id: 1, title: "Über"))
        try await graph.flush()
        #expect(try folder.run("SELECT value ->> '$.title' FROM book") == ["Über"])
        // Newer versions of SQLite take bytes for JSON of their own encoding.
        #expect(try folder.run("SELECT typeof(value) FROM book") == ["text"])
        // The size counts bytes, not characters.
        let bytes = try JSONEncoder().encode(Book(id: 1, title: "Über")).count
        #expect(try await graph.statistics.byteCounts["book"] == bytes)
        #expect(
            try await folder.graph(coder: JSONRowCoder()) { Durable(Book.self, "book") }
                .load(Book.self, id: 1)?.title == "Über"
        )
    }

    private struct Tagged: Identifiable, Codable, Sendable {
        struct ID: Hashable, Codable, Sendable {
            var tags: Set<String>
            var name = ""
        }

        let id: ID
    }

    private struct Named: Identifiable, Codable, Sendable {
        struct ID: Hashable, Codable, Sendable {
            var name: String
        }

        let id: ID
        var title: String
    }

    @Test func identifierWithASetIsReported() async throws {
        let cache = Cache()
        let graph = try folder.graph { Durable(Tagged.self, "tagged") }
        try await graph.attach(to: cache)
        cache.set(Tagged(id: Tagged.ID(tags: ["a"])))
        try await graph.flush()
        #expect(folder.errors.all.map(\.kind) == [.unencodable])
        #expect(folder.errors.all.first?.reason.contains("Set<String>") == true)
        #expect(try await graph.load(Tagged.self, id: Tagged.ID(tags: ["b"])) == nil)
        #expect(folder.errors.count == 2)
    }

    @Test func equalCompositeIdentifiersHaveOneRow() async throws {
        let cache = Cache()
        let graph = try folder.graph { Durable(Named.self, "named") }
        try await graph.attach(to: cache)
        cache.set(Named(id: Named.ID(name: "\u{e9}"), title: "composed"))
        try await graph.detach()
        let other = try folder.graph { Durable(Named.self, "named") }
        #expect(try await other.load(Named.self, id: Named.ID(name: "e\u{301}")) != nil)
    }

    @Test func detachedGraphDoesNotWrite() async throws {
        let (cache, graph) = try await reopened()
        cache.set(Book(id: 1, title: "One"))
        try await graph.detach()
        cache.set(Book(id: 2, title: "Two"))
        try await graph.flush()
        #expect(try await graph.statistics.rowCounts["book"] == 1)
        // The graph can be attached again.
        try await graph.attach(to: cache)
        try await graph.flush(surviving: .powerLoss)
        #expect(try await graph.statistics.rowCounts["book"] == 2)
        #expect(try folder.run("SELECT number FROM flatcache_syncs") == ["1"])
    }

    @Test func freshnessAndStampsSurvive() async throws {
        func graph() throws -> SQLiteGraph {
            try folder.graph { Durable(Book.self, "book", load: .atStart).stamps(of: Int.self) }
        }
        let cache = Cache()
        let first = try graph()
        try await first.attach(to: cache)
        cache.set(Book(id: 1, title: "Stamped"), modifiedAt: 7)
        cache.set(contentsOf: [Book(id: 2, title: "Stale"), Book(id: 3, title: "Fresh")])
        cache.invalidate(Book.self, id: 2)
        try await first.detach()

        let copy = Cache()
        let second = try graph()
        try await second.attach(to: copy)
        #expect(copy.freshness(of: Book.self, id: 2).isStale)
        #expect(!copy.freshness(of: Book.self, id: 3).isStale)
        copy.set(Book(id: 1, title: "Older"), modifiedAt: 6)
        #expect(copy[Book.self, 1]?.title == "Stamped")
        copy.set(Book(id: 1, title: "Newer"), modifiedAt: 8)
        #expect(copy[Book.self, 1]?.title == "Newer")
    }

    @Test func invalidationOfAbsentEntitiesIsKept() async throws {
        let (cache, graph) = try await reopened()
        cache.set(contentsOf: (0..<3).map { Book(id: $0, title: "Book \($0)") })
        try await graph.detach()
        let (other, second) = try await reopened(books: .onDemand)
        other.invalidate(Book.self, id: 1)
        try await second.detach()
        let (copy, third) = try await reopened()
        #expect(
            (0..<3).map { copy.freshness(of: Book.self, id: $0).isStale } == [false, true, false]
        )
        copy.invalidate(Book.self)
        try await third.detach()
        #expect(try folder.run("SELECT id FROM book WHERE stale IS NULL") == [])
    }

    @Test func identifiersOfAllKindsRoundTrip() async throws {
        struct Pair: Hashable, Codable, Sendable {
            var x: Int
            var y: String
        }
        struct Keyed<ID: Hashable & Codable & Sendable>: Identifiable, Codable, Hashable, Sendable {
            let id: ID
        }
        let pair = Keyed(id: Pair(x: 1, y: "y"))
        let unsigned = Keyed(id: UInt64.max)
        let unique = Keyed(id: UUID())
        let text = Keyed(id: "e\u{301}'\"")
        let graph = { [folder] in
            try folder.graph {
                Durable(Keyed<Pair>.self, "pair's \"table\"\u{301}")
                Durable(Keyed<UInt64>.self, "unsigned")
                Durable(Keyed<UUID>.self, "unique")
                Durable(Keyed<String>.self, "text")
            }
        }
        let cache = Cache()
        let first = try graph()
        try await first.attach(to: cache)
        cache.set(pair)
        cache.set(unsigned)
        cache.set(unique)
        cache.set(text)
        try await first.detach()
        let second = try graph()
        try await second.attach(to: Cache())
        #expect(try await second.load(Keyed<Pair>.self, id: pair.id) == pair)
        #expect(try await second.load(Keyed<UInt64>.self, id: unsigned.id) == unsigned)
        #expect(try await second.load(Keyed<UUID>.self, id: unique.id) == unique)
        // The strings are equal, but their characters aren't the same.
        #expect(try await second.load(Keyed<String>.self, id: "\u{E9}'\"") == text)
    }

    @Test func valueThatCannotBeEncodedIsReported() async throws {
        let graph = try folder.graph { Durable(Stubborn.self, "stubborn") }
        let cache = Cache()
        try await graph.attach(to: cache)
        cache.set(contentsOf: (0..<3).map { Stubborn(id: $0, refuses: $0 == 1) })
        try await graph.flush()
        #expect(try await graph.statistics.rowCounts["stubborn"] == 2)
        #expect(folder.errors.all.map(\.kind) == [.unencodable])
        #expect(folder.errors.all.first?.key == CacheKey(Stubborn.self, id: 1))
    }

    @Test func jsonIsReadableInTheFile() async throws {
        let graph = try folder.graph(coder: JSONRowCoder()) { Durable(Author.self, "author") }
        let cache = Cache()
        try await graph.attach(to: cache)
        cache.set(Author(id: "a", name: "A"))
        try await graph.flush()
        #expect(
            try folder.run("SELECT json_extract(CAST(value AS TEXT), '$.name') FROM author") == [
                "A"
            ]
        )
    }
}
