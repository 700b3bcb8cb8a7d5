import FlatCache
import FlatCacheTesting
import Foundation
import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

/// Tests of two versions of a program that share a file and declare different lists.
struct DifferentDeclarationsTests {
    private let folder: GraphFolder
    private let clock = ManualClock()

    init() throws {
        folder = try GraphFolder()
    }

    private struct Side {
        let cache: Cache
        let graph: SQLiteGraph

        func list(_ name: String) -> CachedList<Book> { cache.list(name, of: Book.self) }
    }

    private func side(_ lists: DurableList<Book>...) async throws -> Side {
        let side = Side(
            cache: Cache(configuration: CacheConfiguration(clock: clock)),
            graph: try folder.graph(wallClock: clock.wallClock) {
                Durable(Book.self, "book")
                DurableLists(withPrefix: "search?", of: Book.self)
                for list in lists { list }
            }
        )
        try await side.graph.attach(to: side.cache)
        return side
    }

    @Test func removalOfEverythingSparesListsThatTheOtherProgramDoesNotDeclare() async throws {
        let first = try await side()
        let second = try await side(DurableList("top", of: Book.self))
        second.list("top").replace(withIDs: [1])
        second.list("search?dune").replace(withIDs: [2])
        try await second.graph.flush()
        try await first.graph.flush()
        first.cache.removeAll()
        try await first.graph.flush()
        try await second.graph.flush()
        #expect(second.list("search?dune").ids.isEmpty)
        #expect(second.list("top").ids == [1])
        #expect(try folder.run("SELECT id FROM flatcache_lists_book") == ["top"])
    }

    /// The other list has no row when the removal is imported.
    @Test func removalOfEverythingSparesUnwrittenListsThatTheOtherProgramDoesNotDeclare()
        async throws
    {
        let first = try await side()
        let second = try await side(DurableList("top", of: Book.self))
        second.list("top").replace(withIDs: [1])
        second.list("search?dune").replace(withIDs: [2])
        clock.advance(by: .milliseconds(5))
        first.cache.removeAll()
        first.list("search?new").replace(withIDs: [3])
        try await first.graph.flush()
        try await second.graph.flush()
        #expect(second.list("top").ids == [1])
        // The later flush wins.
        #expect(second.list("search?dune").ids == [2])
        #expect(
            try folder.run("SELECT id FROM flatcache_lists_book ORDER BY id") == [
                "search?dune", "search?new", "top",
            ]
        )
    }

    @Test(arguments: [false, true])
    func removalOfEverythingSparesLastChangesOfOtherLists(removesList: Bool) async throws {
        let first = try await side()
        var second: Side? = try await side(DurableList("top", of: Book.self))
        let graph = try #require(second?.graph)
        second?.list("top").replace(withIDs: [1])
        try await graph.flush()
        // A suspended graph doesn't import the removal before its cache is deallocated.
        try await graph.suspend()
        if removesList {
            second?.cache.removeAll()
        } else {
            second?.list("top").replace(withIDs: [1, 2])
        }
        // Conflicts are decided by dates in milliseconds, so the removal needs a later one.
        clock.advance(by: .milliseconds(5))
        first.cache.removeAll()
        try await first.graph.flush()
        second = nil
        #expect(await untilDetached(graph))
        let reader = try await side(DurableList("top", of: Book.self))
        #expect(reader.list("top").ids == (removesList ? [] : [1, 2]))
    }
}
