import FlatCache
import FlatCacheTesting
import Foundation
import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

/// Tests of exchanges of a file's content beside other events, which must not hide them.
struct HiddenExchangeTests {
    private let types = ["book", "profile"]
    private let failure =
        "TRIGGER failure BEFORE INSERT ON flatcache_log BEGIN SELECT RAISE(ABORT, ''); END"

    private func book(_ id: Int, _ title: String) -> Book { Book(id: id, title: title) }

    private func cache(_ file: SharedFile) -> Cache {
        Cache(configuration: CacheConfiguration(clock: file.clock))
    }

    @Test func lastChangesOfAnotherCacheHideNoExchange() async throws {
        let file = try await SharedFile()
        let copy = file.folder.url.path + "-copy"
        try await file.first.graph.detach()
        let graph = try file.folder.graph(wallClock: file.clock.wallClock) {
            Durable(Book.self, "book", load: .atStart)
        }
        var former: Cache? = cache(file)
        try await graph.attach(to: #require(former))
        await graph.engine.stopWatching()
        former?.set(contentsOf: [book(1, "old"), book(2, "old")])
        try await graph.flush()
        try file.folder.run("VACUUM INTO '\(copy)'")
        file.clock.advance(by: .seconds(1))
        former?.set(book(3, "shown"))
        try await graph.flush()
        former?.set(book(5, "last"))
        try file.folder.run("CREATE \(failure)")
        former = nil
        await #expect(throws: SQLiteGraphError.self) { try await graph.flush() }
        let next = cache(file)
        try await graph.attach(to: next)
        await graph.engine.stopWatching()
        #expect(next[Book.self, 3]?.title == "shown")
        file.clock.advance(by: .seconds(1))
        try file.folder.run("DROP TRIGGER failure")
        try file.folder.exchangeContent(for: copy, types)
        for _ in 0..<2 { try await graph.flush() }
        #expect(try file.folder.run("SELECT id FROM book") == ["1", "2", "3", "5"])
        #expect(file.folder.errors.all.contains { $0.kind == .lostFile })
        withExtendedLifetime(next) {}
    }

    @Test func lastChangesThatWaitForAnExchangeDoNotHideIt() async throws {
        let file = try await SharedFile()
        let copy = file.folder.url.path + "-copy"
        try await file.first.graph.detach()
        let graph = try file.folder.graph(wallClock: file.clock.wallClock) {
            Durable(Book.self, "book", load: .atStart)
        }
        let (cache, second) = (cache(file), file.second.graph)
        try await graph.attach(to: cache)
        cache.set(book(1, "old"))
        try await graph.flush()
        try file.folder.run("VACUUM INTO '\(copy)'")
        await file.stopWatching()
        await graph.engine.stopWatching()
        file.clock.advance(by: .seconds(1))
        cache.set(contentsOf: [book(2, "new"), book(3, "new")])
        try await graph.flush()
        try await second.flush()
        file.clock.advance(by: .seconds(1))
        cache.set(book(4, "last"))
        await graph.engine.endRecording()
        // The last changes wait until the exchange is committed.
        // The graph's thread uses the connection during the flush, for which the test waits.
        nonisolated(unsafe) let other = try Database(
            path: file.folder.url.path,
            lockTimeout: .seconds(1)
        )
        let statements = file.folder.statementsOfExchange(for: copy, types)
        try other.execute(statements.begin)
        let waits = Recorder<Void>()
        await graph.engine.onWaitForLock {
            #expect(throws: Never.self) { try other.execute(statements.end) }
            waits.append(())
        }
        try await graph.flush()
        #expect(waits.count == 1)
        for _ in 0..<2 {
            file.clock.advance(by: .seconds(1))
            try await second.flush()
        }
        #expect(try file.folder.run("SELECT id FROM book") == ["1", "2", "3", "4"])
        withExtendedLifetime(cache) {}
    }

    /// The log of the content has no transaction left.
    @Test func exchangeForContentWithAnOldLogIsNoticedOnceByEachGraph() async throws {
        let file = try await SharedFile { Durable(Author.self, "author", limit: .count(100)) }
        let copy = file.folder.url.path + "-copy"
        let (first, second) = (file.first.graph, file.second.graph)
        try await second.detach()
        file.first.cache.set(Author(id: "a", name: "a"))
        try await first.detach()
        file.clock.advance(by: .seconds(8 * 86_400))
        try file.folder.log().shorten(at: WallTime(file.clock.wallClock()), sizeLimit: 1_000)
        #expect(try file.folder.run("SELECT type FROM flatcache_log") == [""])
        try file.folder.run("VACUUM INTO '\(copy)'")
        let third = try file.folder.graph(wallClock: file.clock.wallClock) {
            Durable(Author.self, "author")
        }
        let changed = cache(file)
        try await third.attach(to: changed)
        changed.set(Author(id: "b", name: "b"))
        try await third.detach()
        let caches = [cache(file), cache(file)]
        try await first.attach(to: caches[0])
        try await second.attach(to: caches[1])
        await file.stopWatching()
        file.clock.advance(by: .seconds(1))
        try file.folder.exchangeContent(for: copy, ["author"])
        for _ in 0..<5 {
            file.clock.advance(by: .seconds(1))
            try await first.flush()
            try await second.flush()
        }
        #expect(file.folder.errors.all.count { $0.kind == .lostFile } == 2)
        withExtendedLifetime((changed, caches)) {}
    }
}

extension GraphEngine {
    /// Ends the cache as its deallocation does.
    fileprivate func endRecording() {
        if let attachment { endRecording(of: attachment) }
    }
}
