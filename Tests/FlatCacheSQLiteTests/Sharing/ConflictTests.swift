import FlatCache
import FlatCacheTesting
import Foundation
import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

/// Tests of changes that two graphs make to one entity before either of them sees the other's.
struct ConflictTests {
    private let file: SharedFile

    init() async throws {
        file = try await SharedFile()
    }

    private func set(_ title: String, in side: SharedFile.Side) {
        side.cache.set(Book(id: 1, title: title))
        file.clock.advance(by: .seconds(1))
    }

    /// Flushes the graphs in turns until both have seen everything, and expects one value of both
    /// caches and the file.
    private func expectTitle(_ title: String?) async throws {
        for side in [file.second, file.first, file.second] { try await side.graph.flush() }
        #expect(file.first.cache.get(Book.self, id: 1)?.title == title)
        #expect(file.second.cache.get(Book.self, id: 1)?.title == title)
        let other = try file.folder.graph()
        #expect(try await other.load(Book.self, id: 1)?.title == title)
    }

    @Test func laterCommitWinsOverAnEarlierTransaction() async throws {
        set("first", in: file.first)
        try await file.first.graph.flush()
        set("second", in: file.second)
        try await expectTitle("second")
    }

    @Test func earlierCommitLosesThoughItIsWrittenLater() async throws {
        set("second", in: file.second)
        set("first", in: file.first)
        try await file.first.graph.flush()
        try await expectTitle("first")
        // The losing change isn't written.
        #expect(try file.latestNumber == 1)
    }

    @Test func removalAndChangeAreComparedByTime() async throws {
        set("old", in: file.first)
        try await file.synchronize()
        file.second.cache.remove(Book.self, id: 1)
        file.clock.advance(by: .seconds(1))
        set("new", in: file.first)
        try await file.first.graph.flush()
        try await expectTitle("new")
        set("newer", in: file.second)
        file.first.cache.remove(Book.self, id: 1)
        try await file.first.graph.flush()
        try await expectTitle(nil)
        set("kept", in: file.first)
        try await file.synchronize()
        file.first.cache.remove(Book.self, id: 1)
        file.clock.advance(by: .seconds(1))
        set("newest", in: file.second)
        try await file.first.graph.flush()
        try await expectTitle("newest")
    }

    @Test func laterInvalidationIsALaterChangeOfTheRow() async throws {
        set("old", in: file.first)
        try await file.synchronize()
        set("edit", in: file.second)
        file.first.cache.invalidate(Book.self, id: 1)
        try await file.first.graph.flush()
        try await expectTitle("old")
        #expect(file.second.cache.freshness(of: Book.self, id: 1).isStale)
    }

    @Test func laterInvalidationKeepsAWrittenChange() async throws {
        set("old", in: file.first)
        try await file.synchronize()
        set("edit", in: file.second)
        file.first.cache.invalidate(Book.self, id: 1)
        try await expectTitle("edit")
        for side in [file.first, file.second] {
            #expect(side.cache.freshness(of: Book.self, id: 1).isStale)
        }
        #expect(try file.folder.run("SELECT stale IS NOT NULL FROM book") == ["1"])
    }

    @Test func changeOutlivesAnEarlierInvalidation() async throws {
        set("old", in: file.first)
        try await file.synchronize()
        file.first.cache.invalidate(Book.self, id: 1)
        file.clock.advance(by: .seconds(1))
        set("edit", in: file.second)
        try await file.first.graph.flush()
        try await expectTitle("edit")
        #expect(file.first.cache.freshness(of: Book.self, id: 1).isFresh)
    }

    @Test func changeWithALaterStampOutlivesALaterInvalidation() async throws {
        file.first.cache.set(Profile(id: 1, name: "old", email: nil), modifiedAt: 1)
        try await file.synchronize()
        #expect(try await file.second.graph.load(Profile.self, id: 1) != nil)
        file.second.cache.set(Profile(id: 1, name: "edit", email: nil), modifiedAt: 2)
        file.clock.advance(by: .seconds(1))
        file.first.cache.invalidate(Profile.self, id: 1)
        try await file.synchronize()
        try await file.first.graph.flush()
        for side in [file.first, file.second] {
            #expect(side.cache.get(Profile.self, id: 1)?.name == "edit")
        }
    }

    @Test func removalOfATypeSparesLaterChanges() async throws {
        set("old", in: file.first)
        file.first.cache.set(Book(id: 2, title: "old"))
        try await file.synchronize()
        file.first.cache.removeAll(Book.self)
        file.clock.advance(by: .seconds(1))
        set("new", in: file.second)
        try await file.first.graph.flush()
        try await expectTitle("new")
        #expect(file.second.cache.ids(of: Book.self) == [1])
    }

    @Test func commitsOfOneTimeAreOrderedByTheirGraphs() async throws {
        for (side, title) in [(file.first, "first"), (file.second, "second")] {
            side.cache.set(Book(id: 1, title: title))
        }
        try await file.first.graph.flush()
        let (first, second) = (file.first.graph.writer, file.second.graph.writer)
        try await expectTitle(first > second ? "first" : "second")
    }

    @Test func laterStampWinsOverALaterCommit() async throws {
        file.first.cache.set(Profile(id: 1, name: "first", email: nil), modifiedAt: 9)
        file.clock.advance(by: .seconds(1))
        file.second.cache.set(Profile(id: 1, name: "second", email: "mail"), modifiedAt: 8)
        try await file.first.graph.flush()
        try await file.second.graph.flush()
        let expected = Profile(id: 1, name: "first", email: "mail")
        #expect(file.second.cache.get(Profile.self, id: 1) == expected)
        try await file.first.graph.flush()
        #expect(file.first.cache.get(Profile.self, id: 1) == expected)
    }

    @Test func partialValuesOfBothGraphsAreMerged() async throws {
        file.first.cache.set(Profile(id: 1, name: "first", email: nil))
        file.clock.advance(by: .seconds(1))
        file.second.cache.set(Profile(id: 1, name: nil, email: "second"))
        file.clock.advance(by: .seconds(1))
        file.first.cache.set(Profile(id: 2, name: "first", email: nil))
        try await file.synchronize()
        try await file.first.graph.flush()
        let expected = Profile(id: 1, name: "first", email: "second")
        #expect(file.second.cache.get(Profile.self, id: 1) == expected)
        #expect(file.first.cache.get(Profile.self, id: 1) == expected)
    }

    @Test func rowOfAMergedRecordKeepsItsTime() async throws {
        try await file.second.graph.suspend()
        set("first", in: file.first)
        try await file.first.graph.flush()
        set("second", in: file.second)
        file.first.cache.set(Book(id: 2, title: "other"))
        try await file.first.graph.flush()
        file.clock.advance(by: .seconds(100))
        try file.folder.log().shorten(
            at: WallTime(file.clock.wallClock()),
            listLimit: 1_000
        )
        #expect(try file.folder.log().records(after: 0)?.map(\.mark.number) == [2])
        try await file.second.graph.resume()
        try await expectTitle("second")
    }

    @Test func rowWithoutARecordIsComparedByItsAge() async throws {
        for (title, isOtherLater) in [("second", false), ("first", true)] {
            try await file.second.graph.suspend()
            if isOtherLater { set("second", in: file.second) }
            set("first", in: file.first)
            if !isOtherLater { set("second", in: file.second) }
            try await file.first.graph.flush()
            // A process that was away for more than seven days reads all rows.
            try file.folder.log().shorten(
                at: WallTime(milliseconds: 1_000 * 86_400_000),
                listLimit: 1_000
            )
            try await file.second.graph.resume()
            try await expectTitle(title)
        }
    }

    /// A graph doesn't lock the file while it encodes its changes.
    @Test func transactionDuringTheEncodingIsImportedBeforeTheWrite() async throws {
        let file = try await SharedFile {
            Durable(Book.self, "book", load: .atStart)
            Durable(EncodedNote.self, "note")
        }
        let (first, second) = (file.first, file.second)
        let books = [Book(id: 1, title: "later"), Book(id: 2, title: "other")]
        await file.stopWatching()
        first.cache.set(Book(id: 1, title: "earlier"))
        first.cache.set(EncodedNote(id: 300))
        file.clock.advance(by: .seconds(1))
        second.cache.set(contentsOf: books)
        let isEncoding = Signal()
        let mayWrite = Signal()
        defer { mayWrite.fire() }
        EncodedNote.onEncoding(of: 300) {
            isEncoding.fire()
            #expect(mayWrite.wait())
        }
        let flush = Task { try await first.graph.flush() }
        #expect(await until { isEncoding.isFired })
        try await second.graph.flush()
        mayWrite.fire()
        try await flush.value
        #expect(first.cache.values(of: Book.self).sorted { $0.id < $1.id } == books)
        #expect(try file.folder.run("SELECT id FROM note") == ["300"])
        try await file.expectAgreement(books)
    }

    @Test(
        "Last changes of a cache lose to later commits",
        arguments: [true, false],
        [true, false]
    )
    func lastChanges(isRecorded: Bool, isStamped: Bool) async throws {
        var configuration = CacheConfiguration(clock: file.clock)
        configuration.limit(Author.self, .unlimited, staleAfter: .seconds(1_000))
        var cache: Cache? = Cache(configuration: configuration)
        let clock = file.clock
        let types = {
            let durable = Durable(Author.self, "author")
            return isStamped ? durable.stamps(of: Int.self) : durable
        }
        let graph = try file.folder.graph(wallClock: clock.wallClock) { types() }
        let other = try file.folder.graph(wallClock: clock.wallClock) { types() }
        let otherCache = Cache(configuration: configuration)
        try await graph.attach(to: #require(cache))
        try await other.attach(to: otherCache)
        // A suspended graph doesn't import the other one's transaction before the cache ends.
        try await graph.suspend()
        cache?.set(Author(id: "1", name: "earlier"))
        cache?.set(Author(id: "2", name: "only"))
        file.clock.advance(by: .seconds(1))
        otherCache.set(Author(id: "1", name: "later"))
        try await other.flush()
        if !isRecorded {
            try file.folder.log().shorten(
                at: WallTime(milliseconds: 1_000 * 86_400_000),
                listLimit: 1_000
            )
        }
        cache = nil
        #expect(await untilDetached(graph))
        try await graph.resume()
        #expect(try await graph.load(Author.self, id: "1")?.name == "later")
        #expect(try await graph.load(Author.self, id: "2")?.name == "only")
    }

    @Test func lastChangesThatAreWrittenLateKeepTheirTime() async throws {
        let clock = file.clock
        let other = try Database(path: file.folder.url.path, lockTimeout: .zero)
        var cache: Cache? = Cache(configuration: CacheConfiguration(clock: clock))
        let graph = try file.folder.graph(
            lockTimeout: .zero,
            wallClock: clock.wallClock,
            { Durable(Author.self, "author") }
        )
        try await graph.attach(to: #require(cache))
        try other.execute("BEGIN IMMEDIATE")
        cache?.set(Author(id: "1", name: "earlier"))
        clock.advance(by: .seconds(1))
        cache = nil
        #expect(await until { file.folder.errors.count > 0 })
        // Another process writes a later change before the graph can write its last ones.
        clock.advance(by: .seconds(10))
        var later: [UInt8] = []
        try CompactRowCoder().encode(Author(id: "1", name: "later"), into: &later)
        let insert = try other.statement(
            "INSERT INTO author (id, value, used) VALUES ('1', ?, 6000)"
        )
        insert.bind(later, at: 1)
        try insert.run()
        let log = TransactionLog(database: other)
        let time = WallTime(milliseconds: 6_000)
        try log.append(
            TransactionRecord(
                mark: TransactionMark(number: try log.latest() + 1, time: time, writer: 1),
                type: "author",
                written: time,
                stored: [.text("1")],
                removed: []
            )
        )
        try other.execute("COMMIT")
        try await graph.flush()
        #expect(try await graph.load(Author.self, id: "1")?.name == "later")
    }
}
