import FlatCache
import FlatCacheTesting
import Foundation
import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

/// Tests of the last changes of a cache that another graph's later changes precede in the file.
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

    @Test(
        "A value that was set after an invalidation stays fresh",
        arguments: Invalidation.allCases,
        [true, false]
    )
    private func earlierInvalidation(_ invalidation: Invalidation, isLater: Bool) async throws {
        let other = try await side()
        other.cache?.set(contentsOf: [Book(id: 1, title: "old"), Book(id: 2, title: "old")])
        try await other.graph.flush()
        let ending = try await side(load: invalidation == .ofABookInMemory ? .atStart : .onDemand)
        try await ending.graph.suspend()
        let invalidate = {
            switch invalidation {
            case .ofABookInMemory, .ofABook: ending.cache?.invalidate(Book.self, id: 1)
            case .ofTheType: ending.cache?.invalidate(Book.self)
            }
            clock.advance(by: .seconds(1))
        }
        if isLater { invalidate() }
        other.cache?.set(Book(id: 1, title: "new"))
        try await other.graph.flush()
        clock.advance(by: .seconds(1))
        if !isLater { invalidate() }
        try await end(ending)
        let reader = try await side()
        let cache = try #require(reader.cache)
        if invalidation != .ofABookInMemory || isLater {
            #expect(cache.get(Book.self, id: 1)?.title == "new")
        }
        #expect(cache.freshness(of: Book.self, id: 1).isStale != isLater)
        #expect(cache.freshness(of: Book.self, id: 2).isStale == (invalidation == .ofTheType))
    }

    @Test func laterResponseOutlivesAnEarlierInvalidationOfItsPrefix() async throws {
        let other = try await side()
        for name in ["a?1", "a?2"] {
            _ = try await other.cache?.load(name, policy: .networkOnly) { 1 }
        }
        try await other.graph.flush()
        let ending = try await side()
        try await ending.graph.suspend()
        ending.cache?.invalidate(requestsWithPrefix: "a?")
        clock.advance(by: .seconds(1))
        _ = try await other.cache?.load("a?1", policy: .networkOnly) { 2 }
        try await other.graph.flush()
        try await end(ending)
        let cache = try #require(try await side().cache)
        #expect(try await cache.load("a?1", policy: .cacheOnly) { 3 } == 2)
        #expect(try await cache.load("a?2", policy: .cacheOnly) { 3 } == 1)
        #expect(cache.freshness(ofRequest: "a?1").isFresh)
        #expect(cache.freshness(ofRequest: "a?2").isStale)
    }

    @Test func laterResponseOutlivesAnEarlierRemovalOfEverything() async throws {
        let other = try await side()
        for name in ["a", "b"] { _ = try await other.cache?.load(name, policy: .networkOnly) { 1 } }
        try await other.graph.flush()
        let ending = try await side()
        try await ending.graph.suspend()
        ending.cache?.removeAll()
        clock.advance(by: .seconds(1))
        _ = try await other.cache?.load("a", policy: .networkOnly) { 2 }
        try await other.graph.flush()
        try await end(ending)
        let cache = try #require(try await side().cache)
        #expect(try await cache.load("a", policy: .cacheOnly) { 3 } == 2)
        await #expect(throws: LoadError.self) {
            _ = try await cache.load("b", policy: .cacheOnly) { 3 }
        }
    }

    @Test func laterEditsOfListsOutliveAnEarlierRemovalOfEverything() async throws {
        let other = try await side()
        for name in ["top", "search?old", "search?dune"] {
            other.list(name)?.replace(withIDs: [1])
        }
        try await other.graph.flush()
        let ending = try await side()
        try await ending.graph.suspend()
        clock.advance(by: .seconds(1))
        ending.cache?.removeAll()
        clock.advance(by: .seconds(1))
        for name in ["top", "search?dune"] { other.list(name)?.replace(withIDs: [2]) }
        try await other.graph.flush()
        try await end(ending)
        try await other.graph.flush()
        let reader = try await side()
        for side in [reader, other] {
            #expect(side.list("search?dune")?.ids == [2])
            #expect(side.list("search?old")?.ids == [])
            #expect(side.list("top")?.ids == [2])
        }
    }
}
