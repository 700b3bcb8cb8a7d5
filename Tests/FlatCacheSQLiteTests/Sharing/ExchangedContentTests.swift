import FlatCache
import FlatCacheTesting
import Foundation
import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

/// Tests of a shared file whose content is exchanged, as by SQLite's backup interface.
struct ExchangedContentTests {
    private let file: SharedFile

    init() async throws {
        file = try await SharedFile()
    }

    private func book(_ id: Int, _ title: String) -> Book { Book(id: id, title: title) }

    private var copyPath: String { file.folder.url.path + "-copy" }

    /// Exchanges the content of the open file for the copy's content.
    private func restoreCopy() throws {
        try file.folder.exchangeContent(for: copyPath, ["book", "profile"])
    }

    /// Writes two books, changes the first one, and exchanges the content for a copy from before
    /// the change.
    private func exchangeAfterAChange() async throws {
        let cache = file.first.cache
        cache.set(contentsOf: [book(1, "old"), book(2, "old")])
        try await file.synchronize()
        try file.folder.run("VACUUM INTO '\(copyPath)'")
        file.clock.advance(by: .seconds(1))
        cache.set(book(1, "new"))
        try await file.synchronize()
        await file.stopWatching()
        file.clock.advance(by: .seconds(1))
        try restoreCopy()
    }

    @Test(arguments: 0...2)
    func contentThatWasExchangedIsNoticed(laterTransactions: Int) async throws {
        try await exchangeAfterAChange()
        let third = try file.folder.graph(wallClock: file.clock.wallClock) {
            Durable(Book.self, "book", load: .atStart)
        }
        let other = Cache()
        try await third.attach(to: other)
        if laterTransactions > 0 {
            other.set(book(2, "third"))
            try await third.flush()
        }
        if laterTransactions > 1 {
            other.set(book(3, "third"))
            try await third.flush()
        }
        let last = laterTransactions > 1 ? [book(3, "third")] : []
        // The memory of the graph that notices the other content wins over an edit in between.
        try await file.expectAgreement([book(1, "new"), book(2, "old")] + last)
        try await third.flush()
        #expect(other[Book.self, 1] == book(1, "new"))
        #expect(file.folder.errors.all.contains { $0.kind == .lostFile })
    }

    @Test(
        "Content that another graph has changed after the exchange is noticed",
        arguments: [false, true]
    )
    func numberThatTheExchangedContentLacks(isSuspended: Bool) async throws {
        let (first, second) = (file.first.cache, file.second.cache)
        first.set(contentsOf: [book(1, "old"), book(2, "old"), book(3, "old")])
        try await file.synchronize()
        try file.folder.run("VACUUM INTO '\(copyPath)'")
        file.clock.advance(by: .seconds(1))
        first.set(book(1, "new"))
        second.set(Profile(id: 1, name: "new", email: nil))
        try await file.second.graph.flush()
        try await file.synchronize()
        await file.stopWatching()
        file.clock.advance(by: .seconds(1))
        if isSuspended { try await file.second.graph.suspend() }
        try restoreCopy()
        first.set(book(2, "edited"))
        file.clock.advance(by: .seconds(1))
        try await file.first.graph.flush()
        second.set(book(3, "edited"))
        file.clock.advance(by: .seconds(1))
        try await file.second.graph.resume()
        try await file.second.graph.flush()
        #expect(file.folder.errors.all.count { $0.kind == .lostFile } == 2)
        #expect(try file.folder.run("SELECT count(*) FROM profile") == ["1"])
        try await file.expectAgreement([book(1, "new"), book(2, "old"), book(3, "edited")])
        #expect(file.folder.errors.all.count { $0.kind == .lostFile } == 2)
    }

    @Test func exchangedContentWithOtherColumnsIsNoticed() async throws {
        file.first.cache.set(book(1, "one"))
        try await file.synchronize()
        await file.stopWatching()
        try file.folder.run("UPDATE flatcache_identity SET number = number + 1")
        try file.folder.run("ALTER TABLE flatcache_log RENAME COLUMN number TO position")
        file.first.cache.set(book(2, "two"))
        try await file.first.graph.flush()
        #expect(file.folder.errors.all.map(\.kind) == [.corrupt, .lostFile])
        try await file.expectAgreement([book(1, "one"), book(2, "two")])
    }

    @Test func readOfExchangedContentHidesNoTransactions() async throws {
        try await exchangeAfterAChange()
        _ = try await file.second.graph.load(Profile.self, id: 1)
        try await file.first.graph.flush()
        _ = try await file.second.graph.load(Profile.self, id: 1)
        try await file.expectAgreement([book(1, "new"), book(2, "old")])
    }

    @Test(arguments: [false, true])
    func secondExchangeForOneCopyIsNoticed(isSuspended: Bool) async throws {
        let (first, second) = (file.first, file.second)
        first.cache.set(book(1, "old"))
        try await file.synchronize()
        try file.folder.run("VACUUM INTO '\(copyPath)'")
        await file.stopWatching()
        file.clock.advance(by: .seconds(1))
        second.cache.set(Profile(id: 2, name: "second", email: nil))
        try await second.graph.flush()
        try await first.graph.flush()
        if isSuspended { try await second.graph.suspend() }
        for title in ["third", "fourth"] {
            try restoreCopy()
            file.clock.advance(by: .seconds(1))
            first.cache.set(book(3, title))
            try await first.graph.flush()
        }
        file.clock.advance(by: .seconds(1))
        try await second.graph.resume()
        try await second.graph.flush()
        #expect(try file.folder.run("SELECT id FROM profile") == ["2"])
        try await file.expectAgreement([book(1, "old"), book(3, "fourth")])
    }

    @Test(arguments: [false, true], [false, true])
    func laterChangesOfAGraphWithoutCacheAreNoticed(
        isAttachedAgain: Bool,
        failsOnce: Bool
    ) async throws {
        let clock = file.clock
        let second = file.second
        var cache: Cache? = Cache(configuration: CacheConfiguration(clock: clock))
        let graph = try file.folder.graph(
            wallClock: clock.wallClock
        ) {
            Durable(Book.self, "book", load: .atStart)
        }
        try await graph.attach(to: #require(cache))
        cache?.set(book(1, "old"))
        try await graph.flush()
        try file.folder.run("VACUUM INTO '\(copyPath)'")
        await file.stopWatching()
        clock.advance(by: .seconds(1))
        cache?.set(book(2, "shared"))
        try await graph.flush()
        try await second.graph.flush()
        var next: Cache?
        if isAttachedAgain {
            cache = nil
            try await graph.detach()
            try restoreCopy()
            next = Cache(configuration: CacheConfiguration(clock: clock))
            try await graph.attach(to: #require(next))
            next?.set(book(3, "last"))
        } else {
            try restoreCopy()
            clock.advance(by: .seconds(1))
            cache?.set(book(3, "last"))
            if failsOnce {
                let trigger = "BEFORE INSERT ON flatcache_log BEGIN SELECT RAISE(ABORT, ''); END"
                try file.folder.run("CREATE TRIGGER failure \(trigger)")
            }
            cache = nil
            if failsOnce {
                await #expect(throws: SQLiteGraphError.self) { try await graph.flush() }
                try file.folder.run("DROP TRIGGER failure")
            }
        }
        clock.advance(by: .seconds(1))
        try await graph.flush()
        clock.advance(by: .seconds(1))
        second.cache.set(book(4, "new"))
        try await file.expectAgreement(
            [book(1, "old"), book(2, "shared"), book(3, "last"), book(4, "new")]
        )
        withExtendedLifetime(next) {}
    }

    /// Moves the row of the book `7` to the quarantine, and makes the copy.
    private func quarantineRow() async throws {
        file.first.cache.set(contentsOf: [book(1, "old"), book(7, "old")])
        try await file.synchronize()
        let row = "'book', id, value, 1, '', 0 FROM book WHERE id = 7"
        try file.folder.run("INSERT INTO flatcache_quarantine SELECT \(row)")
        try file.folder.run("DELETE FROM book WHERE id = 7")
        try file.folder.run("VACUUM INTO '\(copyPath)'")
        await file.stopWatching()
        file.clock.advance(by: .seconds(1))
    }

    @Test(arguments: [false, true])
    func restoringQuarantinedRowsHidesNoExchange(isDetached: Bool) async throws {
        try await quarantineRow()
        let (first, second) = (file.first, file.second)
        second.cache.set(Profile(id: 2, name: "second", email: nil))
        try await second.graph.flush()
        first.cache.set(book(2, "new"))
        try await file.synchronize()
        file.clock.advance(by: .seconds(1))
        if isDetached { try await first.graph.detach() }
        try restoreCopy()
        #expect(try await first.graph.restoreQuarantinedRows() == 1)
        file.clock.advance(by: .seconds(1))
        // Each graph notices the exchange and writes its entities.
        for graph in [second.graph, first.graph, second.graph] { try await graph.flush() }
        #expect(try file.folder.run("SELECT id FROM book") == ["1", "2", "7"])
        #expect(try file.folder.run("SELECT id FROM profile") == ["2"])
        #expect(second.cache[Book.self, 7]?.title == "old")
    }

    @Test func numberOfARestoringTransactionIsNotUsedAgain() async throws {
        try await quarantineRow()
        let third = try file.folder.graph(wallClock: file.clock.wallClock) {
            Durable(Book.self, "book", load: .atStart)
        }
        #expect(try await third.restoreQuarantinedRows() == 1)
        try await file.synchronize()
        file.clock.advance(by: .seconds(1))
        try restoreCopy()
        let cache = Cache(configuration: CacheConfiguration(clock: file.clock))
        try await third.attach(to: cache)
        cache.set(book(3, "third"))
        try await third.flush()
        file.clock.advance(by: .seconds(1))
        try await file.synchronize()
        #expect(file.first.cache[Book.self, 3]?.title == "third")
        #expect(file.second.cache[Book.self, 3]?.title == "third")
    }

    @Test(arguments: ["", " AND name = 'book'"])
    func contentThatLacksTablesIsNoticed(condition: String) async throws {
        let first = file.first.cache
        first.set(book(1, "old"))
        try await file.synchronize()
        await file.stopWatching()
        let tables = "SELECT name FROM sqlite_schema WHERE type = 'table'\(condition)"
        let names = try file.folder.run(tables)
        let database = try Database(path: file.folder.url.path, lockTimeout: .seconds(1))
        try database.transaction { () throws(SQLiteGraphError) in
            for name in names { try database.execute("DROP TABLE \(name)") }
        }
        first.set(book(2, "new"))
        file.clock.advance(by: .seconds(1))
        try await file.first.graph.flush()
        try await file.expectAgreement([book(1, "old"), book(2, "new")])
    }
}
