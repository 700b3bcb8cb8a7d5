import FlatCache
import Foundation
import Testing

@testable import FlatCacheSQLite

struct RefusedElementsTests {
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
