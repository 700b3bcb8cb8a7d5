import FlatCache
import FlatCacheTesting
import Foundation
import Testing

@testable import FlatCacheSQLite

/// A file with two graphs, each attached to a cache, and a clock of the caches and the dates.
struct SharedFile {
    /// A graph of the file with its cache.
    struct Side {
        let cache: Cache
        let graph: SQLiteGraph
    }

    let folder: GraphFolder
    let clock: ManualClock
    let first: Side
    let second: Side

    init(
        @DurableBuilder _ types: @Sendable () -> [DurableBuilder.Declaration]
    ) async throws {
        folder = try GraphFolder()
        clock = ManualClock()
        first = try await Self.side(folder, clock, types)
        second = try await Self.side(folder, clock, types)
    }

    /// Creates a file of books, which are loaded at the start, and of profiles with integer stamps.
    init() async throws {
        try await self.init {
            Durable(Book.self, "book", load: .atStart)
            Durable(Profile.self, "profile").stamps(of: Int.self)
        }
    }

    private static func side(
        _ folder: GraphFolder,
        _ clock: ManualClock,
        @DurableBuilder _ types: () -> [DurableBuilder.Declaration]
    ) async throws -> Side {
        var configuration = CacheConfiguration(clock: clock)
        configuration.limit(Book.self, .unlimited, staleAfter: .seconds(1_000_000))
        let cache = Cache(configuration: configuration)
        let graph = try folder.graph(wallClock: clock.wallClock, types)
        try await graph.attach(to: cache)
        return Side(cache: cache, graph: graph)
    }

    /// Writes the changes of the first graph, and lets the second one import them.
    func synchronize() async throws {
        try await first.graph.flush()
        try await second.graph.flush()
    }

    /// Deletes the file with those beside it.
    func delete() throws {
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: folder.url.path + suffix)
        }
    }

    /// The number of the latest transaction.
    var latestNumber: Int64 { get throws { try folder.log().latest() } }

    /// Lets the graphs notice the other's transactions only when the test calls them.
    func stopWatching() async {
        await first.graph.engine.stopWatching()
        await second.graph.engine.stopWatching()
    }

    /// Flushes both graphs until each shows the changes of the other, and compares the caches and
    /// the file with books.
    func expectAgreement(_ expected: [Book]) async throws {
        try await synchronize()
        try await first.graph.flush()
        for cache in [first.cache, second.cache] {
            #expect(cache.values(of: Book.self).sorted { $0.id < $1.id } == expected)
        }
        let reader = try folder.graph { Durable(Book.self, "book") }
        for book in expected { #expect(try await reader.load(Book.self, id: book.id) == book) }
    }
}

extension GraphEngine {
    /// Stops the notices of other graphs' transactions.
    func stopWatching() { monitor = nil }
}
