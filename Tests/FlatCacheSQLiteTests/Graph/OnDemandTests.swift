import FlatCache
import Foundation
import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

/// Tests of loads and observations that ask the file.
struct OnDemandTests {
    private let folder: GraphFolder

    init() throws {
        folder = try GraphFolder()
    }

    private func attached() async throws -> (Cache, SQLiteGraph) {
        let cache = Cache()
        let graph = try folder.graph(books: .onDemand)
        try await graph.attach(to: cache)
        return (cache, graph)
    }

    private func writeBooks() async throws {
        let (cache, graph) = try await attached()
        cache.set(contentsOf: (0..<10).map { Book(id: $0, title: "Book \($0)") })
        try await graph.detach()
    }

    @Test func allEntitiesOfATypeAreLoadedForAQuery() async throws {
        try await writeBooks()
        let (cache, graph) = try await attached()
        cache.set(Book(id: 3, title: "Newer"))
        let query = cache.query(Book.self).where { $0.id < 6 }
        #expect(query.ids == [3])
        cache.remove(Book.self, id: 4)
        try await graph.load(Book.self)
        #expect(cache.version == 2)
        #expect(Set(query.ids) == [0, 1, 2, 3, 5])
        #expect(cache.count(of: Book.self) == 9)
        // Rows that can't be decoded don't keep the others from being loaded.
        cache.pruneUnobservedValues()
        try await graph.flush()
        try folder.run("UPDATE book SET value = x'FF00' WHERE id = 5")
        try await graph.load(Book.self)
        #expect(cache.count(of: Book.self) == 8)
        #expect(folder.errors.all.map(\.kind) == [.undecodable])
        try await graph.detach()
        try await graph.load(Book.self)
    }

    @Test func severalEntitiesAreLoadedInOneCommit() async throws {
        try await writeBooks()
        let (cache, graph) = try await attached()
        cache.set(Book(id: 3, title: "Newer"))
        cache.remove(Book.self, id: 4)
        let books = try await graph.load(Book.self, ids: [3, 4, 5, 6, 30])
        #expect(books.mapValues(\.title) == [3: "Newer", 5: "Book 5", 6: "Book 6"])
        #expect(cache.version == 2)
        #expect(cache.count(of: Book.self) == 3)
        try await graph.detach()
        #expect(try await graph.load(Book.self, ids: [4, 5]).keys.sorted() == [5])
    }

    @Test func loadAsksTheFileBeforeTheNetwork() async throws {
        try await writeBooks()
        let requests = Recorder<Int>()
        let (cache, _) = try await attached()
        cache.setLoader(for: Book.self) { ids in
            for id in ids { requests.append(id) }
            return ids.map { Book(id: $0, title: "Downloaded") }
        }
        #expect(try await cache.load(Book.self, id: 3)?.title == "Book 3")
        #expect(requests.all.isEmpty)
        #expect(try await cache.load(Book.self, id: 30)?.title == "Downloaded")
        #expect(requests.all == [30])
    }

    @Test func observationOfAMissingEntityReadsItsRow() async throws {
        try await writeBooks()
        let (cache, graph) = try await attached()
        let titles = Recorder<String>()
        let observation = cache.cached(Book.self, id: 3).observe { titles.append($0.title) }
        #expect(await until { titles.all == ["Book 3"] })
        observation.dispose()
        try await graph.detach()
    }
}
