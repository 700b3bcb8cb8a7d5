import Testing

@testable import FlatCache

/// A request for a page belongs to no caller, and so to no caller's ingest.
@Suite(.timeLimit(.minutes(15)))
struct CachedListLoadingScopesTests {
    private struct Failure: Error, Equatable {}

    private enum Context {
        @TaskLocal static var name = "none"
    }

    let cache = Cache()
    let list: CachedList<Book>

    init() {
        list = cache.list("list", of: Book.self)
    }

    /// Loads a page whose book is stored by an ingest of its own.
    private func load() async throws -> Bool {
        try await list.loadNext { [cache] _ in
            cache.ingest { ingestion in ingestion.collect(Book(id: 1)) }
            await cache.ingest { ingestion in
                await Task.yield()
                ingestion.collect(Book(id: 2))
            }
            return ListPage([Related(1), Related(2)], next: "b")
        }
    }

    @Test func aPageKeepsItsEntitiesIfTheIngestOfItsCallerFails() async throws {
        await #expect(throws: Failure()) {
            try await cache.ingest {
                let isMerged = try await load()
                #expect(isMerged)
                throw Failure()
            }
        }
        #expect(list.ids == [1, 2])
        #expect(list.elements.map(\.id) == [1, 2])
    }

    @Test func aPageIsCompleteBeforeTheIngestOfItsCallerEnds() async throws {
        try await cache.ingest {
            let isMerged = try await load()
            #expect(isMerged)
            #expect(list.elements.map(\.id) == [1, 2])
        }
    }

    @Test func aRequestInheritsOtherTaskLocalValues() async throws {
        let names = Recorder<String>()
        try await Context.$name.withValue("caller") {
            try await list.loadNext { _ in
                names.append(Context.name)
                return ListPage([Book(id: 1)], next: nil)
            }
        }
        #expect(names.all == ["caller"])
    }
}
