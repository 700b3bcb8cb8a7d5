import FlatCache
import FlatCacheTesting
import Foundation
import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

/// Tests of conflicts with transactions whose records don't list their rows, or are deleted.
struct LargeTransactionTests {
    private let file: SharedFile

    init() async throws {
        file = try await SharedFile { Durable(Author.self, "author", load: .atStart) }
    }

    /// Returns so many authors that a record doesn't list their identifiers.
    private func authors(_ name: String) -> [Author] {
        (0..<Self.count).map { Author(id: id($0), name: name) }
    }

    private static let count = 400

    private func id(_ number: Int) -> String { String(repeating: "x", count: 200) + "\(number)" }

    private var id: String { id(7) }

    private func wait() { file.clock.advance(by: .seconds(1)) }

    /// Flushes the graphs in turns, and returns the name of an author in both caches and the file.
    private func names(of id: String) async throws -> [String?] {
        for side in [file.second, file.first, file.second] { try await side.graph.flush() }
        let reader = try file.folder.graph { Durable(Author.self, "author") }
        return [
            file.first.cache.get(Author.self, id: id)?.name,
            file.second.cache.get(Author.self, id: id)?.name,
            try await reader.load(Author.self, id: id)?.name,
        ]
    }

    @Test func laterLargeTransactionWins() async throws {
        file.second.cache.set(Author(id: id, name: "earlier"))
        wait()
        file.first.cache.set(contentsOf: authors("later"))
        try await file.first.graph.flush()
        #expect(try file.folder.log().records(after: 0)?.map(\.scope) == [.storesUnlisted])
        #expect(try await names(of: id) == ["later", "later", "later"])
    }

    @Test func earlierLargeTransactionLoses() async throws {
        file.first.cache.set(contentsOf: authors("earlier"))
        wait()
        file.second.cache.set(Author(id: id, name: "later"))
        try await file.first.graph.flush()
        #expect(try await names(of: id) == ["later", "later", "later"])
    }

    @Test func largeTransactionSparesOtherRows() async throws {
        file.first.cache.set(Author(id: "other", name: "old"))
        try await file.synchronize()
        wait()
        file.second.cache.set(Author(id: "other", name: "new"))
        wait()
        file.first.cache.set(contentsOf: authors("later"))
        try await file.first.graph.flush()
        #expect(try await names(of: "other") == ["new", "new", "new"])
    }

    @Test func largeTransactionSparesRowsThatItsGraphHasLoaded() async throws {
        // With a limit, a load sets the time of a row's last use.
        let file = try await SharedFile {
            Durable(Author.self, "author", limit: .count(100_000))
        }
        file.first.cache.set(Author(id: "other", name: "old"))
        try await file.first.graph.flush()
        try await file.first.graph.detach()
        _ = try await file.second.graph.load(Author.self, id: "other")
        file.second.cache.set(Author(id: "other", name: "new"))
        file.clock.advance(by: .seconds(1))
        let cache = Cache(configuration: CacheConfiguration(clock: file.clock))
        try await file.first.graph.attach(to: cache)
        _ = try await file.first.graph.load(Author.self, id: "other")
        cache.set(contentsOf: authors("later"))
        try await file.first.graph.flush()
        try await file.second.graph.flush()
        try await file.first.graph.flush()
        #expect(file.second.cache.get(Author.self, id: "other")?.name == "new")
        #expect(cache.get(Author.self, id: "other")?.name == "new")
    }

    @Test func loadedRowsDoNotCountAsWrittenByALaterLargeTransaction() async throws {
        func graph(_ limit: DurableLimit) async throws -> (Cache, SQLiteGraph) {
            let cache = Cache(configuration: CacheConfiguration(clock: file.clock))
            let graph = try file.folder.graph(wallClock: file.clock.wallClock) {
                Durable(Author.self, "author", limit: limit)
            }
            try await graph.attach(to: cache)
            await graph.engine.stopWatching()
            return (cache, graph)
        }
        let (limitedCache, limited) = try await graph(.count(100_000))
        let (cache, unlimited) = try await graph(.none)
        cache.set(Author(id: "other", name: "old"))
        try await unlimited.flush()
        try await limited.flush()
        wait()
        cache.set(Author(id: "other", name: "new"))
        wait()
        _ = try await limited.load(Author.self, id: "other")
        limitedCache.set(contentsOf: authors("later"))
        try await limited.flush()
        try await unlimited.flush()
        #expect(cache[Author.self, "other"]?.name == "new")
    }

    // The changed row is deleted as if by the limit. A transaction that doesn't list its rows
    // restores the earlier one, and a load replaces the time of its last use.
    @Test func rowsRestoredByALargeTransactionReplaceNoValue() async throws {
        let file = try await SharedFile {
            Durable(Author.self, "author", limit: .count(100_000))
        }
        let second = file.second
        file.first.cache.set(contentsOf: authors("earlier"))
        try await file.first.graph.flush()
        let seconds = WallTime(file.clock.wallClock()).seconds
        let rows = "'author', id, value, 1, '', \(seconds) FROM author"
        try file.folder.run("INSERT INTO flatcache_quarantine SELECT \(rows)")
        try file.folder.run("DELETE FROM author")
        file.clock.advance(by: .seconds(10))
        second.cache.set(Author(id: id, name: "changed"))
        try await second.graph.flush()
        try await second.graph.suspend()
        try file.folder.run("DELETE FROM author")
        let third = try file.folder.graph(wallClock: file.clock.wallClock) {
            Durable(Author.self, "author", limit: .count(100_000))
        }
        file.clock.advance(by: .seconds(10))
        #expect(try await third.restoreQuarantinedRows() == Self.count)
        #expect(try file.folder.log().records(after: 2)?.map(\.scope) == [.storesUnlisted])
        let cache = Cache(configuration: CacheConfiguration(clock: file.clock))
        try await third.attach(to: cache)
        #expect(try await third.load(Author.self, id: id)?.name == "earlier")
        try await third.flush()
        try await second.graph.resume()
        #expect(second.cache[Author.self, id]?.name == "changed")
    }

    @Test func laterLargeRemovalWins() async throws {
        file.first.cache.set(contentsOf: authors("old"))
        try await file.synchronize()
        wait()
        file.second.cache.set(Author(id: id, name: "changed"))
        file.second.cache.set(Author(id: "added", name: "added"))
        wait()
        for author in authors("") { file.first.cache.remove(Author.self, id: author.id) }
        try await file.first.graph.flush()
        let scope = try file.folder.log().records(after: 1)?.last?.scope
        #expect(scope == [.storesUnlisted, .removesUnlisted])
        #expect(try await names(of: id) == [nil, nil, nil])
        #expect(try await names(of: "added") == ["added", "added", "added"])
    }

    @Test func earlierLargeRemovalLoses() async throws {
        file.first.cache.set(contentsOf: authors("old"))
        try await file.synchronize()
        wait()
        for author in authors("") { file.first.cache.remove(Author.self, id: author.id) }
        wait()
        file.second.cache.set(Author(id: id, name: "changed"))
        try await file.first.graph.flush()
        #expect(try await names(of: id) == ["changed", "changed", "changed"])
    }

    @Test(arguments: [DurableLimit.none, .count(100_000)], [false, true])
    func laterLargeTransactionOutlivesARemovalOfEverything(
        limit: DurableLimit,
        isEnded: Bool
    ) async throws {
        for removesTwice in [false, true] {
            try await expectLaterTransactionOutlivesRemoval(
                limit: limit,
                isEnded: isEnded,
                removesTwice: removesTwice
            )
        }
    }

    private func expectLaterTransactionOutlivesRemoval(
        limit: DurableLimit,
        isEnded: Bool,
        removesTwice: Bool
    ) async throws {
        let file = try await SharedFile { Durable(Author.self, "author", limit: limit) }
        let other = file.first
        var cache: Cache? = Cache(configuration: CacheConfiguration(clock: file.clock))
        let graph = try file.folder.graph(wallClock: file.clock.wallClock) {
            Durable(Author.self, "author", limit: limit)
        }
        try await graph.attach(to: #require(cache))
        other.cache.set(Author(id: "old", name: "old"))
        try await other.graph.flush()
        try await graph.flush()
        try await graph.suspend()
        file.clock.advance(by: .seconds(1))
        if removesTwice {
            other.cache.removeAll()
            try await other.graph.flush()
            file.clock.advance(by: .seconds(1))
        }
        cache?.removeAll()
        file.clock.advance(by: .seconds(1))
        let authors = authors("later")
        other.cache.set(contentsOf: authors)
        try await other.graph.flush()
        file.clock.advance(by: .seconds(1))
        if isEnded {
            cache = nil
            try await graph.flush()
        } else {
            try await graph.resume()
        }
        try await other.graph.flush()
        #expect(try file.folder.run("SELECT count(*) FROM author") == ["\(authors.count)"])
        #expect(other.cache.count(of: Author.self) == authors.count)
    }

    @Test func recordsAfterDeletedOnesAreCompared() async throws {
        for number in 1...2 { file.first.cache.set(Author(id: "\(number)", name: "old")) }
        try await file.synchronize()
        wait()
        try await file.second.graph.suspend()
        for number in 1...2 { file.second.cache.set(Author(id: "\(number)", name: "earlier")) }
        file.first.cache.set(Author(id: "3", name: "third"))
        try await file.first.graph.flush()
        file.clock.advance(by: .seconds(8 * 86_400))
        file.first.cache.set(Author(id: "1", name: "later"))
        file.first.cache.remove(Author.self, id: "2")
        try await file.first.graph.flush()
        try file.folder.log().shorten(
            at: WallTime(file.clock.wallClock()),
            listLimit: 1_000
        )
        #expect(try file.folder.log().records(after: 1) == nil)
        try await file.second.graph.resume()
        #expect(try await names(of: "1") == ["later", "later", "later"])
        #expect(try await names(of: "2") == [nil, nil, nil])
        #expect(try await names(of: "3") == ["third", "third", "third"])
    }

    @Test("Last changes of a cache lose to later large transactions", arguments: [true, false])
    func lastChanges(isRemoval: Bool) async throws {
        var cache: Cache? = Cache(configuration: CacheConfiguration(clock: file.clock))
        let graph = try file.folder.graph(wallClock: file.clock.wallClock) {
            Durable(Author.self, "author", load: .atStart)
        }
        file.first.cache.set(contentsOf: authors("old"))
        try await file.first.graph.flush()
        try await graph.attach(to: #require(cache))
        try await graph.suspend()
        wait()
        cache?.set(Author(id: id, name: "earlier"))
        wait()
        if isRemoval {
            for author in authors("") { file.first.cache.remove(Author.self, id: author.id) }
        } else {
            file.first.cache.set(contentsOf: authors("later"))
        }
        try await file.first.graph.flush()
        cache = nil
        #expect(await untilDetached(graph))
        try await graph.resume()
        let name = isRemoval ? nil : "later"
        #expect(try await names(of: id) == [name, name, name])
    }

    @Test func lastRemovalOfATypeSparesLaterChanges() async throws {
        var cache: Cache? = Cache(configuration: CacheConfiguration(clock: file.clock))
        let graph = try file.folder.graph(wallClock: file.clock.wallClock) {
            Durable(Author.self, "author", load: .atStart)
        }
        for id in ["1", "2"] { file.first.cache.set(Author(id: id, name: "old")) }
        try await file.first.graph.flush()
        try await graph.attach(to: #require(cache))
        try await graph.suspend()
        wait()
        cache?.removeAll(Author.self)
        wait()
        file.first.cache.set(Author(id: "2", name: "later"))
        try await file.first.graph.flush()
        cache = nil
        #expect(await untilDetached(graph))
        try await graph.resume()
        #expect(try await names(of: "1") == [nil, nil, nil])
        #expect(try await names(of: "2") == ["later", "later", "later"])
    }

    private enum ChangeOfRows: CaseIterable {
        case removalOfTheType, removal, invalidationOfTheType, invalidation
    }

    @Test(
        "Last changes spare the rows of a later large transaction",
        arguments: ChangeOfRows.allCases
    )
    private func lastChangesOfRows(_ change: ChangeOfRows) async throws {
        var cache: Cache? = Cache(configuration: CacheConfiguration(clock: file.clock))
        let graph = try file.folder.graph(wallClock: file.clock.wallClock) {
            Durable(Author.self, "author")
        }
        file.first.cache.set(contentsOf: authors("old") + [Author(id: "other", name: "old")])
        try await file.first.graph.flush()
        try await graph.attach(to: #require(cache))
        try await graph.suspend()
        wait()
        switch change {
        case .removalOfTheType: cache?.removeAll(Author.self)
        case .removal: for id in [id, "other"] { cache?.remove(Author.self, id: id) }
        case .invalidationOfTheType: cache?.invalidate(Author.self)
        case .invalidation: for id in [id, "other"] { cache?.invalidate(Author.self, id: id) }
        }
        wait()
        file.first.cache.set(contentsOf: authors("later"))
        try await file.first.graph.flush()
        cache = nil
        #expect(await untilDetached(graph))
        try await graph.flush()
        let isRemoval = change == .removalOfTheType || change == .removal
        #expect(try await names(of: id) == ["later", "later", "later"])
        let name = isRemoval ? nil : "old"
        #expect(try await names(of: "other") == [name, name, name])
        let stale = try file.folder.run("SELECT id FROM author WHERE stale NOT NULL")
        #expect(stale == (isRemoval ? [] : ["other"]))
    }
}
