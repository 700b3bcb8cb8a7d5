import FlatCache
import Foundation
import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

struct TransactionLogTests {
    private let folder: GraphFolder
    private let cache = Cache()

    init() throws {
        folder = try GraphFolder()
    }

    private func records(after number: Int64) throws -> [TransactionRecord]? {
        try folder.log().records(after: number)
    }

    @Test func eachTransactionIsRecordedWithItsRows() async throws {
        let graph = try folder.graph()
        try await graph.attach(to: cache)
        cache.set(contentsOf: [Book(id: 2, title: "b"), Book(id: 1, title: "a")])
        cache.set(Author(id: "x", name: "X"))
        try await graph.flush()
        cache.remove(Book.self, id: 1)
        try await graph.flush()
        // Without changes, there's no transaction.
        try await graph.flush()
        let all = try #require(try records(after: 0))
        #expect(all.map(\.number) == [1, 1, 2])
        #expect(all.map(\.type) == ["author", "book", "book"])
        #expect(all.map(\.stored) == [[.text("x")], [.number(1), .number(2)], []])
        #expect(all.map(\.removed) == [[], [], [.number(1)]])
        #expect(Set(all.map(\.token)).count == 2)
        #expect(try records(after: 1)?.count == 1)
        #expect(try records(after: 2)?.count == 0)
    }

    @Test func removalOfATypeIsRecordedWithoutItsRows() async throws {
        let graph = try folder.graph()
        try await graph.attach(to: cache)
        cache.set(Book(id: 1, title: "a"))
        try await graph.flush()
        cache.removeAll(Book.self)
        cache.set(Book(id: 2, title: "b"))
        try await graph.flush()
        let record = try #require(try records(after: 1)?.first)
        #expect(record.scope == .removesAll)
        #expect(record.stored == [.number(2)])
        #expect(record.removed == [])
        cache.invalidate(Book.self)
        try await graph.flush()
        #expect(try records(after: 2)?.first?.scope == .storesUnlisted)
    }

    private func append(
        _ number: Int64,
        days: Int64,
        stored: [Int64] = [],
        removed: [Int64] = [],
        scope: TransactionRecord.Scope = []
    ) throws {
        let time = WallTime(milliseconds: days * 86_400_000)
        try folder.log().append(
            TransactionRecord(
                number: number,
                token: number,
                type: "book",
                written: time,
                scope: scope,
                stored: stored.map { .number($0) },
                removed: removed.map { .number($0) }
            )
        )
    }

    @Test func recordsOfADayAreMerged() throws {
        _ = try folder.graph()
        try append(1, days: 10, stored: [1, 2])
        try append(2, days: 10, stored: [3], removed: [1])
        try append(3, days: 11, stored: [1])
        try append(4, days: 11, removed: [3], scope: .removesAll)
        try append(5, days: 12, stored: [9])
        try folder.log().shorten(
            at: WallTime(milliseconds: 12 * 86_400_000 + 1),
            listLimit: 1_000
        )
        let merged = try #require(try records(after: 0))
        #expect(merged.map(\.number) == [2, 4, 5])
        #expect(merged.map(\.stored) == [[.number(2), .number(3)], [], [.number(9)]])
        #expect(merged.map(\.removed) == [[.number(1)], [.number(3)], []])
        #expect(merged.map(\.scope) == [[], .removesAll, []])
        try folder.log().shorten(at: WallTime(milliseconds: 13 * 86_400_000), listLimit: 1)
        #expect(try records(after: 4)?.first?.scope == [])
    }

    @Test func recordOfRestoredRowsStaysApart() throws {
        _ = try folder.graph()
        try append(1, days: 10, stored: [1, 2])
        try append(2, days: 10, removed: [3])
        try append(3, days: 10, stored: [2, 3, 4], scope: .restores)
        try append(4, days: 10, stored: [4])
        try folder.log().shorten(at: WallTime(milliseconds: 11 * 86_400_000), listLimit: 99)
        let records = try #require(try records(after: 0))
        #expect(records.map(\.number) == [2, 3, 4])
        let changes = ChangesOfOthers(records, of: "book")
        #expect(changes.stored == [.number(1), .number(2), .number(4)])
        #expect(changes.restored == [.number(2), .number(3)])
        #expect(changes.removed.isEmpty)
    }

    @Test func mergedRecordKeepsTheRemovedPrefixes() throws {
        _ = try folder.graph()
        let append = { [folder] (number: Int64, stored: [String], prefixes: [String]) in
            let time = WallTime(milliseconds: 10 * 86_400_000)
            try folder.log().append(
                TransactionRecord(
                    number: number,
                    token: number,
                    type: "list",
                    written: time,
                    stored: stored.map { .text($0) },
                    removed: [],
                    removedPrefixes: prefixes
                )
            )
        }
        try append(1, ["a1", "b1", "c1"], [])
        try append(2, ["a2"], ["a", "c"])
        try append(3, ["b2"], [])
        try append(4, [], ["c1"])
        try folder.log().shorten(at: WallTime(milliseconds: 11 * 86_400_000), listLimit: 99)
        let records = try #require(try records(after: 0))
        #expect(records.count == 1)
        let changes = ChangesOfOthers(records, of: "list")
        #expect(changes.removedPrefixes == ["a", "c", "c1"])
        #expect(changes.stored == [.text("a2"), .text("b1"), .text("b2")])
        for (name, isRemoved) in [("a1", true), ("c1", true), ("c2", true), ("d", false)] {
            #expect(changes.removesList(.text(name)) == isRemoved)
        }
    }

    @Test func recordsOfADayInBetweenAreNotMerged() throws {
        _ = try folder.graph()
        try append(1, days: 11, stored: [1])
        // The wall clock was set back.
        try append(2, days: 10, removed: [1])
        try append(3, days: 11, stored: [2])
        try folder.log().shorten(at: WallTime(milliseconds: 12 * 86_400_000), listLimit: 1_000)
        let records = try #require(try records(after: 0))
        #expect(records.map(\.number) == [1, 2, 3])
        let changes = ChangesOfOthers(records, of: "book")
        #expect(changes.removed == [.number(1)])
    }

    @Test func listOfRemovedRowsIsKeptIfItFits() throws {
        _ = try folder.graph()
        try append(1, days: 10, stored: [1, 5, 9, 13, 17], removed: [3])
        try append(2, days: 10, stored: [20])
        try folder.log().shorten(at: WallTime(milliseconds: 11 * 86_400_000), listLimit: 15)
        let merged = try #require(try records(after: 0)?.first)
        #expect(merged.scope == .storesUnlisted)
        #expect(merged.removed == [.number(3)])
        let short = merged.limited(toBytes: 2)
        #expect(short.scope == [.storesUnlisted, .removesUnlisted])
        #expect(short.removed.isEmpty)
    }

    @Test func recordWithoutItsListsStandsForAllRows() throws {
        _ = try folder.graph()
        for number in 1...2 { try append(Int64(number), days: 10, stored: [1, 2]) }
        try folder.log().shorten(at: WallTime(milliseconds: 11 * 86_400_000), listLimit: 2)
        let merged = try #require(try records(after: 0))
        #expect(merged.map(\.scope) == [.storesUnlisted])
        #expect(merged.map(\.stored) == [[]])
    }

    @Test func recordsAreKeptForSevenDays() throws {
        _ = try folder.graph()
        for number in 1...9 { try append(Int64(number), days: Int64(number), removed: [7]) }
        try folder.log().shorten(
            at: WallTime(milliseconds: 10 * 86_400_000 - 1),
            listLimit: 1_000
        )
        #expect(try records(after: 1) == nil)
        #expect(try records(after: 2)?.map(\.number) == Array(3...9))
        #expect(try folder.log().latest() == 9)
        // A log from which everything was deleted still knows the latest number.
        try folder.log().shorten(at: WallTime(milliseconds: 1_000 * 86_400_000), listLimit: 1)
        #expect(try folder.log().latest() == 9)
        #expect(try records(after: 8) == nil)
        #expect(try records(after: 9)?.count == 0)
    }

    @Test func fileOfTheFirstFormatGetsALog() async throws {
        try await folder.graph().attach(to: cache)
        try folder.run("DROP TABLE flatcache_log")
        try folder.run("PRAGMA user_version = 1")
        _ = try folder.graph()
        #expect(try records(after: 0)?.count == 0)
        #expect(try folder.run("PRAGMA user_version") == ["6"])
        #expect(try folder.run("SELECT count(*) FROM flatcache_syncs") == ["1"])
    }

    @Test func fileOfTheSecondFormatKeepsItsLog() async throws {
        let graph = try folder.graph()
        try await graph.attach(to: cache)
        for id in 1...3 {
            cache.set(Book(id: id, title: "a"))
            try await graph.flush()
        }
        try await graph.detach()
        try folder.run("ALTER TABLE flatcache_log DROP COLUMN marks")
        try folder.run("PRAGMA user_version = 2")
        _ = try folder.graph()
        #expect(try folder.run("PRAGMA user_version") == ["6"])
        #expect(try records(after: 1)?.map(\.number) == [2, 3])
        // A process that knows only the second format goes on.
        try folder.run(
            """
            INSERT INTO flatcache_log (number, type, written, time, writer, scope, stored, removed)
            VALUES (4, 'book', 0, 0, 0, 0, x'', x'')
            """
        )
        #expect(try records(after: 3)?.count == 1)
    }

    @Test func fileOfTheThirdFormatGetsAnIdentityOnce() async throws {
        _ = try folder.graph()
        try folder.run("DROP TABLE flatcache_identity")
        try folder.run("PRAGMA user_version = 3")
        let former = try folder.graph()
        let identity = try folder.run("SELECT number FROM flatcache_identity")
        #expect(identity.count == 1)
        _ = try folder.graph()
        // A graph that has opened the file before goes on.
        try await former.attach(to: cache)
        cache.set(Book(id: 1, title: "a"))
        try await former.flush()
        #expect(try folder.run("SELECT number FROM flatcache_identity") == identity)
        #expect(try folder.run("SELECT count(*) FROM book") == ["1"])
    }

    @Test func logOfTheFifthFormatGetsAColumn() async throws {
        let graph = try folder.graph()
        try await graph.attach(to: cache)
        cache.set(Book(id: 1, title: "a"))
        try await graph.detach()
        try folder.run("ALTER TABLE flatcache_log DROP COLUMN prefixes")
        try folder.run("PRAGMA user_version = 5")
        _ = try folder.graph()
        #expect(try folder.run("PRAGMA user_version") == ["6"])
        #expect(try records(after: 0)?.map(\.removedPrefixes) == [[]])
    }
}
