import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

@Suite(.timeLimit(.minutes(20)))
struct CacheRequestTests {
    private struct Failure: Error, Equatable {}

    private let clock = ManualClock()
    private let cache: Cache
    private let calls = Recorder<String>()
    private let server = HeldServer<String, Int>()

    init() { cache = Cache(configuration: CacheConfiguration(clock: clock)) }

    /// Loads a request whose response is the number of calls.
    private func load(
        _ name: String = "page",
        staleAfter staleness: CacheStaleness<Int> = .never,
        _ policy: LoadPolicy = .cacheFirst
    ) async throws -> Int {
        try await cache.load(name, staleAfter: staleness, policy: policy) { [calls] in
            calls.append(name)
            return calls.count
        }
    }

    private func loadFromServer(_ name: String = "page") async throws -> Int {
        try await cache.load(name) { [server] in try await server.response(to: name) }
    }

    private func waiterCount(_ name: String = "page") -> Int {
        cache.core.loads.waiterCount(for: CacheKey(RequestState.self, id: name))
    }

    // MARK: Policies

    @Test func freshResponseIsReturnedWithoutACall() async throws {
        #expect(cache.freshness(ofRequest: "page").isMissing)
        #expect(try await load() == 1)
        #expect(cache.freshness(ofRequest: "page").isFresh)
        for policy: LoadPolicy in [.cacheFirst, .staleWhileRevalidate, .cacheOnly] {
            #expect(try await load("page", policy) == 1)
        }
        #expect(try await load("other") == 2)
        #expect(try await load("page", .networkOnly) == 3)
        #expect(try await load() == 3)
    }

    private func load(_ name: String, _ policy: LoadPolicy) async throws -> Int {
        try await load(name, staleAfter: .never, policy)
    }

    @Test func responseBecomesStaleAfterItsLifetime() async throws {
        #expect(try await load(staleAfter: .seconds(60)) == 1)
        clock.advance(by: .seconds(59))
        #expect(try await load(staleAfter: .seconds(60)) == 1)
        clock.advance(by: .seconds(1))
        #expect(cache.freshness(ofRequest: "page").isStale)
        #expect(try await load("page", .cacheOnly) == 1)
        #expect(try await load(staleAfter: .seconds(60)) == 2)
        // The lifetime begins again.
        clock.advance(by: .seconds(59))
        #expect(try await load() == 2)
        clock.advance(by: .seconds(2))
        #expect(cache.freshness(ofRequest: "page").isStale)
        // The lifetime of the latest answer counts.
        #expect(try await load() == 3)
        clock.advance(by: .seconds(1_000_000))
        #expect(try await load() == 3)
    }

    @Test func eachRequestHasALifetimeOfItsOwn() async throws {
        _ = try await load("a", staleAfter: .seconds(10))
        _ = try await load("b", staleAfter: .seconds(20))
        _ = try await load("c")
        clock.advance(by: .seconds(10))
        #expect(cache.freshness(ofRequest: "a").isStale)
        #expect(cache.freshness(ofRequest: "b").isFresh)
        clock.advance(by: .seconds(10))
        #expect(cache.freshness(ofRequest: "b").isStale)
        #expect(cache.freshness(ofRequest: "c").isFresh)
    }

    @Test func staleResponseIsKeptForFiveMinutes() async throws {
        _ = try await load(staleAfter: .seconds(60))
        clock.advance(by: .seconds(60 + 299))
        cache.expireValues()
        #expect(try await load("page", .cacheOnly) == 1)
        clock.advance(by: .seconds(1))
        cache.expireValues()
        #expect(cache.freshness(ofRequest: "page").isMissing)
        await #expect(throws: LoadError.missingResponse(request: "page")) {
            try await load("page", .cacheOnly)
        }
    }

    @Test func invalidationDoesNotExtendTheTimeOfAStaleResponse() async throws {
        _ = try await load(staleAfter: .seconds(60))
        clock.advance(by: .seconds(60 + 200))
        cache.invalidate(request: "page")
        clock.advance(by: .seconds(100))
        cache.expireValues()
        #expect(cache.freshness(ofRequest: "page").isMissing)
    }

    @Test func staleResponseIsReturnedWhileItIsLoaded() async throws {
        _ = try await load(staleAfter: .seconds(60))
        clock.advance(by: .seconds(61))
        for _ in 0..<2 {
            let response = try await cache.load("page", policy: .staleWhileRevalidate) {
                try await server.response(to: "page")
            }
            #expect(response == 1)
        }
        #expect(await until { server.requests.count == 1 })
        server.answer(7)
        #expect(await until { cache.freshness(ofRequest: "page").isFresh })
        #expect(try await load("page", .staleWhileRevalidate) == 7)
        #expect(server.requests.count == 1)
    }

    @Test func cacheOnlyThrowsWithoutAResponse() async throws {
        let error = LoadError.missingResponse(request: "page")
        await #expect(throws: error) { try await load("page", .cacheOnly) }
        #expect("\(error)".contains("page"))
        #expect(calls.all == [])
    }

    // MARK: Responses

    @Test func optionalResponseMayBeNil() async throws {
        for _ in 0..<2 {
            let response: Int? = try await cache.load("optional") { [calls] in
                calls.append("optional")
                return nil
            }
            #expect(response == nil)
        }
        #expect(calls.count == 1)
        #expect(cache.freshness(ofRequest: "optional").isFresh)
    }

    @Test func requestMayHaveNoResponse() async throws {
        for _ in 0..<2 { try await cache.load("action") { [calls] in calls.append("action") } }
        #expect(calls.count == 1)
    }

    @Test func entitiesOfTheResponseAreStoredInItsCommit() async throws {
        let commits = Recorder<String>()
        let token = cache.observeAll(Library.Novel.self) { [cache] in
            let isFresh = cache.freshness(ofRequest: "novels").isFresh
            commits.append("\($0.signs)\(isFresh ? " fresh" : "")")
        }
        let page = try await cache.load("novels") {
            try decoded(
                Library.Page.self,
                """
                {"items": [{"id": 1, "title": "A", "author": {"id": 7, "name": "U"}, "tags": []},
                {"id": 2, "title": "B", "author": 7, "tags": []}]}
                """
            )
        }
        #expect(page.items.map(\.id) == [1, 2])
        #expect(cache.version == 1)
        #expect(cache.get(Library.Person.self, id: 7)?.name == "U")
        #expect(cache.isSettled())
        #expect(commits.all == ["+1 +2 fresh"])
        token.dispose()
    }

    @Test func entitiesInTheResponseAreStored() async throws {
        let tags = try await cache.load("tags") {
            [Library.Tag(id: "a"), Library.Tag(id: "b")]
        }
        #expect(tags.count == 2)
        #expect(cache.get(Library.Tag.self, id: "a") != nil)
        #expect(cache.version == 1)
    }

    @Test func errorReachesAllCallersAndIsNotRemembered() async throws {
        let callers = (0..<3).map { _ in Task { try await loadFromServer() } }
        #expect(await until { server.requests.count == 1 && waiterCount() == 3 })
        server.answer(0, .failure(Failure()))
        for caller in callers { await #expect(throws: Failure()) { try await caller.value } }
        #expect(cache.freshness(ofRequest: "page").isMissing)
        #expect(try await load() == 1)
    }

    @Test func concurrentLoadsShareOneCall() async throws {
        let callers = (0..<10).map { _ in Task { try await loadFromServer() } }
        #expect(await until { server.requests.count == 1 && waiterCount() == 10 })
        callers[0].cancel()
        await #expect(throws: CancellationError.self) { try await callers[0].value }
        server.answer(7)
        for caller in callers[1...] { #expect(try await caller.value == 7) }
        #expect(server.requests.count == 1)
    }

    // MARK: Invalidation and removal

    @Test func invalidatedRequestIsMadeAgain() async throws {
        _ = (try await load("a"), try await load("b"))
        cache.invalidate(request: "a")
        cache.invalidate(request: "unknown")
        #expect(cache.freshness(ofRequest: "a").isStale)
        #expect(cache.freshness(ofRequest: "b").isFresh)
        #expect(try await load("a", .cacheOnly) == 1)
        #expect(try await load("a") == 3)
        #expect(cache.freshness(ofRequest: "unknown").isMissing)
    }

    @Test func prefixInvalidatesItsRequests() async throws {
        for name in ["books?page=1", "books?page=2", "books", "authors?page=1"] {
            _ = try await load(name)
        }
        let version = cache.version
        cache.invalidate(requestsWithPrefix: "books?")
        #expect(cache.version <= version + 1)
        #expect(cache.freshness(ofRequest: "books?page=1").isStale)
        #expect(cache.freshness(ofRequest: "books?page=2").isStale)
        #expect(cache.freshness(ofRequest: "books").isFresh)
        #expect(cache.freshness(ofRequest: "authors?page=1").isFresh)
    }

    static let withdrawals: [@Sendable (Cache) -> Void] = [
        { $0.invalidate(request: "page") }, { $0.invalidate(requestsWithPrefix: "pa") },
        { $0.removeAll() },
    ]

    @Test(arguments: withdrawals.indices)
    func responseThatWasInvalidatedDuringItsLoadIsNotKept(withdrawal: Int) async throws {
        let first = Task { try await loadFromServer() }
        #expect(await until { server.requests.count == 1 })
        Self.withdrawals[withdrawal](cache)
        let second = Task { try await loadFromServer() }
        #expect(await until { server.requests.count == 2 })
        server.answer(0, 1)
        #expect(try await first.value == 1)
        #expect(cache.freshness(ofRequest: "page").isMissing)
        server.answer(1, 2)
        #expect(try await second.value == 2)
        #expect(try await load() == 2)
    }

    @Test("An invalidation by prefix concerns a load that was separated before its lease began")
    func invalidationOfASeparatedLoad() async throws {
        let first = Task { try await loadFromServer() }
        #expect(await until { server.requests.count == 1 })
        // A removal that comes before the lease leaves no trace in the log of writes.
        cache.core.loads.separate { _ in true }
        cache.invalidate(requestsWithPrefix: "pa")
        server.answer(0, 1)
        #expect(try await first.value == 1)
        #expect(cache.freshness(ofRequest: "page").isMissing)
    }

    @Test func earlierAnswerDoesNotReplaceALaterOne() async throws {
        let first = Task { try await loadFromServer() }
        #expect(await until { server.requests.count == 1 })
        cache.invalidate(request: "page")
        let second = Task { try await loadFromServer() }
        #expect(await until { server.requests.count == 2 })
        server.answer(1, 2)
        #expect(try await second.value == 2)
        server.answer(0, 1)
        #expect(try await first.value == 1)
        #expect(try await load() == 2)
    }

    @Test func removingEverythingRemovesResponses() async throws {
        _ = try await load()
        cache.removeAll()
        #expect(cache.freshness(ofRequest: "page").isMissing)
        #expect(try await load() == 2)
    }

    @Test func answerAfterTheCachesEndIsNotStored() async throws {
        let core = try await coreOfAnEndedCache()
        #expect(core.isClosed)
        server.answer(2)
        #expect(await until { core.loads.isIdle })
        #expect(core.tables.table(of: RequestState.self).writtenValue(id: "page") == nil)
    }

    /// Returns the core of a cache that is deallocated during a load in the background.
    private func coreOfAnEndedCache() async throws -> CacheCore {
        let cache = Cache()
        _ = try await cache.load("page") { 1 }
        cache.invalidate(request: "page")
        _ = try await cache.load("page", policy: .staleWhileRevalidate) {
            try await server.response(to: "page")
        }
        #expect(await until { server.requests.count == 1 })
        return cache.core
    }
}
