import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests for how long the cache keeps the stale response of a request.
@Suite(.timeLimit(.minutes(20)))
struct RequestLifetimeTests {
    private let clock = ManualClock()
    private let cache: Cache
    private let server = HeldServer<String, Int>()

    init() { cache = Cache(configuration: CacheConfiguration(clock: clock)) }

    private func revalidate() async throws -> Int {
        try await cache.load("page", staleAfter: .seconds(60), policy: .staleWhileRevalidate) {
            [server] in try await server.response(to: "page")
        }
    }

    private var waiterCount: Int {
        cache.core.loads.waiterCount(for: CacheKey(RequestState.self, id: "page"))
    }

    private func advance(by seconds: Int) {
        clock.advance(by: .seconds(seconds))
        cache.expireValues()
    }

    @Test func staleResponseAnswersForFiveMinutesWhileItIsLoaded() async throws {
        _ = try await cache.load("page", staleAfter: .seconds(60)) { 1 }
        advance(by: 60 + 299)
        #expect(try await revalidate() == 1)
        #expect(await until { server.requests.count == 1 })
        // The answer begins another lifetime.
        server.answer(2)
        #expect(await until { cache.freshness(ofRequest: "page").isFresh })
        advance(by: 60 + 299)
        #expect(try await revalidate() == 2)
        #expect(await until { server.requests.count == 2 })
        server.answer(1, .failure(CancellationError()))
        #expect(await until { cache.core.loads.isIdle })
    }

    @Test func staleResponseDoesNotAnswerAfterFiveMinutes() async throws {
        _ = try await cache.load("page", staleAfter: .seconds(60)) { 1 }
        advance(by: 60 + 300)
        let load = Task { try await revalidate() }
        #expect(await until { waiterCount == 1 && server.requests.count == 1 })
        server.answer(2)
        #expect(try await load.value == 2)
    }

    @Test func invalidatedResponseIsKeptForFiveMinutes() async throws {
        // Without a lifetime, the response would stay fresh.
        _ = try await cache.load("page") { 1 }
        advance(by: 1_000_000)
        #expect(cache.freshness(ofRequest: "page").isFresh)
        cache.invalidate(request: "page")
        advance(by: 299)
        #expect(cache.freshness(ofRequest: "page").isStale)
        // A second invalidation doesn't begin the time again.
        cache.invalidate(requestsWithPrefix: "pa")
        advance(by: 1)
        #expect(cache.freshness(ofRequest: "page").isMissing)
        let load = Task { try await revalidate() }
        #expect(await until { waiterCount == 1 && server.requests.count == 1 })
        server.answer(2)
        #expect(try await load.value == 2)
    }
}
