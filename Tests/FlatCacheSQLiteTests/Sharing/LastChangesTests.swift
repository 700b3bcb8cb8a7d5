import FlatCache
import FlatCacheTesting
import Foundation
import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

/// Tests of the last changes of a cache that another graph's changes precede in the file.
struct LastChangesTests {
    private let folder: GraphFolder
    private let clock = ManualClock()

    init() throws {
        folder = try GraphFolder()
    }

    /// A cache that can be deallocated, with its graph.
    private final class Side {
        var cache: Cache?
        let graph: SQLiteGraph

        init(_ cache: Cache, _ graph: SQLiteGraph) {
            self.cache = cache
            self.graph = graph
        }

        func list(_ name: String) -> CachedList<Book>? { cache?.list(name, of: Book.self) }
    }

    private func side(load: DurableLoading = .atStart) async throws -> Side {
        let graph = try folder.graph(
            wallClock: { [clock] in
                Date(timeIntervalSince1970: 1_000_000 + clock.now.offset / .seconds(1))
            },
            {
                Durable(Book.self, "book", load: load)
                DurableList("top", of: Book.self)
                DurableLists(withPrefix: "search?", of: Book.self)
                DurableResponses()
            }
        )
        let side = Side(Cache(configuration: CacheConfiguration(clock: clock)), graph)
        try await graph.attach(to: #require(side.cache))
        return side
    }

    /// Deallocates the cache of a side, and writes its last changes.
    private func end(_ side: Side) async throws {
        clock.advance(by: .seconds(1))
        side.cache = nil
        try await side.graph.flush()
    }

    private enum Invalidation: CaseIterable {
        case ofABookInMemory, ofABook, ofTheType
    }

    @Test("A last invalidation concerns the row of another graph", arguments: Invalidation.allCases)
    private func invalidation(_ invalidation: Invalidation) async throws {
        let other = try await side()
        other.cache?.set(contentsOf: [Book(id: 1, title: "old"), Book(id: 2, title: "old")])
        try await other.graph.flush()
        let ending = try await side(load: invalidation == .ofABookInMemory ? .atStart : .onDemand)
        try await ending.graph.suspend()
        switch invalidation {
        case .ofABookInMemory, .ofABook: ending.cache?.invalidate(Book.self, id: 1)
        case .ofTheType: ending.cache?.invalidate(Book.self)
        }
        other.cache?.set(Book(id: 1, title: "new"))
        try await other.graph.flush()
        try await end(ending)
        let reader = try await side()
        let cache = try #require(reader.cache)
        #expect(cache.get(Book.self, id: 1)?.title == "new")
        #expect(cache.freshness(of: Book.self, id: 1).isStale)
        #expect(cache.freshness(of: Book.self, id: 2).isStale == (invalidation == .ofTheType))
    }

    @Test func lastRemovalOfEverythingWins() async throws {
        let other = try await side()
        for name in ["top", "search?dune"] { other.list(name)?.replace(withIDs: [1]) }
        _ = try await other.cache?.load("a", policy: .networkOnly) { 1 }
        try await other.graph.flush()
        let ending = try await side()
        try await ending.graph.suspend()
        ending.cache?.removeAll()
        for name in ["top", "search?dune"] { other.list(name)?.replace(withIDs: [2]) }
        _ = try await other.cache?.load("a", policy: .networkOnly) { 2 }
        try await other.graph.flush()
        try await end(ending)
        try await other.graph.flush()
        let reader = try await side()
        for side in [reader, other] {
            for name in ["top", "search?dune"] { #expect(side.list(name)?.ids == []) }
        }
        await #expect(throws: LoadError.self) {
            _ = try await reader.cache?.load("a", policy: .cacheOnly) { 3 }
        }
    }
}
