import FlatCache
import Foundation
import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

struct SuspensionTests {
    private let file: SharedFile

    init() async throws {
        file = try await SharedFile()
    }

    @Test func suspendedGraphClosesItsFile() async throws {
        let (cache, graph) = (file.second.cache, file.second.graph)
        cache.set(Book(id: 1, title: "One"))
        try await graph.suspend()
        try await graph.suspend()
        #expect(try file.folder.run("SELECT count(*) FROM book") == ["1"])
        try await file.first.graph.suspend()
        // The last connection has removed the log.
        #expect(!(try file.folder.contents.contains { $0.hasSuffix("-wal") }))
        cache.set(Book(id: 2, title: "Two"))
        await #expect { try await graph.flush() } throws: {
            ($0 as? SQLiteGraphError)?.kind == .suspended
        }
        await #expect { try await graph.load(Profile.self, id: 1) } throws: {
            ($0 as? SQLiteGraphError)?.kind == .suspended
        }
        #expect(try await graph.load(Book.self, id: 1)?.title == "One")
        #expect(try file.folder.run("SELECT count(*) FROM book") == ["1"])
        #expect(file.folder.errors.all.isEmpty)
    }

    @Test func suspendedGraphWithoutACacheCannotWaitForTheDisk() async throws {
        let graph = try file.folder.graph { Durable(Author.self, "author") }
        try await graph.suspend()
        // There are no changes.
        try await graph.flush()
        await #expect { try await graph.flush(surviving: .powerLoss) } throws: {
            ($0 as? SQLiteGraphError)?.kind == .suspended
        }
        try await graph.resume()
        try await graph.flush(surviving: .powerLoss)
        #expect(try file.folder.run("SELECT number FROM flatcache_syncs") == ["1"])
    }

    @Test func suspendedGraphStaysSuspendedAfterLastChanges() async throws {
        var cache: Cache? = Cache()
        let graph = try file.folder.graph { Durable(Author.self, "author") }
        try await graph.attach(to: #require(cache))
        try await graph.suspend()
        cache?.set(Author(id: "1", name: "last"))
        cache = nil
        #expect(await untilDetached(graph))
        #expect(try file.folder.run("SELECT count(*) FROM author") == ["1"])
        await #expect { try await graph.load(Author.self, id: "1") } throws: {
            ($0 as? SQLiteGraphError)?.kind == .suspended
        }
        try await graph.resume()
        #expect(try await graph.load(Author.self, id: "1")?.name == "last")
    }

    @Test func suspendedGraphCanBeDetached() async throws {
        try await file.second.graph.suspend()
        file.second.cache.set(Book(id: 1, title: "second"))
        try await file.second.graph.detach()
        #expect(try await file.first.graph.load(Book.self, id: 1)?.title == "second")
    }

    @Test("A graph that can't be resumed with another file writes all entities to it later")
    func repeatedResumption() async throws {
        let folder = try GraphFolder()
        let cache = Cache()
        let graph = try folder.graph(lockTimeout: .zero) { Durable(Book.self, "book") }
        try await graph.attach(to: cache)
        cache.set(Book(id: 1, title: "One"))
        try await graph.suspend()
        try FileManager.default.removeItem(at: folder.url)
        // The new file lacks the table of the type.
        let writer = Cache()
        let other = try folder.graph { Durable(Author.self, "author") }
        try await other.attach(to: writer)
        try await other.detach()
        let lock = try Database(path: folder.url.path, lockTimeout: .zero)
        try lock.execute("BEGIN IMMEDIATE")
        await #expect { try await graph.resume() } throws: {
            ($0 as? SQLiteGraphError)?.kind == .locked
        }
        try lock.execute("COMMIT")
        try await graph.resume()
        #expect(try folder.run("SELECT id FROM book") == ["1"])
        #expect(folder.errors.all.map(\.kind) == [.lostFile])
    }

    @Test func resumedGraphNoticesAnotherFileWithTheSameNumber() async throws {
        // The system gives the number of a deleted file to the next one.
        file.second.cache.set(Book(id: 1, title: "second"))
        try await file.second.graph.flush()
        file.second.cache.set(Book(id: 2, title: "second"))
        try await file.second.graph.flush()
        try await file.second.graph.suspend()
        try await file.first.graph.suspend()
        try FileManager.default.removeItem(at: file.folder.url)
        let cache = Cache()
        let other = try file.folder.graph {
            Durable(Book.self, "book", load: .atStart)
            Durable(Profile.self, "profile").stamps(of: Int.self)
        }
        try await other.attach(to: cache)
        cache.set(Book(id: 3, title: "other"))
        try await other.flush()
        try await file.second.graph.resume()
        #expect(file.folder.errors.all.map(\.kind) == [.lostFile])
        #expect(try file.folder.run("SELECT id FROM book") == ["1", "2", "3"])
    }

    /// Replaces the contents of the file by those of another graph's file, which has five
    /// transactions, so that the system's number of the file stays the same.
    private func replaceContents() async throws {
        let other = try GraphFolder()
        let cache = Cache()
        let graph = try other.graph()
        try await graph.attach(to: cache)
        for id in 1...5 {
            cache.set(Book(id: id, title: "other"))
            try await graph.flush()
        }
        try await graph.detach()
        try Data(contentsOf: other.url).write(to: file.folder.url)
    }

    @Test func resumedGraphNoticesAnotherFileWithLaterTransactions() async throws {
        file.second.cache.set(Book(id: 9, title: "second"))
        try await file.second.graph.flush()
        try await file.second.graph.suspend()
        try await file.first.graph.suspend()
        try await replaceContents()
        try await file.second.graph.resume()
        #expect(file.folder.errors.all.map(\.kind) == [.lostFile])
        #expect(try file.folder.run("SELECT count(*) FROM book") == ["6"])
        #expect(file.second.cache.ids(of: Book.self).sorted() == [1, 2, 3, 4, 5, 9])
        // The graph that has resumed uses the file as before.
        file.second.cache.set(Book(id: 10, title: "second"))
        try await file.second.graph.suspend()
        try await file.second.graph.resume()
        #expect(file.folder.errors.count == 1)
        #expect(try file.folder.run("SELECT count(*) FROM book") == ["7"])
    }

    @Test func lastChangesAreNotComparedWithTheTransactionsOfAnotherFile() async throws {
        var cache: Cache? = Cache()
        let graph = try file.folder.graph()
        try await graph.attach(to: #require(cache))
        cache?.set(Book(id: 1, title: "first"))
        try await graph.flush()
        try await graph.suspend()
        for side in [file.first, file.second] { try await side.graph.suspend() }
        cache?.set(Book(id: 1, title: "last"))
        try await replaceContents()
        cache = nil
        #expect(await untilDetached(graph))
        #expect(file.folder.errors.all.map(\.kind) == [.lostFile])
        try await graph.resume()
        #expect(try await graph.load(Book.self, id: 1)?.title == "last")
    }

    @Test func resumedGraphNoticesAnotherFileBehindALink() async throws {
        let folder = file.folder
        let link = folder.file("link.sqlite")
        try FileManager.default.createSymbolicLink(
            at: link,
            withDestinationURL: folder.file("target.sqlite")
        )
        let cache = Cache()
        let graph = try SQLiteGraph(
            link,
            clock: folder.clock,
            onError: { folder.errors.append($0) }
        ) {
            Durable(Book.self, "book")
        }
        try await graph.attach(to: cache)
        cache.set(Book(id: 1, title: "One"))
        try await graph.suspend()
        try FileManager.default.moveItem(at: folder.file("target.sqlite"), to: folder.file("moved"))
        try await graph.resume()
        #expect(folder.errors.all.map(\.kind) == [.lostFile])
        #expect(try await graph.statistics.rowCounts == ["book": 1])
    }

    @Test func resumedGraphNoticesAnotherFile() async throws {
        file.second.cache.set(Book(id: 1, title: "second"))
        try await file.second.graph.suspend()
        try await file.first.graph.suspend()
        try FileManager.default.moveItem(at: file.folder.url, to: file.folder.file("moved"))
        try await file.second.graph.resume()
        #expect(file.folder.errors.all.map(\.kind) == [.lostFile])
        #expect(try file.folder.run("SELECT id FROM book") == ["1"])
    }
}
