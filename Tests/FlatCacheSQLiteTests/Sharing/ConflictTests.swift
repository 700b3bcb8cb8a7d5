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

    @Test func laterFlushWins() async throws {
        set("second", in: file.second)
        set("first", in: file.first)
        try await file.first.graph.flush()
        try await expectTitle("second")
    }

    @Test func laterFlushWinsAfterALongSuspension() async throws {
        set("old", in: file.first)
        try await file.synchronize()
        try await file.second.graph.suspend()
        set("second", in: file.second)
        set("first", in: file.first)
        file.first.cache.set(Book(id: 2, title: "first"))
        try await file.first.graph.flush()
        // A process that was away for more than seven days reads all rows.
        try file.folder.log().shorten(
            at: WallTime(milliseconds: 1_000 * 86_400_000),
            sizeLimit: 1_000
        )
        try await file.second.graph.resume()
        try await expectTitle("second")
        #expect(file.second.cache[Book.self, 2]?.title == "first")
    }

    @Test func laterFlushOfARemovalWins() async throws {
        set("old", in: file.first)
        try await file.synchronize()
        file.second.cache.remove(Book.self, id: 1)
        set("new", in: file.first)
        try await file.first.graph.flush()
        try await expectTitle(nil)
    }

    @Test func changeThatIsFlushedAfterARemovalWins() async throws {
        set("old", in: file.first)
        file.first.cache.set(Book(id: 2, title: "old"))
        try await file.synchronize()
        set("new", in: file.second)
        file.first.cache.removeAll(Book.self)
        try await file.first.graph.flush()
        try await expectTitle("new")
        #expect(file.first.cache.ids(of: Book.self) == [1])
        #expect(file.second.cache.ids(of: Book.self) == [1])
    }

    @Test func laterFlushOfARemovalOfTheTypeWins() async throws {
        set("old", in: file.first)
        try await file.synchronize()
        file.second.cache.removeAll(Book.self)
        file.first.cache.set(contentsOf: [Book(id: 1, title: "new"), Book(id: 2, title: "new")])
        try await file.first.graph.flush()
        try await expectTitle(nil)
        #expect(file.first.cache.count(of: Book.self) == 0)
    }

    @Test func changeThatIsFlushedAfterAnInvalidationIsFresh() async throws {
        set("old", in: file.first)
        try await file.synchronize()
        set("edit", in: file.second)
        file.first.cache.invalidate(Book.self, id: 1)
        try await file.first.graph.flush()
        try await expectTitle("edit")
        #expect(file.first.cache.freshness(of: Book.self, id: 1).isFresh)
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

    @Test("The last changes of a cache win over earlier flushes", arguments: [true, false])
    func lastChanges(isStamped: Bool) async throws {
        var cache: Cache? = Cache(configuration: CacheConfiguration(clock: file.clock))
        let graph = try file.folder.graph(wallClock: file.clock.wallClock) {
            Durable(Author.self, "author").stamps(of: Int.self)
        }
        let other = try file.folder.graph(wallClock: file.clock.wallClock) {
            Durable(Author.self, "author").stamps(of: Int.self)
        }
        let otherCache = Cache(configuration: CacheConfiguration(clock: file.clock))
        try await graph.attach(to: #require(cache))
        try await other.attach(to: otherCache)
        // A suspended graph doesn't import the other one's transaction before the cache ends.
        try await graph.suspend()
        for (cache, name, stamp) in [(cache, "last", 1), (otherCache, "other", 2)] {
            if isStamped {
                cache?.set(Author(id: "1", name: name), modifiedAt: stamp)
            } else {
                cache?.set(Author(id: "1", name: name))
            }
        }
        cache?.set(Author(id: "2", name: "last"))
        try await other.flush()
        cache = nil
        #expect(await untilDetached(graph))
        try await graph.resume()
        // A later stamp wins over a later flush.
        #expect(try await graph.load(Author.self, id: "1")?.name == (isStamped ? "other" : "last"))
        #expect(try await graph.load(Author.self, id: "2")?.name == "last")
    }
}
