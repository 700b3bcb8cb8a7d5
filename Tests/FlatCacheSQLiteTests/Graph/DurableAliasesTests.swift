import FlatCache
import Foundation
import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

extension Cache {
    fileprivate var newest: CachedAlias<Book> { alias("newest", of: Book.self) }
    fileprivate var oldest: CachedAlias<Book> { alias("oldest", of: Book.self, pinsTarget: false) }
}

/// Tests of aliases in a file.
struct DurableAliasesTests {
    private let folder: GraphFolder

    init() throws {
        folder = try GraphFolder()
    }

    /// Returns a cache with a new graph of the file.
    private func reopened(
        load loading: DurableLoading = .atStart
    ) async throws -> (Cache, SQLiteGraph) {
        let cache = Cache()
        let graph = try folder.graph {
            Durable(Book.self, "book")
            DurableAliases(of: Book.self, load: loading)
        }
        try await graph.attach(to: cache)
        return (cache, graph)
    }

    private func writeAliases() async throws {
        let (cache, graph) = try await reopened()
        cache.newest.set(Book(id: 7, title: "Seven"))
        cache.oldest.target = 1
        cache.set(Book(id: 8, title: "Eight"))
        try await graph.detach()
    }

    @Test func aliasesAreLoadedWithTheirEntities() async throws {
        try await writeAliases()
        let (cache, graph) = try await reopened()
        #expect(cache.version == 1)
        #expect(cache.newest.value?.title == "Seven")
        // The entity doesn't exist.
        #expect(cache.oldest.target == 1)
        #expect(cache.count(of: Book.self) == 1)
        cache.newest.target = 8
        cache.oldest.target = nil
        try await graph.detach()
        let (copy, _) = try await reopened()
        #expect(copy.newest.value?.title == "Eight")
        #expect(copy.oldest.target == nil)
        #expect(try folder.run("SELECT id FROM flatcache_aliases_book") == ["newest"])
        #expect(folder.errors.all.isEmpty)
    }

    @Test func entityIsLoadedWhenItsAliasIsObserved() async throws {
        try await writeAliases()
        let (cache, graph) = try await reopened(load: .onDemand)
        #expect(cache.newest.target == 7)
        #expect(cache.newest.value == nil)
        let titles = Recorder<String?>()
        let observation = cache.newest.observe { titles.append($0?.title) }
        #expect(await until { titles.all == ["Seven"] })
        observation.dispose()
        try await graph.detach()
    }

    @Test func aliasInMemoryIsNewerThanItsRow() async throws {
        try await writeAliases()
        let cache = Cache()
        cache.newest.target = 8
        let graph = try folder.graph {
            Durable(Book.self, "book")
            DurableAliases(of: Book.self)
        }
        try await graph.attach(to: cache)
        #expect(cache.newest.target == 8)
        #expect(cache.oldest.target == 1)
    }

    @Test func restoredAliasPinsItsEntityIfItDidBefore() async throws {
        try await writeAliases()
        var configuration = CacheConfiguration()
        configuration.limit(Book.self, .count(1))
        let cache = Cache(configuration: configuration)
        let graph = try folder.graph {
            Durable(Book.self, "book")
            DurableAliases(of: Book.self)
        }
        try await graph.attach(to: cache)
        cache.set(contentsOf: (1...5).map { Book(id: $0, title: "\($0)") })
        try await graph.flush()
        #expect(cache.newest.value?.title == "Seven")
        #expect(cache.oldest.value == nil)
    }

    @Test func removalOfEverythingDeletesAliases() async throws {
        try await writeAliases()
        let (cache, graph) = try await reopened()
        cache.removeAll()
        try await graph.flush()
        #expect(try await graph.statistics.rowCounts == ["book": 0, "flatcache_aliases_book": 0])
    }

    @Test func aliasesThatAreDeclaredTwiceTrap() async {
        await #expect(processExitsWith: .failure) {
            _ = try GraphFolder().graph {
                Durable(Book.self, "book")
                DurableAliases(of: Book.self)
                DurableAliases(of: Book.self)
            }
        }
    }
}
