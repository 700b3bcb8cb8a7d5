import FlatCache
import Foundation
import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

/// Tests of lists whose elements another process has upgraded.
struct RefusedElementsTests {
    /// A book whose identifier is another one since the second version.
    private struct Paper: Identifiable, Codable, Hashable, Sendable {
        let id: String
    }

    @Test func listOfAnUpgradedTypeIsNeitherReadNorWritten() async throws {
        let folder = try GraphFolder()
        let cache = Cache()
        let graph = try folder.graph {
            Durable(Book.self, "book")
            DurableList("best", of: Book.self)
        }
        try await graph.attach(to: cache)
        let newerCache = Cache()
        let newer = try folder.graph {
            Durable(Paper.self, "book", version: 2)
                .upgrade(from: 1) { (old: Book) in Paper(id: old.title) }
            DurableList("best", of: Paper.self)
        }
        try await newer.attach(to: newerCache)
        newerCache.list("best", of: Paper.self).update { $0 = ["one"] }
        try await newer.flush()
        // The graph finds a list that it can't decode.
        cache.list("best", of: Book.self).update { $0 = [1] }
        await #expect { try await graph.flush() } throws: {
            ($0 as? SQLiteGraphError)?.kind == .newerVersion
        }
        #expect(folder.errors.all.map(\.kind) == [.newerVersion])
        #expect(try folder.run("SELECT count(*) FROM flatcache_quarantine") == ["0"])
        try await newer.detach()
        let copy = Cache()
        try await newer.attach(to: copy)
        #expect(copy.list("best", of: Paper.self).ids == ["one"])
    }

    @Test func listOfAnUpgradedTypeIsNotWrittenWithoutItsElements() async throws {
        let folder = try GraphFolder()
        let cache = Cache()
        let graph = try folder.graph {
            Durable(Book.self, "book")
            DurableList("best", of: Book.self)
        }
        try await graph.attach(to: cache)
        let newer = try folder.graph {
            Durable(Book.self, "book", version: 2).upgrade(from: 1) { (old: Book) in old }
        }
        try await newer.attach(to: Cache())
        cache.performBatchUpdates { batch in
            batch.set(Book(id: 1, title: "One"))
            batch.list("best", of: Book.self).update { $0 = [1] }
        }
        await #expect { try await graph.flush() } throws: {
            ($0 as? SQLiteGraphError)?.kind == .newerVersion
        }
        #expect(folder.errors.all.map(\.kind) == [.newerVersion])
        #expect(try folder.run("SELECT count(*) FROM book") == ["0"])
        #expect(try folder.run("SELECT count(*) FROM flatcache_lists_book") == ["0"])
    }
}
