import FlatCache
import Foundation
import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

/// Tests that a state that can't be read isn't overwritten as if it had been empty.
struct FailedReadsTests {
    private let folder: GraphFolder

    init() throws {
        folder = try GraphFolder()
        #expect(FailingReads.isInstalled)
    }

    private var path: String { folder.url.path }

    private func graph() throws -> SQLiteGraph {
        try folder.graph {
            Durable(Book.self, "book")
            Durable(Author.self, "author", load: .atStart)
            Durable(Profile.self, "profile")
            DurableList("best", of: Book.self)
            DurableLists(withPrefix: "search?", of: Book.self)
            DurableAliases(of: Author.self)
            DurableResponses()
        }
    }

    private static let count = 10

    private func books(_ ids: ClosedRange<Int>) -> [Book] {
        ids.map { Book(id: $0, title: String(repeating: "title \($0)", count: 100)) }
    }

    private func write() async throws {
        let cache = Cache()
        let graph = try graph()
        try await graph.attach(to: cache)
        cache.set(contentsOf: (1...200).map { Author(id: "\($0)", name: "Name") })
        cache.list("best", of: Book.self).replace(with: books(1...Self.count))
        cache.list("search?a", of: Book.self).replace(with: books(1...3))
        cache.alias("me", of: Author.self).set(Author(id: "1", name: "Name"))
        cache.set(Profile(id: 1, name: "Name", email: "mail"))
        _ = try await cache.load("categories") { ["one"] }
        try await graph.detach()
    }

    /// Expects that the file has all states of `write()`, and further elements.
    private func expectAll(_ comment: Comment, with further: [Int] = []) async throws {
        let cache = Cache()
        let graph = try graph()
        try await graph.attach(to: cache)
        let best = cache.list("best", of: Book.self).ids
        #expect(Array(best.prefix(Self.count)) == Array(1...Self.count), comment)
        #expect(Set(best).isSubset(of: Set(1...Self.count).union(further)), comment)
        let search = cache.list("search?a", of: Book.self).ids
        #expect(Array(search.prefix(3)) == [1, 2, 3], comment)
        #expect(cache.count(of: Author.self) == 200, comment)
        #expect(cache.alias("me", of: Author.self).value?.id == "1", comment)
        #expect(try await graph.load(Profile.self, id: 1)?.email == "mail", comment)
        #expect(try await cache.load("categories") { ["other"] } == ["one"], comment)
        try await graph.detach()
    }

    /// Calls a closure with the file of `write()` until none of its reads fails, and expects all
    /// states after each call.
    ///
    /// - Parameters:
    ///   - further: The elements that the closure may add.
    ///   - body: A closure that lets a read fail after a number of reads, and returns whether the
    ///     read has failed.
    /// - Returns: The number of calls.
    private func failEachRead(
        with further: [Int],
        _ body: (Cache, _ reads: Int) async throws -> Bool
    ) async throws -> Int {
        try await write()
        let original = try Data(contentsOf: folder.url)
        var reads = 0
        var hasFailed = true
        while hasFailed {
            try original.write(to: folder.url)
            hasFailed = try await body(Cache(), reads)
            try await expectAll("read \(reads)", with: further)
            reads += 1
        }
        return reads
    }

    @Test("Whichever read fails while a graph is attached, edits replace nothing")
    func failedReadOfAttachingReplacesNothing() async throws {
        let calls = try await failEachRead(with: [11, 12]) { cache, reads in
            FailingReads.fail(path, after: reads)
            var isAttached = false
            var hasFailed = false
            do {
                let graph = try self.graph()
                try await graph.attach(to: cache)
                isAttached = true
                hasFailed = FailingReads.end(path)
                try await edit(cache, graph)
            } catch {
                hasFailed = FailingReads.end(path)
                #expect(!isAttached && hasFailed, "\(error)")
            }
            return hasFailed
        }
        #expect(calls > 10)
    }

    private func edit(_ cache: Cache, _ graph: SQLiteGraph) async throws {
        cache.list("best", of: Book.self).append(contentsOf: books(11...11))
        cache.list("search?a", of: Book.self).append(contentsOf: books(12...12))
        cache.set(Profile(id: 1, name: "New", email: nil))
        try await graph.detach()
    }

    @Test("Whichever read fails while a graph resumes and flushes, edits replace nothing")
    func failedReadOfResumingReplacesNothing() async throws {
        let calls = try await failEachRead(with: [11]) { cache, reads in
            let graph = try self.graph()
            try await graph.attach(to: cache)
            try await graph.suspend()
            cache.list("best", of: Book.self).append(contentsOf: books(11...11))
            cache.set(Profile(id: 1, name: "New", email: nil))
            FailingReads.fail(path, after: reads)
            _ = try? await graph.resume()
            let hasFailed = FailingReads.end(path)
            try await graph.resume()
            try await graph.detach()
            return hasFailed
        }
        #expect(calls > 5)
    }

    @Test func graphThatCannotBeAttachedWritesNothing() async throws {
        try await write()
        let cache = Cache()
        let graph = try graph()
        FailingReads.fail(path, after: 3)
        await #expect(throws: SQLiteGraphError.self) { try await graph.attach(to: cache) }
        FailingReads.end(path)
        #expect(await !graph.isAttached)
        cache.list("best", of: Book.self).append(contentsOf: books(11...11))
        try await graph.flush()
        try await expectAll("not attached")
        // The list in memory is newer than its row, as in any attachment.
        cache.list("best", of: Book.self).replace(with: books(1...11))
        try await graph.attach(to: cache)
        #expect(cache.list("search?a", of: Book.self).ids == [1, 2, 3])
        try await graph.detach()
        try await expectAll("attached again", with: [11])
    }

    @Test("An edit of an observed list whose row can't be read extends the row", arguments: 0..<4)
    func editOfUnreadListExtendsItsRow(step: Int) async throws {
        try await write()
        var cache: Cache? = Cache()
        let graph = try graph()
        try await graph.attach(to: try #require(cache))
        cache?.pruneUnobservedValues()
        // The pages of the rows are read again by another connection.
        if step == 3 { try await graph.suspend() }
        if step != 3 {
            try await graph.suspend()
            try await graph.resume()
            FailingReads.fail(path, after: 0)
        }
        let errors = folder.errors
        let list = try #require(cache).list("best", of: Book.self)
        let observation = list.observe { _ in }
        if step == 3 {
            #expect(await until(graph) { _ in true })
        } else {
            #expect(await until { errors.all.contains { $0.kind == .failed } })
            FailingReads.end(path)
        }
        list.append(contentsOf: books(11...11))
        switch step {
        case 0: try await graph.detach()
        case 1:
            // The row can't be read before the flush either.
            try await graph.suspend()
            try await graph.resume()
            #expect(list.ids == Array(1...11))
            try await graph.detach()
        case 2:
            observation.dispose()
            cache = nil
            #expect(await untilDetached(graph))
        default:
            try await graph.resume()
            #expect(list.ids == Array(1...11))
            try await graph.detach()
        }
        observation.dispose()
        try await expectAll("step \(step)", with: [11])
    }

    @Test func replacementOfUnreadListReplacesItsRow() async throws {
        try await write()
        let cache = Cache()
        let graph = try graph()
        try await graph.attach(to: cache)
        cache.pruneUnobservedValues()
        try await graph.suspend()
        try await graph.resume()
        FailingReads.fail(path, after: 0)
        let list = cache.list("best", of: Book.self)
        let errors = folder.errors
        let observation = list.observe { _ in }
        #expect(await until { errors.all.contains { $0.kind == .failed } })
        FailingReads.end(path)
        list.replace(with: books(20...21))
        try await graph.flush()
        #expect(list.ids == [20, 21])
        observation.dispose()
        try await graph.detach()
        let copy = Cache()
        try await graph.attach(to: copy)
        #expect(copy.list("best", of: Book.self).ids == [20, 21])
    }

    @Test func rowThatCannotMoveToTheQuarantineIsNotOverwritten() async throws {
        try await write()
        let table = "flatcache_lists_book"
        try folder.run("UPDATE \(table) SET value = x'FFFF' WHERE id = 'best'")
        let cache = Cache()
        let graph = try graph()
        let other = try Database(path: path, lockTimeout: .zero)
        try other.execute(
            "CREATE TRIGGER t BEFORE INSERT ON flatcache_quarantine BEGIN "
                + "SELECT RAISE(ABORT, 'no'); END"
        )
        try await graph.attach(to: cache)
        try other.execute("DROP TRIGGER t")
        other.close()
        #expect(folder.errors.all.contains { $0.kind == .undecodable })
        cache.list("best", of: Book.self).append(contentsOf: books(11...11))
        try await graph.flush()
        #expect(try folder.run("SELECT hex(value) FROM flatcache_quarantine") == ["FFFF"])
        #expect(try folder.run("SELECT count(*) FROM \(table) WHERE id = 'best'") == ["1"])
    }
}
