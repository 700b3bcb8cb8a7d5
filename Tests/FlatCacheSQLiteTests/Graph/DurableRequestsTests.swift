import FlatCache
import FlatCacheTesting
import Foundation
import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

/// Tests of request handles whose responses are in a file with their entities.
struct DurableRequestsTests {
    struct Leaf: CacheEntity, Codable, Hashable {
        let id: Int
        var text: String
    }

    struct Stem: CacheEntity, Codable, Hashable {
        let id: Int
        var text: String
    }

    struct Unencodable: Sendable {}

    struct Refusal: Error {}

    let folder: GraphFolder
    let clock = ManualClock()
    /// The texts of the entities in the responses of the calls.
    let calls = Recorder<[String]>()
    /// The texts of the entities, as observers have found them in the cache.
    let shown = Recorder<[String?]>()

    init() throws {
        folder = try GraphFolder()
    }

    /// Returns a cache with a new graph of the file.
    func reopened(
        _ limit: DurableLimit = .none
    ) async throws -> (Cache, SQLiteGraph) {
        try await reopened {
            Durable(Leaf.self, "leaf", limit: limit)
            DurableResponses()
        }
    }

    func reopened(
        @DurableBuilder _ types: () -> [DurableBuilder.Declaration]
    ) async throws -> (Cache, SQLiteGraph) {
        let cache = Cache(configuration: CacheConfiguration(clock: clock))
        let graph = try folder.graph(wallClock: clock.wallClock, types)
        try await graph.attach(to: cache)
        return (cache, graph)
    }

    func leaves(_ ids: some Sequence<Int>, _ text: String = "old") -> [Leaf] {
        ids.map { Leaf(id: $0, text: "\(text) \($0)") }
    }

    /// Returns a request for a page of entities, whose response contains their identifiers only.
    func page(
        _ leaves: [Leaf],
        named name: String = "page",
        in cache: Cache
    ) -> CachedRequest<[Related<Leaf>]> {
        cache.request(name, staleAfter: .seconds(60)) { [calls] in
            calls.append(leaves.map(\.text))
            let body = try JSONEncoder().encode(leaves)
            return try JSONDecoder().decode([Related<Leaf>].self, from: body)
        }
    }

    func texts(_ response: [Related<Leaf>], in cache: Cache?) -> [String?] {
        response.map { leaf in cache.flatMap { leaf.value(in: $0)?.text } }
    }

    func observe(_ page: CachedRequest<[Related<Leaf>]>, in cache: Cache) -> Disposable {
        page.observe { [weak cache, shown, texts] in shown.append(texts($0, cache)) }
    }

    var names: [String] {
        get throws { try folder.run("SELECT id FROM flatcache_responses ORDER BY id") }
    }

    /// Writes a page of entities to a file, and forgets the call.
    func write(
        _ name: String = "page",
        _ ids: ClosedRange<Int> = 1...2,
        _ limit: DurableLimit = .none
    ) async throws {
        let (cache, graph) = try await reopened(limit)
        try await page(leaves(ids), named: name, in: cache).load()
        try await graph.detach()
        calls.removeAll()
    }

    // MARK: Restoring

    @Test func freshResponseIsShownWithItsEntitiesBeforeAnyCall() async throws {
        try await write()
        clock.advance(by: .seconds(40))
        let (cache, graph) = try await reopened()
        let page = self.page(leaves([3], "new"), in: cache)
        #expect(page.value == nil)
        let observation = observe(page, in: cache)
        #expect(await until { shown.count == 1 && !page.loadState.isLoading })
        #expect(page.value == [Related(1), Related(2)])
        #expect(page.freshness.isFresh)
        #expect(shown.all == [["old 1", "old 2"]])
        #expect(cache.version == 1)
        #expect(calls.all.isEmpty)
        // An entity of the response is followed.
        cache.update(Leaf.self, id: 2) { $0.text = "changed" }
        #expect(shown.all == [["old 1", "old 2"], ["old 1", "changed"]])
        // The lifetime continues.
        clock.advance(by: .seconds(21))
        #expect(await until { calls.count == 1 && shown.all.last == ["new 3"] })
        observation.dispose()
        try await graph.detach()
        #expect(folder.errors.all.isEmpty)
    }

    @Test func staleResponseIsShownAndThenLoaded() async throws {
        try await write()
        clock.advance(by: .seconds(100))
        let (cache, graph) = try await reopened()
        let page = self.page(leaves([3], "new"), in: cache)
        let observation = observe(page, in: cache)
        #expect(await until { shown.count == 2 && !page.loadState.isLoading })
        #expect(shown.all == [["old 1", "old 2"], ["new 3"]])
        #expect(calls.all == [["new 3"]])
        observation.dispose()
        try await graph.detach()
    }

    @Test func loadRestoresEntitiesInOneCommit() async throws {
        try await write()
        let (cache, graph) = try await reopened()
        cache.set(Leaf(id: 2, text: "newer"))
        let response = try await page(leaves([3]), in: cache).load()
        #expect(texts(response, in: cache) == ["old 1", "newer"])
        #expect(cache.version == 2)
        // Both are read again after memory has lost them.
        try await graph.flush()
        cache.pruneUnobservedValues()
        #expect(cache.count(of: Leaf.self) == 0)
        _ = try await cache.load("page") { [Related<Leaf>]() }
        #expect(texts(response, in: cache) == ["old 1", "newer"])
        #expect(calls.all.isEmpty)
    }

    @Test func partOfAnEntityInMemoryIsCompletedFromTheFile() async throws {
        func reopened() async throws -> (Cache, SQLiteGraph) {
            try await self.reopened {
                Durable(Profile.self, "profile")
                DurableResponses()
            }
        }
        func request(in cache: Cache) -> CachedRequest<Related<Profile>> {
            cache.request("profile", staleAfter: .seconds(60)) { [calls] in
                calls.append(["call"])
                let body = try JSONEncoder().encode(Profile(id: 1, name: "old", email: "e"))
                return try JSONDecoder().decode(Related<Profile>.self, from: body)
            }
        }
        let (first, firstGraph) = try await reopened()
        try await request(in: first).load()
        try await firstGraph.detach()
        let (cache, graph) = try await reopened()
        cache.set(Profile(id: 1, name: "pushed"))
        let found = Recorder<Profile?>()
        let observation = request(in: cache).map { $0.value(in: $1) }.observe { found.append($0) }
        #expect(await until { found.count == 1 })
        #expect(found.all == [Profile(id: 1, name: "pushed", email: "e")])
        #expect(calls.count == 1)
        observation.dispose()
        try await graph.detach()
        #expect(folder.errors.all.isEmpty)
    }

    @Test func pauseOfLoadsHidesNoResponse() async throws {
        try await write()
        clock.advance(by: .seconds(100))
        let (cache, graph) = try await reopened()
        let pause = cache.pauseLoads()
        let page = self.page(leaves([3], "new"), in: cache)
        let observation = observe(page, in: cache)
        #expect(await until { shown.all == [["old 1", "old 2"]] })
        #expect(calls.all.isEmpty)
        pause.dispose()
        #expect(await until { shown.all == [["old 1", "old 2"], ["new 3"]] })
        observation.dispose()
        try await graph.detach()
        #expect(folder.errors.all.isEmpty)
    }

    @Test func invalidationConcernsTheNextLaunch() async throws {
        try await write()
        let (first, firstGraph) = try await reopened()
        first.invalidate(request: "page")
        try await firstGraph.detach()
        let (cache, graph) = try await reopened()
        let page = self.page(leaves([3], "new"), in: cache)
        let observation = observe(page, in: cache)
        #expect(await until { shown.count == 2 && !page.loadState.isLoading })
        #expect(shown.all == [["old 1", "old 2"], ["new 3"]])
        observation.dispose()
        try await graph.detach()
    }

    @Test func ageOfAnInvalidatedResponseIsKept() async throws {
        try await write()
        let (first, firstGraph) = try await reopened()
        try await page([], in: first).load()
        clock.advance(by: .seconds(20))
        first.invalidate(request: "page")
        try await firstGraph.detach()
        let (cache, _) = try await reopened()
        _ = try await cache.load("page", policy: .cacheOnly) { [Related<Leaf>]() }
        #expect(cache.requests.map(\.age) == [.seconds(20)])
    }

    @Test func responseInMemoryIsNotReadAgain() async throws {
        let (cache, graph) = try await reopened()
        let page = self.page(leaves([1]), in: cache)
        let observation = observe(page, in: cache)
        #expect(await until { calls.count == 1 && !page.loadState.isLoading })
        try await graph.flush()
        try folder.run("UPDATE flatcache_responses SET value = x'FF00'")
        clock.advance(by: .seconds(61))
        #expect(await until { calls.count == 2 && !page.loadState.isLoading })
        #expect(folder.errors.all.isEmpty)
        observation.dispose()
        try await graph.detach()
    }

    @Test func responseWithoutAListOfEntitiesIsMissing() async throws {
        try await write()
        try folder.run("UPDATE flatcache_responses SET stamp = NULL")
        let (cache, _) = try await reopened()
        try await page(leaves([3]), in: cache).load()
        #expect(calls.all == [["old 3"]])
        #expect(folder.errors.all.isEmpty)
    }

    // MARK: Other types

    @Test func responseOfAnotherTypeIsMissing() async throws {
        try await write("text")
        try await write("unencodable")
        let (cache, graph) = try await reopened()
        let texts = Recorder<String>()
        let request = cache.request("text") { "text" }
        let observation = request.observe { texts.append($0) }
        #expect(await until { texts.all == ["text"] })
        #expect(folder.errors.all.map(\.kind) == [.undecodable])
        let answers = Recorder<Unencodable>()
        let other = cache.request("unencodable") { Unencodable() }.observe { answers.append($0) }
        #expect(await until { answers.count == 1 })
        observation.dispose()
        other.dispose()
        try await graph.detach()
        #expect(try names == ["text"])
        #expect(folder.errors.all.count == 1)
    }

    @Test func responseWithEntitiesOfATypeThatIsNotKeptIsMissing() async throws {
        let (cache, graph) = try await reopened()
        try await cache.request("stems") { [Related<Stem>(1)] }.load()
        try await page(leaves([1]), named: "mixed", in: cache).load()
        try await graph.flush()
        #expect(try names == ["mixed"])
        // A response that can't be kept replaces a former one.
        _ = try await cache.load("mixed", policy: .networkOnly) {
            let body = Data(#"{"id":1,"text":"stem"}"#.utf8)
            _ = try JSONDecoder().decode(Related<Stem>.self, from: body)
            return [Related<Leaf>(1)]
        }
        try await graph.detach()
        #expect(try names == [])
    }

    @Test func responseIsMissingWithoutTheDeclarationOfItsEntities() async throws {
        try await write()
        let (cache, _) = try await reopened {
            Durable(Stem.self, "stem")
            DurableResponses()
        }
        try await page(leaves([3]), in: cache).load()
        #expect(calls.all == [["old 3"]])
    }

    // MARK: Removed entities

    @Test(arguments: [DurableLimit.none, .count(100)])
    func removedEntityDoesNotMakeAResponseMissing(_ limit: DurableLimit) async throws {
        try await write("page", 1...2, limit)
        let (cache, graph) = try await reopened(limit)
        // The file still has the row.
        cache.remove(Leaf.self, id: 1)
        let response = try await page(leaves([3]), in: cache).load()
        #expect(texts(response, in: cache) == [nil, "old 2"])
        try await graph.detach()
        // The file has no row.
        let (second, secondGraph) = try await reopened(limit)
        #expect(try await page(leaves([3]), in: second).load() == response)
        #expect(texts(response, in: second) == [nil, "old 2"])
        // The response is written again, and the removed entity returns.
        second.invalidate(request: "page")
        try await secondGraph.flush()
        second.set(Leaf(id: 1, text: "back"))
        try await secondGraph.detach()
        let (third, _) = try await reopened(limit)
        _ = try await third.load("page", policy: .cacheOnly) { [Related<Leaf>]() }
        #expect(texts(response, in: third) == ["back", "old 2"])
        #expect(calls.all.isEmpty)
    }

    @Test func entityThatIsRemovedBeforeTheFlushDoesNotMakeAResponseMissing() async throws {
        let (cache, graph) = try await reopened()
        try await page(leaves([1, 2]), named: "first", in: cache).load()
        try await page(leaves([2, 3]), named: "second", in: cache).load()
        cache.remove(Leaf.self, id: 1)
        try await graph.flush()
        #expect(try names == ["first", "second"])
        try await page(leaves([2, 3]), named: "third", in: cache).load()
        cache.removeAll(Leaf.self)
        try await graph.detach()
        #expect(try names == ["first", "second", "third"])
        calls.removeAll()
        let (copy, _) = try await reopened()
        for name in ["first", "second", "third"] {
            let response = try await page(leaves([9]), named: name, in: copy).load()
            #expect(texts(response, in: copy) == [nil, nil])
        }
        #expect(calls.all.isEmpty)
    }

    // MARK: Sharing

    @Test func responseOfAnotherProcessIsRestoredWithItsEntities() async throws {
        let shared = try await SharedFile {
            Durable(Leaf.self, "leaf")
            DurableResponses()
        }
        let (first, second) = (shared.first.cache, shared.second.cache)
        try await page(leaves(1...2), in: first).load()
        try await shared.synchronize()
        let page = self.page(leaves([3]), in: second)
        let observation = observe(page, in: second)
        #expect(await until { shown.count == 1 && !page.loadState.isLoading })
        #expect(shown.all == [["old 1", "old 2"]])
        #expect(calls.count == 1)
        // The response remains after the other process has removed an entity.
        first.remove(Leaf.self, id: 1)
        try await shared.synchronize()
        #expect(await until { shown.count == 2 })
        #expect(shown.all.last == [nil, "old 2"])
        #expect(page.value?.count == 2 && calls.count == 1)
        observation.dispose()
    }
}
