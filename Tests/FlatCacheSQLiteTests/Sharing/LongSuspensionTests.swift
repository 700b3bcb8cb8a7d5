import FlatCache
import FlatCacheTesting
import Foundation
import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

/// Tests of lost files whose log no longer has all transactions since a graph was suspended.
struct LongSuspensionTests {
    private func book(_ id: Int, _ title: String) -> Book { Book(id: id, title: title) }

    @Test func earlierValueDoesNotReplaceALaterOneWithoutARecord() async throws {
        let file = try await SharedFile()
        let (first, second) = (file.first, file.second)
        first.cache.set(contentsOf: [book(1, "old"), book(2, "old")])
        try await file.synchronize()
        await file.stopWatching()
        try await second.graph.suspend()
        try await first.graph.detach()
        try await first.graph.suspend()
        let copy = URL(fileURLWithPath: file.folder.url.path + "-copy")
        try FileManager.default.copyItem(at: file.folder.url, to: copy)
        try file.delete()
        try FileManager.default.moveItem(at: copy, to: file.folder.url)
        file.clock.advance(by: .seconds(86_400))
        let third = try file.folder.graph(wallClock: file.clock.wallClock) {
            Durable(Book.self, "book", load: .atStart)
        }
        let cache = Cache(configuration: CacheConfiguration(clock: file.clock))
        try await third.attach(to: cache)
        cache.set(book(1, "new"))
        try await third.flush()
        file.clock.advance(by: .seconds(8 * 86_400))
        cache.set(book(3, "third"))
        try await third.flush()
        try file.folder.log().shorten(at: WallTime(file.clock.wallClock()), listLimit: 65_536)
        try await second.graph.resume()
        try await second.graph.flush()
        try await third.flush()
        for cache in [second.cache, cache] {
            #expect(cache[Book.self, 1]?.title == "new")
            #expect(cache[Book.self, 2]?.title == "old")
        }
        #expect(try file.folder.run("SELECT count(*) FROM book") == ["3"])
    }

    /// The loads of a type with a limit are recorded, so the row doesn't contain the time of its
    /// write.
    @Test(arguments: [false, true])
    func loadedRowOfAnEarlierCopyReplacesNoValue(isTimed: Bool) async throws {
        let file = try await SharedFile { Durable(Author.self, "author", limit: .count(100)) }
        let first = file.first
        try await file.second.graph.detach()
        var configuration = CacheConfiguration(clock: file.clock)
        if isTimed { configuration.limit(Author.self, .unlimited, staleAfter: .seconds(1_000_000)) }
        let cache = Cache(configuration: configuration)
        let second = file.second.graph
        try await second.attach(to: cache)
        first.cache.set(Author(id: "a", name: "old"))
        try await first.graph.flush()
        file.clock.advance(by: .seconds(10))
        #expect(try await second.load(Author.self, id: "a")?.name == "old")
        try await second.flush()
        await file.stopWatching()
        let copy = file.folder.url.path + "-copy"
        try file.folder.run("VACUUM INTO '\(copy)'")
        file.clock.advance(by: .seconds(10))
        first.cache.set(Author(id: "a", name: "new"))
        try await first.graph.flush()
        try await second.flush()
        file.clock.advance(by: .seconds(10))
        try await second.suspend()
        try await first.graph.detach()
        try await first.graph.suspend()
        try file.delete()
        try FileManager.default.moveItem(atPath: copy, toPath: file.folder.url.path)
        file.clock.advance(by: .seconds(8 * 86_400))
        try file.folder.log().shorten(at: WallTime(file.clock.wallClock()), listLimit: 65_536)
        try await second.resume()
        try await second.flush()
        #expect(cache[Author.self, "a"]?.name == "new")
    }

    @Test func entitiesThatAreNotWrittenYetStay() async throws {
        let file = try await SharedFile()
        let (first, second) = (file.first, file.second)
        let profile = Profile(id: 9, name: "only in the first", email: nil)
        first.cache.set(book(1, "old"))
        first.cache.set(profile)
        try await file.synchronize()
        await file.stopWatching()
        try file.delete()
        file.clock.advance(by: .seconds(1))
        try await second.graph.flush()
        let failure = "BEFORE INSERT ON profile BEGIN SELECT RAISE(ABORT, ''); END"
        try file.folder.run("CREATE TRIGGER failure \(failure)")
        await #expect(throws: SQLiteGraphError.self) { try await first.graph.flush() }
        await #expect(throws: SQLiteGraphError.self) { try await first.graph.suspend() }
        file.clock.advance(by: .seconds(1))
        second.cache.set(book(4, "second"))
        try await second.graph.flush()
        file.clock.advance(by: .seconds(8 * 86_400))
        second.cache.set(book(5, "second"))
        try await second.graph.flush()
        try file.folder.log().shorten(at: WallTime(file.clock.wallClock()), listLimit: 65_536)
        try file.folder.run("DROP TRIGGER failure")
        try await first.graph.resume()
        try await first.graph.flush()
        #expect(first.cache[Profile.self, 9] == profile)
        #expect(try file.folder.run("SELECT id FROM profile") == ["9"])
        #expect(first.cache.ids(of: Book.self).sorted() == [1, 4, 5])
    }
}
