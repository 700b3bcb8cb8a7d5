import FlatCacheTesting
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests of the progress of requests whose calls others make.
@Suite(.timeLimit(.minutes(20)))
struct CachedRequestProgressTests {
    private let cache = Cache()
    private let server = HeldServer<String, Int>()

    private func request() -> CachedRequest<Int> {
        cache.request("page") { [server] in try await server.response(to: "page") }
    }

    /// Begins a load, and waits until its call has begun.
    private func begin(
        _ body: @escaping @Sendable () async throws -> Int
    ) async -> Task<Int, any Error> {
        let count = server.requests.count
        let task = Task { try await body() }
        #expect(await until { server.requests.count == count + 1 })
        return task
    }

    @Test func progressShowsACallThatBeganBeforeTheObservation() async throws {
        let page = request()
        let load = await begin { try await page.load() }
        server.answer(0, 1)
        _ = try await load.value
        let reload = await begin { try await page.reload() }
        #expect(page.loadState.isLoading)
        let token = page.observe { _ in }
        #expect(page.loadState.isLoading)
        server.answer(1, 2)
        _ = try await reload.value
        #expect(await until { page.loadState.name == "idle" })
        token.dispose()
    }

    @Test func progressShowsACallThatLaterCallersDoNotJoin() async throws {
        let page = request()
        let load = await begin { try await page.load() }
        page.invalidate()
        #expect(page.loadState.isLoading)
        #expect(cache.requests.map(\.loadState.isLoading) == [true])
        server.answer(0, 1)
        _ = try await load.value
        #expect(await until { page.loadState.name == "idle" })
    }
}
