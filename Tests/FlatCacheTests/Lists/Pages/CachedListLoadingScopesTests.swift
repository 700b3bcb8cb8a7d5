import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// A request for a page belongs to no caller, and so to no caller's ingest.
@Suite(.timeLimit(.minutes(15)))
struct CachedListLoadingScopesTests {
    private struct Failure: Error, Equatable {}

    private enum Context {
        @TaskLocal static var name = "none"
    }

    /// An entity that a merge leaves out, and that uses the cache when it's released.
    private final class Parcel: CacheEntity, Mergeable {
        let id: Int
        private let cache: Cache
        private let releases: Recorder<Bool>

        init(id: Int, _ cache: Cache, _ releases: Recorder<Bool>) {
            self.id = id
            self.cache = cache
            self.releases = releases
        }

        deinit { releases.append(cache.core.writerLock.isHeldByCurrentThread) }

        func merged(with other: Parcel) -> Parcel { self }
    }

    let cache = Cache()
    let list: CachedList<Book>

    init() {
        list = cache.list("list", of: Book.self)
    }

    /// Loads a page whose book is stored by an ingest of its own.
    private func load() async throws -> Bool {
        try await list.loadNext { [cache] _ in
            cache.ingest { Ingestion.current?.collect(Book(id: 1)) }
            await cache.ingest {
                await Task.yield()
                Ingestion.current?.collect(Book(id: 2))
            }
            return ListPage([Related(1), Related(2)], next: "b")
        }
    }

    @Test func pageKeepsItsEntitiesIfTheIngestOfItsCallerFails() async throws {
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

    @Test func pageIsCompleteBeforeTheIngestOfItsCallerEnds() async throws {
        try await cache.ingest {
            let isMerged = try await load()
            #expect(isMerged)
            #expect(list.elements.map(\.id) == [1, 2])
        }
    }

    @Test func pageAndTheEntitiesOfItsResponseAreOneCommit() async throws {
        let counts = Recorder<[Int]>()
        let token = cache.observeAll(Book.self, initial: false) { [list] _ in
            counts.append([list.ids.count, list.elements.count])
        }
        #expect(try await load())
        await cache.waitForObservers()
        #expect(counts.all == [[2, 2]])
        token.dispose()
    }

    @Test func decodedEntitiesNeedNoIngest() async throws {
        struct Page: Decodable {
            var items: [Related<Library.City>]
            var next: String?
        }
        let cities = cache.list("cities", of: Library.City.self)
        try await cities.loadNext { _ in
            let page = try decoded(Page.self, #"{"items": [{"id": "1", "name": "Gont"}, "2"]}"#)
            return ListPage(page.items, next: page.next)
        }
        #expect(cities.ids == ["1", "2"])
        #expect(cities.elements.map(\.name) == ["Gont"])
        #expect(cities.next == .end)
    }

    @Test func valuesOfAnInnerIngestAreStoredOnceWithTheirStamp() async throws {
        cache.set(Book(id: 1, title: "new"), modifiedAt: 10)
        try await list.loadNext { [cache] _ in
            let books = cache.ingest(modifiedAt: 5) {
                [Book(id: 1, title: "old"), Book(id: 2, title: "old")]
            }
            return ListPage(books + [Book(id: 3, title: "plain")], next: nil)
        }
        #expect(list.elements.map(\.title) == ["new", "old", "plain"])
    }

    @Test func entitiesAreReleasedOutsideTheWritersLock() async throws {
        let parcels = cache.list("parcels", of: Parcel.self)
        let releases = Recorder<Bool>()
        cache.set(Parcel(id: 1, cache, releases))
        try await parcels.loadNext { [cache] _ in
            cache.ingest { Ingestion.current?.collect(Parcel(id: 1, cache, releases)) }
            return ListPage([Related(1)], next: nil)
        }
        #expect(releases.all == [false])
        cache.removeAll()
    }

    @Test func entitiesOfADroppedPageAreNotStored() async throws {
        let isMerged = try await list.loadNext { [cache] _ in
            cache.ingest { Ingestion.current?.collect(Book(id: 1)) }
            // A logout while the request is in flight.
            cache.removeAll()
            return ListPage([Related(1)], next: nil)
        }
        #expect(!isMerged)
        #expect(cache.count(of: Book.self) == 0)
        #expect(list.ids == [])
    }

    @Test func entitiesOfAFailedRequestAreNotStored() async throws {
        let scopes = Recorder<Ingestion?>()
        await #expect(throws: Failure()) {
            try await list.loadNext { [cache] _ in
                cache.ingest {
                    scopes.append(Ingestion.current)
                    Ingestion.current?.collect(Book(id: 1))
                }
                throw Failure()
            }
        }
        #expect(scopes.all.map(\.?.report.storedCount) == [1])
        #expect(cache.count(of: Book.self) == 0)
    }

    @Test func requestInheritsOtherTaskLocalValues() async throws {
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
