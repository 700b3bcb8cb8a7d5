import FlatCache
import FlatCacheTesting
import Foundation
import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

/// Tests of the responses of requests in a file.
struct DurableResponsesTests {
    private struct Unencodable: Decodable, Sendable {
        var text = "text"
    }

    private struct NotFound: Error {}

    private let folder: GraphFolder
    private let clock = ManualClock()
    /// The names of the requests that were made.
    private let requests = Recorder<String>()

    init() throws {
        folder = try GraphFolder()
    }

    /// Returns a cache with a new graph of the file.
    private func reopened(
        _ responses: DurableResponses = DurableResponses()
    ) async throws -> (Cache, SQLiteGraph) {
        let cache = Cache(configuration: CacheConfiguration(clock: clock))
        let graph = try folder.graph(wallClock: clock.wallClock) {
            Durable(Book.self, "book")
            responses
        }
        try await graph.attach(to: cache)
        return (cache, graph)
    }

    /// Loads a request, whose answer is a value.
    private func load<Response: Sendable>(
        _ name: String,
        _ response: Response,
        staleAfter staleness: CacheStaleness<Response> = .never,
        policy: LoadPolicy = .cacheFirst,
        in cache: Cache
    ) async throws -> Response {
        try await cache.load(name, staleAfter: staleness, policy: policy) { [requests] in
            requests.append(name)
            return response
        }
    }

    /// Writes the response `[1, 2]` to a file, which is stale after a minute.
    private func writeResponse(_ name: String = "numbers") async throws {
        let (cache, graph) = try await reopened()
        _ = try await load(name, [1, 2], staleAfter: .seconds(60), in: cache)
        try await graph.detach()
    }

    @Test func responseIsAnsweredAfterARestart() async throws {
        try await writeResponse()
        clock.advance(by: .seconds(40))
        let (cache, graph) = try await reopened()
        // Only a load reads the file.
        #expect(cache.freshness(ofRequest: "numbers").isMissing)
        #expect(try await load("numbers", [3], in: cache) == [1, 2])
        // The response is as old as its row.
        let since = cache.now.advanced(by: .seconds(-40))
        #expect(cache.freshness(ofRequest: "numbers") == .fresh(since: since))
        #expect(requests.all == ["numbers"])
        // The lifetime continues.
        clock.advance(by: .seconds(21))
        #expect(cache.freshness(ofRequest: "numbers").isStale)
        #expect(try await load("numbers", [3], in: cache) == [3])
        // A restored response isn't written again, but a new one is.
        try await graph.flush()
        #expect(try await graph.statistics.transactionCount == 1)
        let (copy, _) = try await reopened()
        #expect(try await load("numbers", [4], in: copy) == [3])
        #expect(folder.errors.all.isEmpty)
    }

    @Test func staleResponseIsUsedByThePolicyOfALoad() async throws {
        try await writeResponse()
        clock.advance(by: .seconds(100))
        let (cache, graph) = try await reopened()
        #expect(try await load("numbers", [3], policy: .cacheOnly, in: cache) == [1, 2])
        #expect(cache.freshness(ofRequest: "numbers").isStale)
        #expect(requests.all == ["numbers"])
        #expect(try await load("numbers", [4], policy: .networkOnly, in: cache) == [4])
        try await graph.detach()
        clock.advance(by: .seconds(100))
        let (copy, _) = try await reopened()
        #expect(try await load("numbers", [5], in: copy) == [4])
    }

    @Test func responseThatHasBeenStaleForTooLongIsMissing() async throws {
        try await writeResponse("first")
        try await writeResponse("second")
        let (cache, graph) = try await reopened()
        clock.advance(by: .seconds(361))
        await #expect(throws: LoadError.self) {
            _ = try await load("first", [3], policy: .cacheOnly, in: cache)
        }
        try await graph.detach()
        let (_, other) = try await reopened()
        #expect(try await other.statistics.rowCounts["flatcache_responses"] == 0)
    }

    @Test func clockThatWasSetBackDoesNotExtendALifetime() async throws {
        clock.advance(by: .seconds(1_000_000))
        try await writeResponse()
        let cache = Cache(configuration: CacheConfiguration(clock: clock))
        let graph = try folder.graph(wallClock: { Date(timeIntervalSince1970: 0) }) {
            DurableResponses()
        }
        try await graph.attach(to: cache)
        #expect(try await load("numbers", [3], in: cache) == [1, 2])
        clock.advance(by: .seconds(61))
        #expect(cache.freshness(ofRequest: "numbers").isStale)
    }

    @Test func responsesOfAllCodableTypesRoundTrip() async throws {
        let nothing: Int? = nil
        let (cache, graph) = try await reopened()
        _ = try await load("optional", nothing, in: cache)
        _ = try await load("number", 7, in: cache)
        _ = try await load("text", "text", in: cache)
        _ = try await load("data", Data([1, 2]), in: cache)
        _ = try await load("books", [Book(id: 1, title: "One")], in: cache)
        _ = try await load("references", ["a": Related<Book>(1)], in: cache)
        try await graph.detach()
        requests.removeAll()
        let (copy, _) = try await reopened()
        #expect(try await load("optional", Optional(1), in: copy) == nil)
        #expect(try await load("number", 0, in: copy) == 7)
        #expect(try await load("text", "", in: copy) == "text")
        #expect(try await load("data", Data(), in: copy) == Data([1, 2]))
        #expect(try await load("books", [Book](), in: copy) == [Book(id: 1, title: "One")])
        #expect(try await load("references", [:], in: copy) == ["a": Related<Book>(1)])
        #expect(requests.all.isEmpty)
        #expect(folder.errors.all.isEmpty)
    }

    @Test func responseThatIsNotCodableIsMissingAfterARestart() async throws {
        try await writeResponse()
        let (cache, graph) = try await reopened()
        let other = try await load("other", Unencodable(), in: cache)
        #expect(other.text == "text")
        // It replaces an older response, which would be wrong after a restart.
        let policy = LoadPolicy.networkOnly
        _ = try await load("numbers", Unencodable(), policy: policy, in: cache)
        try await graph.detach()
        #expect(try folder.run("SELECT id FROM flatcache_responses") == [])
        #expect(folder.errors.all.isEmpty)
        let (copy, _) = try await reopened()
        _ = try await load("other", Unencodable(), in: copy)
        #expect(requests.all == ["numbers", "other", "numbers", "other"])
    }

    @Test func responseOfAnotherTypeMovesToTheQuarantine() async throws {
        try await writeResponse()
        let (cache, graph) = try await reopened()
        #expect(try await load("numbers", ["three"], in: cache) == ["three"])
        #expect(folder.errors.all.map(\.kind) == [.undecodable])
        let reason = try #require(folder.errors.all.first?.reason)
        #expect(reason.hasPrefix("The response of the request \"numbers\" can't be decoded"))
        #expect(try await graph.statistics.quarantinedRowCount == 1)
        try await graph.detach()
        let (copy, _) = try await reopened()
        #expect(try await load("numbers", ["four"], in: copy) == ["three"])
    }

    @Test func invalidationConcernsResponsesThatMemoryLacks() async throws {
        for name in ["a", "b?1", "b?2", "c"] { try await writeResponse(name) }
        let (cache, graph) = try await reopened()
        cache.invalidate(request: "a")
        // Before and after the flush, the rows are stale.
        #expect(try await load("a", [3], policy: .cacheOnly, in: cache) == [1, 2])
        #expect(cache.freshness(ofRequest: "a").isStale)
        cache.invalidate(requestsWithPrefix: "b?")
        #expect(try await load("b?1", [3], policy: .cacheOnly, in: cache) == [1, 2])
        #expect(cache.freshness(ofRequest: "b?1").isStale)
        try await graph.detach()
        let (copy, _) = try await reopened()
        for (name, isStale) in [("a", true), ("b?1", true), ("b?2", true), ("c", false)] {
            #expect(try await load(name, [3], policy: .cacheOnly, in: copy) == [1, 2])
            #expect(copy.freshness(ofRequest: name).isStale == isStale, "\(name)")
        }
    }

    @Test func removalOfEverythingDeletesResponses() async throws {
        try await writeResponse()
        let (cache, graph) = try await reopened()
        cache.removeAll()
        // The row isn't restored before the flush, either.
        await #expect(throws: LoadError.self) {
            _ = try await load("numbers", [3], policy: .cacheOnly, in: cache)
        }
        try await graph.flush()
        #expect(try await graph.statistics.rowCounts["flatcache_responses"] == 0)
    }

    @Test func onlyDeclaredRequestsAreKept() async throws {
        let (cache, graph) = try await reopened(
            DurableResponses(requestsWithPrefixes: ["books", "search?"])
        )
        for name in ["books", "search?q=a", "token"] {
            _ = try await load(name, [1], in: cache)
        }
        try await graph.detach()
        #expect(
            try folder.run("SELECT id FROM flatcache_responses") == ["books", "search?q=a"]
        )
        // The graph doesn't read others, either.
        let (copy, _) = try await reopened(DurableResponses(requestsWithPrefixes: ["books"]))
        #expect(try await load("search?q=a", [2], in: copy) == [2])
        #expect(try await load("books", [2], in: copy) == [1])
    }

    @Test func leastRecentlyUsedResponsesAreDeletedAboveTheLimit() async throws {
        let (cache, graph) = try await reopened(DurableResponses(limit: .count(10)))
        for number in 0..<30 {
            _ = try await load("request \(number)", number, in: cache)
            clock.advance(by: .seconds(1))
            try await graph.flush()
        }
        let names = try folder.run("SELECT id FROM flatcache_responses")
        #expect(names.count <= 10)
        #expect(names.contains("request 29") && !names.contains("request 0"))
    }

    @Test func readWithoutTheTypeOfAResponseLeavesTheRow() async throws {
        try await writeResponse()
        let (cache, graph) = try await reopened()
        // An import of another process's changes reads rows like this.
        let state = try await graph.load(RequestState.self, id: "numbers")
        #expect(state?.id == nil)
        #expect(try await graph.statistics.quarantinedRowCount == 0)
        #expect(try await load("numbers", [3], in: cache) == [1, 2])
    }

    @Test func failedRequestKeepsTheResponse() async throws {
        try await writeResponse()
        let (cache, graph) = try await reopened()
        await #expect(throws: NotFound.self) {
            _ = try await cache.load("numbers", policy: .networkOnly) { () -> [Int] in
                throw NotFound()
            }
        }
        try await graph.flush()
        #expect(try await load("numbers", [3], in: cache) == [1, 2])
    }
}
