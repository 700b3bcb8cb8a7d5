import FlatCache
import FlatCacheTesting
import Foundation
import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

struct DurableLimitTests {
    private let folder: GraphFolder

    init() throws {
        folder = try GraphFolder()
    }

    private func attached(_ limit: DurableLimit) async throws -> (Cache, SQLiteGraph) {
        let cache = Cache()
        let graph = try folder.graph { Durable(Book.self, "book", limit: limit) }
        try await graph.attach(to: cache)
        return (cache, graph)
    }

    private var ids: [Int] {
        get throws { try folder.run("SELECT id FROM book ORDER BY id").compactMap { Int($0) } }
    }

    /// Makes all rows seem to have been used a number of seconds ago.
    private func age(by seconds: Int) throws {
        try folder.run("UPDATE book SET used = used - \(1_000 * seconds)")
    }

    @Test func leastRecentlyUsedRowsAreDeleted() async throws {
        let (cache, graph) = try await attached(.count(20))
        cache.set(contentsOf: (0..<20).map { Book(id: $0, title: "Book \($0)") })
        try await graph.flush()
        #expect(try ids.count == 20)
        try age(by: 100)
        // Written and loaded rows are used.
        cache.set(Book(id: 3, title: "Three"))
        let (otherCache, other) = try await attached(.count(20))
        #expect(try await other.load(Book.self, id: 5) != nil)
        try await other.flush()
        withExtendedLifetime(otherCache) {}
        cache.set(contentsOf: (20..<30).map { Book(id: $0, title: "Book \($0)") })
        try await graph.flush()
        let left = try ids
        #expect(left.count == 18)
        #expect(Set(left).isSuperset(of: [3, 5] + (20..<30)))
    }

    @Test func restoredRowsOfAnotherGraphCount() async throws {
        let (former, first) = try await attached(.count(20))
        former.set(contentsOf: (0..<10).map { Book(id: $0, title: "Book \($0)") })
        try await first.detach()
        let row = "'book', id, value, 1, '', 0 FROM book"
        try folder.run("INSERT INTO flatcache_quarantine SELECT \(row)")
        try folder.run("DELETE FROM book")
        let (cache, graph) = try await attached(.count(20))
        cache.set(contentsOf: (10..<20).map { Book(id: $0, title: "Book \($0)") })
        try await graph.flush()
        let other = try folder.graph { Durable(Book.self, "book", limit: .count(20)) }
        #expect(try await other.restoreQuarantinedRows() == 10)
        cache.set(contentsOf: (20..<30).map { Book(id: $0, title: "Book \($0)") })
        try await graph.flush()
        #expect(try ids.count == 18)
    }

    @Test func flushAfterAFailedOneDeletesOldRows() async throws {
        let clock = ManualClock()
        let cache = Cache()
        let graph = try folder.graph(wallClock: clock.wallClock) {
            Durable(Book.self, "book", limit: .age(.seconds(1_000)))
        }
        try await graph.attach(to: cache)
        cache.set(Book(id: 1, title: "Old"))
        try await graph.flush()
        clock.advance(by: .seconds(2_000))
        let trigger = "BEFORE INSERT ON flatcache_log BEGIN SELECT RAISE(ABORT, ''); END"
        try folder.run("CREATE TRIGGER failure \(trigger)")
        cache.set(Book(id: 2, title: "New"))
        await #expect(throws: SQLiteGraphError.self) { try await graph.flush() }
        #expect(try ids == [1])
        try folder.run("DROP TRIGGER failure")
        try await graph.flush()
        #expect(try ids == [2])
    }

    @Test func writtenRowOutlivesEarlierLoads() async throws {
        let clock = ManualClock()
        func attach(to cache: Cache) async throws -> SQLiteGraph {
            let graph = try folder.graph(wallClock: clock.wallClock) {
                Durable(Book.self, "book", limit: .count(10))
            }
            try await graph.attach(to: cache)
            return graph
        }
        let books = (1...10).map { Book(id: $0, title: "Book \($0)") }
        do {
            let cache = Cache()
            let graph = try await attach(to: cache)
            cache.set(contentsOf: books)
            try await graph.detach()
        }
        clock.advance(by: .seconds(1))
        let cache = Cache()
        let graph = try await attach(to: cache)
        for book in books { _ = try await graph.load(Book.self, id: book.id) }
        clock.advance(by: .seconds(1))
        cache.set(Book(id: 11, title: "new"))
        try await graph.flush()
        #expect(try ids.contains(11))
    }

    @Test("Storing an equal value is a use only if it renews a lifetime", arguments: 0..<4)
    func equalValueIsAUseIfItRenewsALifetime(rule: Int) async throws {
        let (cache, graph) = try await attached(.count(20))
        switch rule {
        case 1: cache.limit(Book.self, .unlimited, staleAfter: .seconds(60))
        case 2: cache.limit(Book.self, .unlimited, expires: .afterWrite(.seconds(60)))
        default: break
        }
        let book = Book(id: 1, title: "One")
        cache.set(book)
        if rule == 3 { cache.invalidate(Book.self, id: 1) }
        try await graph.flush()
        try age(by: 100)
        let used = try folder.run("SELECT used FROM book")
        cache.set(book)
        try await graph.flush()
        #expect((try folder.run("SELECT used FROM book") == used) == (rule == 0))
    }

    @Test func bytesAreLimited() async throws {
        let (cache, graph) = try await attached(.bytes(20_000))
        let title = String(repeating: "t", count: 80)
        for start in stride(from: 0, to: 2_000, by: 100) {
            cache.set(contentsOf: (start..<(start + 100)).map { Book(id: $0, title: title) })
            try await graph.flush()
            let bytes = try #require(try await graph.statistics.byteCounts["book"])
            #expect(bytes <= 20_000)
        }
        #expect(try ids.count > 100)
    }

    @Test func unusedRowsAgeOut() async throws {
        let clock = Recorder<TimeInterval>()
        clock.append(1e9)
        func attached() async throws -> (Cache, SQLiteGraph) {
            let cache = Cache()
            let graph = try folder.graph(
                wallClock: { Date(timeIntervalSince1970: clock.all.last ?? 0) }
            ) {
                Durable(Book.self, "book", limit: .count(100).and(.age(.seconds(60))))
            }
            try await graph.attach(to: cache)
            return (cache, graph)
        }
        let (cache, graph) = try await attached()
        cache.set(contentsOf: (0..<3).map { Book(id: $0, title: "Book \($0)") })
        try await graph.flush()
        clock.append(1e9 + 50)
        cache.set(Book(id: 1, title: "Later"))
        try await graph.flush()
        #expect(try ids == [0, 1, 2])
        clock.append(1e9 + 61)
        cache.set(Book(id: 3, title: "Three"))
        try await graph.flush()
        #expect(try ids == [1, 3])
        // A graph looks for old rows when it's attached.
        try await graph.detach()
        clock.append(1e9 + 115)
        let (_, other) = try await attached()
        #expect(try ids == [3])
        try await other.detach()
    }

    @Test func staleRowsAgeOut() async throws {
        let limit = DurableLimit.staleness(.seconds(60)).and(.staleness(.seconds(90)))
        let (cache, graph) = try await attached(limit)
        cache.set(contentsOf: (0..<3).map { Book(id: $0, title: "Book \($0)") })
        cache.invalidate(Book.self, id: 1)
        try await graph.detach()
        try folder.run("UPDATE book SET stale = stale - 61000")
        let (copy, other) = try await attached(limit)
        #expect(try ids == [0, 2])
        copy.invalidate(Book.self, id: 0)
        try await other.detach()
        _ = try await attached(.staleness(.zero))
        #expect(try ids == [2])
    }

    @Test func longestAgeKeepsAllRows() async throws {
        let (cache, graph) = try await attached(.age(.seconds(Int64.max)))
        cache.set(Book(id: 1, title: "One"))
        try await graph.flush()
        #expect(try ids == [1])
    }

    @Test func fileShrinksWhenRowsAreDeleted() async throws {
        let (cache, graph) = try await attached(.none)
        let title = String(repeating: "t", count: 100)
        let books = (0..<20_000).map { Book(id: $0, title: title) }
        cache.set(contentsOf: books)
        try await graph.flush()
        let full = try await graph.statistics
        let live = try #require(full.byteCounts["book"])
        #expect(Double(full.fileSize) <= 1.3 * Double(live))
        for book in books where book.id % 10 != 0 { cache.remove(Book.self, id: book.id) }
        try await graph.flush()
        let rest = try await graph.statistics
        let restLive = try #require(rest.byteCounts["book"])
        #expect(rest.fileSize < full.fileSize / 3)
        #expect(Double(rest.fileSize) <= 3 * Double(restLive))
        #expect(rest.rowCounts["book"] == 2_000)
    }
}
