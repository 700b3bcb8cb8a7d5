import FlatCache
import FlatCacheTesting
import Foundation
import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

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
        let graph = try folder.graph(wallClock: clock.wallClock) {
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

    @Test func rowsThatWereWrittenWithoutLifetimesAge() async throws {
        do {
            let cache = Cache(configuration: CacheConfiguration(clock: clock))
            let graph = try folder.graph(wallClock: clock.wallClock) {
                Durable(Book.self, "book", load: .atStart)
            }
            try await graph.attach(to: cache)
            cache.set(Book(id: 1, title: "One"))
            try await graph.detach()
        }
        for isStale in [false, true] {
            clock.advance(by: .seconds(31))
            let (cache, graph) = try await launched()
            #expect(cache.freshness(of: Book.self, id: 1).isStale == isStale)
            try await graph.detach()
        }
    }

    @Test func importedRowsThatWereWrittenWithoutLifetimesAge() async throws {
        let (cache, graph) = try await launched()
        try await graph.suspend()
        let other = Cache(configuration: CacheConfiguration(clock: clock))
        let writer = try folder.graph(wallClock: clock.wallClock) { Durable(Book.self, "book") }
        try await writer.attach(to: other)
        for id in 1...2 {
            other.set(Book(id: id, title: "Title"))
            try await writer.flush()
            clock.advance(by: .seconds(31))
        }
        try await graph.resume()
        #expect([1, 2].map { cache.freshness(of: Book.self, id: $0).isStale } == [true, false])
    }

    // MARK: A clock that was ahead

    private static let year: TimeInterval = 365 * 86_400

    /// Returns a cache and a graph whose wall clock shows a date in seconds.
    private func attached(
        _ seconds: Locked<TimeInterval>,
        limit: DurableLimit
    ) async throws -> (Cache, SQLiteGraph) {
        let cache = Cache()
        let graph = try folder.graph(
            wallClock: { Date(timeIntervalSince1970: seconds.withLock { $0 }) }
        ) {
            Durable(Book.self, "book", limit: limit)
        }
        try await graph.attach(to: cache)
        return (cache, graph)
    }

    @Test func rowsFromTheFutureDoNotDisplaceLaterOnes() async throws {
        let seconds = Locked(100 * Self.year)
        let (cache, graph) = try await attached(seconds, limit: .count(10))
        cache.set(contentsOf: (0..<10).map { Book(id: $0, title: "future") })
        try await graph.flush()
        seconds.withLock { $0 = 50 * Self.year }
        for id in 10..<30 {
            cache.set(Book(id: id, title: "present"))
            try await graph.flush()
            #expect(try folder.run("SELECT id FROM book WHERE id = \(id)") == ["\(id)"])
            seconds.withLock { $0 += 1 }
        }
        #expect(try folder.run("SELECT count(*) FROM book WHERE id < 10") == ["0"])
    }

    @Test(arguments: [true, false])
    func rowsFromTheFutureAgeOnceTheClockIsSetBack(isAttachedAgain: Bool) async throws {
        let seconds = Locked(100 * Self.year)
        var (cache, graph) = try await attached(seconds, limit: .age(.seconds(100)))
        cache.set(Book(id: 1, title: "future"))
        try await graph.flush()
        seconds.withLock { $0 = 50 * Self.year }
        if isAttachedAgain {
            try await graph.detach()
            (cache, graph) = try await attached(seconds, limit: .age(.seconds(100)))
        }
        for id in 2...3 {
            cache.set(Book(id: id, title: "present"))
            try await graph.flush()
            seconds.withLock { $0 += 101 }
        }
        cache.set(Book(id: 4, title: "present"))
        try await graph.flush()
        #expect(try folder.run("SELECT id FROM book") == ["4"])
    }
}
