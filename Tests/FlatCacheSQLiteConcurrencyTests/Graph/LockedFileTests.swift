import FlatCache
import FlatCacheTesting
import Foundation
import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

/// Tests of reads while another connection holds the lock for writing.
///
/// A lock timeout of an hour is longer than any test takes. If a flush blocked the thread, its test
/// would fail when the wait for a read ends.
struct LockedFileTests {
    private let folder: GraphFolder
    private let other: Database

    init() async throws {
        folder = try GraphFolder()
        let cache = Cache()
        let graph = try folder.graph { Durable(Book.self, "book") }
        try await graph.attach(to: cache)
        cache.set(contentsOf: (1...3).map { Book(id: $0, title: "Book \($0)") })
        try await graph.detach()
        other = try Database(path: folder.url.path, lockTimeout: .zero)
    }

    private func attached(
        lockTimeout: Duration = .seconds(3_600)
    ) async throws -> (Cache, SQLiteGraph) {
        let cache = Cache()
        // The coder changes nothing, so that `resealRows()` writes.
        let coder = SealedRowCoder(seal: { $0 }, open: { $0 })
        let graph = try folder.graph(lockTimeout: lockTimeout, coder: coder) {
            Durable(Book.self, "book")
            Durable(Author.self, "author")
        }
        try await graph.attach(to: cache)
        return (cache, graph)
    }

    /// Locks the file, and returns a recorder of the attempts of a graph that find it locked.
    private func lock(_ graph: SQLiteGraph) async throws -> Recorder<Void> {
        let waits = Recorder<Void>()
        await graph.engine.onWaitForLock { waits.append(()) }
        try other.execute("BEGIN IMMEDIATE")
        return waits
    }

    @Test func readsDoNotWaitForABackgroundFlushThatWaitsForTheLock() async throws {
        let (cache, graph) = try await attached()
        let waits = try await lock(graph)
        cache.set(Author(id: "a", name: "A"))
        folder.clock.advance(by: GraphFolder.flushInterval)
        #expect(await until { waits.count > 0 })
        #expect(try await graph.load(Book.self, id: 1)?.title == "Book 1")
        let titles = Recorder<String>()
        let observation = cache.cached(Book.self, id: 2).observe { titles.append($0.title) }
        #expect(await until { titles.all.last == "Book 2" })
        #expect(await graph.engine.transactionCount == 0)
        try other.execute("COMMIT")
        #expect(await until(graph) { $0.transactionCount == 1 })
        #expect(try folder.run("SELECT id FROM author") == ["a"])
        #expect(folder.errors.all.isEmpty)
        observation.dispose()
    }

    private enum Call: CaseIterable { case flush, resume, restore, reseal }

    @Test(arguments: Call.allCases)
    private func readsDoNotWaitForACallThatWaitsForTheLock(_ call: Call) async throws {
        let (cache, graph) = try await attached()
        if call == .resume { try await graph.suspend() }
        let waits = try await lock(graph)
        cache.set(Author(id: "a", name: "A"))
        let writing = Task {
            switch call {
            case .flush: try await graph.flush()
            case .resume: try await graph.resume()
            case .restore: _ = try await graph.restoreQuarantinedRows()
            case .reseal: _ = try await graph.resealRows()
            }
        }
        #expect(await until { waits.count > 0 })
        #expect(try await graph.load(Book.self, id: 1)?.title == "Book 1")
        #expect(cache[Book.self, 1] != nil)
        try other.execute("COMMIT")
        try await writing.value
        if call == .flush { #expect(try folder.run("SELECT id FROM author") == ["a"]) }
        #expect(folder.errors.all.isEmpty)
    }

    @Test func cancelledFlushWaitsForTheLock() async throws {
        let (cache, graph) = try await attached()
        let waits = try await lock(graph)
        cache.set(Author(id: "a", name: "A"))
        let flush = Task { try await graph.flush() }
        flush.cancel()
        #expect(await until { waits.count > 0 })
        #expect(try await graph.load(Book.self, id: 1) != nil)
        try other.execute("COMMIT")
        try await flush.value
        #expect(try folder.run("SELECT id FROM author") == ["a"])
    }

    @Test func commitsDuringTheWaitAreWritten() async throws {
        let (cache, graph) = try await attached()
        let waits = try await lock(graph)
        cache.set(Author(id: "a", name: "A"))
        let flush = Task { try await graph.flush() }
        #expect(await until { waits.count > 0 })
        cache.set(Author(id: "b", name: "B"))
        cache.remove(Book.self, id: 3)
        try other.execute("COMMIT")
        try await flush.value
        try await graph.flush()
        #expect(try folder.run("SELECT id FROM author") == ["a", "b"])
        #expect(try folder.run("SELECT id FROM book") == ["1", "2"])
    }

    @Test func lockThatIsHeldForLongerIsAnError() async throws {
        let (cache, graph) = try await attached(lockTimeout: .milliseconds(30))
        try other.execute("BEGIN IMMEDIATE")
        cache.set(Author(id: "a", name: "A"))
        let error = await #expect(throws: SQLiteGraphError.self) { try await graph.flush() }
        #expect(error?.kind == .locked)
        try other.execute("COMMIT")
        try await graph.flush()
        #expect(try folder.run("SELECT id FROM author") == ["a"])
    }

    @Test func rowThatMovesToTheQuarantineDoesNotWaitForTheLock() async throws {
        try folder.run("UPDATE book SET value = x'FF00' WHERE id = 1")
        let (cache, graph) = try await attached()
        try other.execute("BEGIN IMMEDIATE")
        #expect(try await graph.load(Book.self, id: 1) == nil)
        #expect(folder.errors.all.map(\.kind) == [.undecodable])
        try other.execute("COMMIT")
        cache.set(Book(id: 1, title: "New"))
        try await graph.flush()
        #expect(try await graph.statistics.quarantinedRowCount == 1)
        #expect(try folder.run("SELECT count(*) FROM book WHERE id = 1") == ["1"])
    }
}
