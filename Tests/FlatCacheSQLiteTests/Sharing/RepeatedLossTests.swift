import FlatCache
import FlatCacheTesting
import Foundation
import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

/// Tests of graphs that notice the loss of a shared file late, or only after further losses.
struct RepeatedLossTests {
    private let file: SharedFile

    init() async throws {
        file = try await SharedFile()
    }

    private func book(_ id: Int, _ title: String) -> Book { Book(id: id, title: title) }

    private func wait() { file.clock.advance(by: .seconds(1)) }

    /// A third graph shows the change, and writes other entities to the file at the path.
    @Test(arguments: [DurableLoading.onDemand, .atStart])
    func writtenChangeOutlivesTheValueOfASuspendedGraph(load: DurableLoading) async throws {
        let (suspended, other) = (file.first, file.second)
        other.cache.set(book(1, "old"))
        try await other.graph.flush()
        try await suspended.graph.flush()
        await file.stopWatching()
        let third = try file.folder.graph(wallClock: file.clock.wallClock) {
            Durable(Book.self, "book", load: load)
        }
        let cache = Cache()
        try await third.attach(to: cache)
        try await suspended.graph.suspend()
        wait()
        other.cache.set(book(1, "new"))
        try await other.graph.flush()
        try await third.flush()
        try file.delete()
        wait()
        try await third.flush()
        wait()
        try await suspended.graph.resume()
        wait()
        try await other.graph.flush()
        try await file.expectAgreement([book(1, "new")])
        withExtendedLifetime(cache) {}
    }

    /// The record of so many entities doesn't list them.
    @Test(arguments: [DurableLimit.none, .count(100_000)])
    func writtenChangeOutlivesALargeRewriting(limit: DurableLimit) async throws {
        let file = try await SharedFile {
            Durable(Author.self, "author", limit: limit, load: .atStart)
        }
        let (suspended, other) = (file.first, file.second)
        let ids = (0..<3_000).map { String(repeating: "x", count: 100) + "\($0)" }
        suspended.cache.set(contentsOf: ids.map { Author(id: $0, name: "old") })
        try await file.synchronize()
        await file.stopWatching()
        try await suspended.graph.suspend()
        file.clock.advance(by: .seconds(1))
        other.cache.set(Author(id: ids[0], name: "new"))
        try await other.graph.flush()
        file.clock.advance(by: .seconds(1))
        try file.delete()
        try await suspended.graph.resume()
        for graph in [other.graph, suspended.graph, other.graph] {
            file.clock.advance(by: .seconds(1))
            try await graph.flush()
        }
        for cache in [suspended.cache, other.cache] {
            #expect(cache[Author.self, ids[0]]?.name == "new")
        }
    }

    /// The removal was only in the lost file, so a value of a suspended graph undoes it in all
    /// caches.
    @Test(arguments: [false, true])
    func removalThatIsUndoneIsUndoneEverywhere(isReopened: Bool) async throws {
        let (first, second) = (file.first, file.second)
        first.cache.set(book(1, "old"))
        try await file.synchronize()
        try await second.graph.suspend()
        wait()
        first.cache.remove(Book.self, id: 1)
        try await first.graph.flush()
        try file.delete()
        wait()
        // The first graph opens the file at the path before the other one writes to it.
        if isReopened { try await first.graph.engine.attachAgain() }
        try await second.graph.resume()
        for id in 2...3 {
            first.cache.set(book(id, "new"))
            try await first.graph.flush()
            try await second.graph.flush()
            wait()
        }
        try await file.expectAgreement([book(1, "old"), book(2, "new"), book(3, "new")])
    }

    /// The file system can give the number of the deleted file to the next one.
    @Test func fileThatAnUnattachedGraphCreatesIsNoticed() async throws {
        let (first, second) = (file.first, file.second)
        second.cache.set(book(9, "old"))
        try await second.graph.flush()
        first.cache.set(book(1, "old"))
        try await file.synchronize()
        try await second.graph.suspend()
        try await first.graph.detach()
        try await first.graph.suspend()
        try FileManager.default.removeItem(at: file.folder.url)
        try await first.graph.resume()
        let cache = Cache(configuration: CacheConfiguration(clock: file.clock))
        try await first.graph.attach(to: cache)
        for id in 2...3 {
            wait()
            cache.set(book(id, "new"))
            try await first.graph.flush()
        }
        wait()
        try await second.graph.resume()
        try await first.graph.flush()
        for cache in [cache, second.cache] {
            #expect(cache.ids(of: Book.self).sorted() == [1, 2, 3, 9])
        }
        #expect(try file.folder.run("SELECT id FROM book ORDER BY id") == ["1", "2", "3", "9"])
    }

    @Test func fileBesideTheFileThatIsDeletedIsNoticed() async throws {
        let (first, second) = (file.first, file.second)
        first.cache.set(book(1, "old"))
        try await first.graph.flush()
        await file.stopWatching()
        try await second.graph.suspend()
        try FileManager.default.removeItem(atPath: file.folder.url.path + "-shm")
        second.cache.set(book(2, "second"))
        // Another shared memory would hide the transactions of each from the other.
        try? await second.graph.resume()
        for id in 3...4 {
            wait()
            first.cache.set(book(id, "first"))
            try await first.graph.flush()
            try? await second.graph.resume()
            try await second.graph.flush()
        }
        try await file.expectAgreement(
            [book(1, "old"), book(2, "second"), book(3, "first"), book(4, "first")]
        )
        #expect(try file.folder.run("PRAGMA integrity_check") == ["ok"])
    }
}
