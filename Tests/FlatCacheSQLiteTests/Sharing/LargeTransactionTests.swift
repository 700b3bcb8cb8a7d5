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

    @Test func largeTransactionIsImported() async throws {
        file.second.cache.set(Author(id: id, name: "old"))
        try await file.second.graph.flush()
        file.first.cache.set(contentsOf: authors("new"))
        try await file.first.graph.flush()
        #expect(try file.folder.log().records(after: 1)?.map(\.scope) == [.storesUnlisted])
        #expect(try await names(of: id) == ["new", "new", "new"])
    }

    @Test func changeThatIsFlushedAfterALargeTransactionWins() async throws {
        file.second.cache.set(Author(id: id, name: "second"))
        file.first.cache.set(contentsOf: authors("first"))
        try await file.first.graph.flush()
        #expect(try await names(of: id) == ["second", "second", "second"])
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

    // The changed row is deleted as if by the limit. A transaction that doesn't list its rows
    // restores the earlier one, and a load replaces the time of its last use.
    @Test(arguments: [false, true])
    func rowsRestoredByALargeTransactionReplaceNoValue(isFollowedByAnother: Bool) async throws {
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
        #expect(try file.folder.log().records(after: 2)?.map(\.scope) == [.restores])
        let cache = Cache(configuration: CacheConfiguration(clock: file.clock))
        try await third.attach(to: cache)
        #expect(try await third.load(Author.self, id: id)?.name == "earlier")
        try await third.flush()
        if isFollowedByAnother {
            cache.set(contentsOf: authors("later").filter { $0.id != id })
            try await third.flush()
            #expect(try file.folder.log().records(after: 3)?.map(\.scope) == [.storesUnlisted])
        }
        try await second.graph.resume()
        #expect(second.cache[Author.self, id]?.name == "changed")
    }

    @Test func largeRemovalIsImported() async throws {
        file.first.cache.set(contentsOf: authors("old"))
        try await file.synchronize()
        file.second.cache.set(Author(id: id(8), name: "changed"))
        file.second.cache.set(Author(id: "added", name: "added"))
        wait()
        for author in authors("") { file.first.cache.remove(Author.self, id: author.id) }
        try await file.first.graph.flush()
        let scope = try file.folder.log().records(after: 1)?.last?.scope
        #expect(scope == [.storesUnlisted, .removesUnlisted])
        #expect(try await names(of: id) == [nil, nil, nil])
        #expect(try await names(of: "added") == ["added", "added", "added"])
        #expect(try await names(of: id(8)) == ["changed", "changed", "changed"])
    }

    @Test func changesThatAreFlushedAfterALongSuspensionWin() async throws {
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
            sizeLimit: 1_000_000
        )
        #expect(try file.folder.log().records(after: 1) == nil)
        try await file.second.graph.resume()
        for id in ["1", "2"] {
            #expect(try await names(of: id) == ["earlier", "earlier", "earlier"])
        }
        #expect(try await names(of: "3") == ["third", "third", "third"])
    }
}
