import FlatCache
import FlatCacheTesting
import Foundation
import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

/// Tests of graphs that notice the transactions of others, and the loss of their file, by
/// themselves.
struct FileWatchingTests {
    private let file: SharedFile

    init() async throws {
        file = try await SharedFile()
    }

    private func book(_ id: Int, _ title: String = "Title") -> Book { Book(id: id, title: title) }

    /// Suspends the task until a cache has a title of a book.
    private func waitFor(
        _ title: String?,
        of id: Int,
        in cache: Cache,
        _ graph: SQLiteGraph
    ) async -> Bool {
        await until(graph) { _ in cache.get(Book.self, id: id)?.title == title }
    }

    @Test func transactionsOfAnotherGraphAreImported() async throws {
        let (first, second) = (file.first, file.second)
        first.cache.set(book(1))
        try await first.graph.flush()
        #expect(await waitFor("Title", of: 1, in: second.cache, second.graph))
        second.cache.set(book(1, "New"))
        try await second.graph.flush()
        #expect(await waitFor("New", of: 1, in: first.cache, first.graph))
        first.cache.remove(Book.self, id: 1)
        file.folder.clock.advance(by: GraphFolder.flushInterval)
        #expect(await waitFor(nil, of: 1, in: second.cache, second.graph))
        #expect(file.folder.errors.all.isEmpty)
    }

    @Test func resumedGraphWatchesTheFile() async throws {
        let (first, second) = (file.first, file.second)
        try await second.graph.suspend()
        second.cache.set(book(1, "second"))
        first.cache.set(contentsOf: [book(2, "first"), book(3, "first")])
        first.cache.remove(Book.self, id: 3)
        try await first.graph.flush()
        #expect(second.cache.count(of: Book.self) == 1)
        try await second.graph.resume()
        try await second.graph.resume()
        #expect(second.cache.ids(of: Book.self).sorted() == [1, 2])
        #expect(await waitFor("second", of: 1, in: first.cache, first.graph))
        #expect(first.cache.ids(of: Book.self).sorted() == [1, 2])
        first.cache.set(book(4, "first"))
        try await first.graph.flush()
        #expect(await waitFor("first", of: 4, in: second.cache, second.graph))
        #expect(file.folder.errors.all.isEmpty)
    }

    @Test func graphWithoutChangesFindsTheFileAtThePath() async throws {
        let folder = try GraphFolder()
        let (cache, otherCache) = (Cache(), Cache())
        let graph = try folder.graph()
        try await graph.attach(to: cache)
        cache.set(book(1))
        try await graph.flush()
        for name in try folder.contents {
            try FileManager.default.removeItem(at: folder.file(name))
        }
        let other = try folder.graph()
        try await other.attach(to: otherCache)
        otherCache.set(book(2))
        try await other.flush()
        let isWritten = try await until(graph) { _ in
            try folder.run("SELECT id FROM book") == ["1", "2"]
        }
        #expect(isWritten)
        otherCache.set(book(3))
        try await other.flush()
        #expect(await waitFor("Title", of: 3, in: cache, graph))
        #expect(folder.errors.all.map(\.kind) == [.lostFile])
    }

    /// A failed attempt to open the file changes the log that the graph watches.
    @Test func lossThatCannotBeMendedYetIsReportedNowAndThen() async throws {
        let folder = try GraphFolder()
        let (cache, clock, errors) = (Cache(), folder.clock, folder.errors)
        let graph = try folder.graph()
        try await graph.attach(to: cache)
        cache.set(book(1))
        try await graph.flush()
        // SQLite can't open the file while a connection has opened it with the log.
        nonisolated(unsafe) var other: Database? = try Database(
            path: folder.url.path,
            lockTimeout: .zero
        )
        try other?.execute("SELECT id FROM book")
        try FileManager.default.removeItem(atPath: folder.url.path + "-wal")
        cache.set(book(2))
        clock.advance(by: GraphFolder.flushInterval)
        for attempt in 1...3 {
            #expect(await until(graph) { $0.isRetryScheduled && errors.count >= attempt })
            // The change of the log that the attempt has made leads to no other attempt.
            await graph.engine.importInBackground()
            #expect(errors.all.map(\.kind) == Array(repeating: .lostFile, count: attempt))
            clock.advance(by: GraphEngine.retryInterval)
        }
        #expect(await until(graph) { $0.isRetryScheduled && errors.count == 4 })
        other = nil
        clock.advance(by: GraphEngine.retryInterval)
        #expect(await until(graph) { $0.showsTheFileAtThePath })
        #expect(try folder.run("SELECT id FROM book") == ["1", "2"])
    }
}

extension GraphEngine {
    /// `true` if the file at the path is open.
    fileprivate var showsTheFileAtThePath: Bool { !database.isLost }
}
