import FlatCache
import FlatCacheTesting
import Foundation
import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

/// Tests of lists that reload while they're observed, and that a file keeps.
struct DurableLoadingListTests {
    private let folder: GraphFolder
    private let clock = ManualClock()
    private let cursors = Recorder<String?>()

    init() throws { folder = try GraphFolder() }

    private func reopened(keepingList: Bool = true) async throws -> (Cache, SQLiteGraph) {
        let cache = Cache(configuration: CacheConfiguration(clock: clock))
        // The order of the declarations doesn't matter.
        let graph = try folder.graph(wallClock: clock.wallClock) {
            DurableResponses()
            Durable(Book.self, "book")
            DurableList(keepingList ? "feed" : "other", of: Book.self)
        }
        try await graph.attach(to: cache)
        return (cache, graph)
    }

    private func feed(in cache: Cache) -> LoadingList<Book> {
        cache.list("feed", of: Book.self).loading(staleAfter: .seconds(60)) { [cursors] cursor in
            cursors.append(cursor)
            return ListPage([Book(id: cursors.count, title: "")], next: nil)
        }
    }

    /// Loads the list, and writes it to the file.
    private func write(keepingList: Bool = true) async throws {
        let (cache, graph) = try await reopened(keepingList: keepingList)
        let feed = feed(in: cache)
        try await feed.reload()
        #expect(feed.elements.map(\.id) == [1])
        try await graph.detach()
    }

    @Test func timeOfTheReloadIsKept() async throws {
        try await write()
        clock.advance(by: .seconds(40))
        let (cache, graph) = try await reopened()
        let feed = feed(in: cache)
        #expect(feed.elements.map(\.id) == [1])
        let token = feed.observe { _ in }
        #expect(await until { feed.freshness.isFresh && !feed.loadState.isLoading })
        #expect(cursors.count == 1)
        clock.advance(by: .seconds(20))
        cache.expireValues()
        #expect(await until { cursors.count == 2 && feed.freshness.isFresh })
        #expect(feed.elements.map(\.id) == [2])
        token.dispose()
        try await graph.detach()
        #expect(folder.errors.all.isEmpty)
    }

    @Test func listThatIsNotKeptIsReloaded() async throws {
        try await write(keepingList: false)
        let (cache, _) = try await reopened(keepingList: false)
        let feed = feed(in: cache)
        #expect(feed.elements.isEmpty)
        let token = feed.observe { _ in }
        #expect(await until { feed.elements.map(\.id) == [2] })
        token.dispose()
    }
}
