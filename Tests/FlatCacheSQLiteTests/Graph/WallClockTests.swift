import FlatCache
import FlatCacheTesting
import Foundation
import Testing

@testable import FlatCacheSQLite

/// Tests of the ages of rows, with a clock that the cache and the graph share.
struct WallClockTests {
    private let folder: GraphFolder
    private let clock = ManualClock()

    init() throws {
        folder = try GraphFolder()
    }

    /// Returns a cache, whose books are stale after a minute, with a new graph of the file.
    private func launched() async throws -> (Cache, SQLiteGraph) {
        var configuration = CacheConfiguration(clock: clock)
        configuration.limit(Book.self, .unlimited, staleAfter: .seconds(60))
        let cache = Cache(configuration: configuration)
        let graph = try folder.graph(
            wallClock: { [clock] in
                Date(timeIntervalSince1970: clock.now.offset / .seconds(1))
            }
        ) {
            Durable(Book.self, "book", load: .atStart)
        }
        try await graph.attach(to: cache)
        return (cache, graph)
    }

    @Test func rowsAgeBetweenLaunches() async throws {
        let (cache, graph) = try await launched()
        cache.set(Book(id: 1, title: "One"))
        clock.advance(by: .seconds(20))
        cache.set(Book(id: 2, title: "Two"))
        try await graph.detach()
        #expect(try await graph.statistics.lastFlush == Date(timeIntervalSince1970: 20))

        clock.advance(by: .seconds(39))
        let (second, other) = try await launched()
        #expect([1, 2].map { second.freshness(of: Book.self, id: $0).isStale } == [false, false])
        try await other.detach()

        clock.advance(by: .seconds(2))
        let (third, _) = try await launched()
        #expect([1, 2].map { third.freshness(of: Book.self, id: $0).isStale } == [true, false])
        // A restored value ages in memory, too.
        clock.advance(by: .seconds(20))
        #expect(third.freshness(of: Book.self, id: 2).isStale)
    }
}
