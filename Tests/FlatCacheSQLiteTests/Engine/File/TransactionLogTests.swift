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

    @Test func recordsOfSeveralTransactionsAreCombined() throws {
        _ = try folder.graph()
        try append(1, days: 10, stored: [1, 2])
        try append(2, days: 10, removed: [3])
        try append(3, days: 10, scope: .restores)
        try append(4, days: 10, stored: [4], removed: [2])
        let changes = ChangesOfOthers(try #require(try records(after: 0)), of: "book")
        #expect(changes.stored == [.number(1), .number(4)])
        #expect(changes.removed == [.number(2), .number(3)])
        #expect(changes.scope.isEmpty)
    }

    @Test func removedPrefixesConcernEarlierRows() throws {
        _ = try folder.graph()
        let append = { [folder] (number: Int64, stored: [String], prefixes: [String]) in
            try folder.log().append(
                TransactionRecord(
                    number: number,
                    token: number,
                    type: "list",
                    written: WallTime(milliseconds: 10 * 86_400_000),
                    stored: stored.map { .text($0) },
                    removedPrefixes: prefixes
                )
            )
        }
        try append(1, ["a1", "b1", "c1"], [])
        try append(2, ["a2"], ["a", "c"])
        try append(3, ["b2"], [])
        try append(4, [], ["c1"])
        let changes = ChangesOfOthers(try #require(try records(after: 0)), of: "list")
        #expect(changes.removedPrefixes == ["a", "c", "c1"])
        #expect(changes.stored == [.text("a2"), .text("b1"), .text("b2")])
        for (name, isRemoved) in [("a1", true), ("c1", true), ("c2", true), ("d", false)] {
            #expect(changes.removes(.text(name)) == isRemoved)
        }
    }

    @Test func listOfRemovedRowsIsKeptIfItFits() throws {
        let record = TransactionRecord(
            number: 1,
            token: 1,
            type: "book",
            written: WallTime(milliseconds: 0),
            stored: [1, 5, 9].map { .number($0) },
            removed: [.number(3)]
        )
        #expect(record.limited(toBytes: 32).stored == record.stored)
        let limited = record.limited(toBytes: 31)
        #expect(limited.scope == .storesUnlisted)
        #expect(limited.stored.isEmpty)
        #expect(limited.removed == [.number(3)])
        let short = limited.limited(toBytes: 7)
        #expect(short.scope == [.storesUnlisted, .removesUnlisted])
        #expect(short.removed.isEmpty)
    }

    @Test func damagedListsMakeTheLogIncomplete() throws {
        _ = try folder.graph()
        for number in 1...2 { try append(Int64(number), days: 10, stored: [1]) }
        try folder.run("UPDATE flatcache_log SET lists = x'FF00' WHERE number = 2")
        let left = try folder.log().recordsLeft(after: 0)
        #expect(!left.isComplete)
        #expect(left.records.map(\.number) == [1])
    }

    @Test func earliestRecordsOfALongLogAreDeleted() throws {
        _ = try folder.graph()
        for number in 1...9 {
            try append(Int64(number), days: 10, stored: (0..<100).map { 1_000 * $0 })
        }
        let size = try #require(Int(try folder.run("SELECT length(lists) FROM flatcache_log")[0]))
        let now = WallTime(milliseconds: 10 * 86_400_000)
        try folder.log().shorten(at: now, sizeLimit: 9 * size)
        #expect(try records(after: 0)?.count == 9)
        try folder.log().shorten(at: now, sizeLimit: 4 * size)
        #expect(try records(after: 4) == nil)
        #expect(try records(after: 5)?.map(\.number) == [6, 7, 8, 9])
        #expect(try folder.log().latest() == 9)
    }

    @Test func recordsAreKeptForSevenDays() throws {
        _ = try folder.graph()
        for number in 1...9 { try append(Int64(number), days: Int64(number), removed: [7]) }
        try folder.log().shorten(
            at: WallTime(milliseconds: 10 * 86_400_000 - 1),
            sizeLimit: 1_000_000
        )
        #expect(try records(after: 1) == nil)
        #expect(try records(after: 2)?.map(\.number) == Array(3...9))
        #expect(try folder.log().latest() == 9)
        // A log from which everything was deleted still knows the latest number.
        try folder.log().shorten(
            at: WallTime(milliseconds: 1_000 * 86_400_000),
            sizeLimit: 1_000_000
        )
        #expect(try folder.log().latest() == 9)
        #expect(try records(after: 8) == nil)
        #expect(try records(after: 9)?.count == 0)
    }
}
