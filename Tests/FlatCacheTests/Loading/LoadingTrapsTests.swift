import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct LoadingTrapsTests {
    @Test func secondTypeOfAStoredResponseTraps() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let cache = Cache()
            _ = try await cache.load("page") { 1 }
            _ = try await cache.load("page") { "one" }
        }
        let message = try #require(result?.message)
        #expect(message.contains("different names"))
        #expect(message.contains("Int"))
        #expect(message.contains("String"))
    }

    @Test func secondTypeOfAResponseFromTheNetworkTraps() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let cache = Cache()
            _ = try await cache.load("page") { 1 }
            _ = try await cache.load("page", policy: .networkOnly) { nil as Int? }
        }
        let message = try #require(result?.message)
        #expect(message.contains("different names"))
    }

    @Test func secondTypeOfAResponseThatIsBeingLoadedTraps() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let cache = Cache()
            let server = HeldServer<String, Int>()
            let first = Task { try await cache.load("page") { try await server.response(to: "") } }
            guard await until({ server.requests.count == 1 }) else { return }
            let second = Task { try await cache.load("page") { "one" } }
            let key = CacheKey(RequestState.self, id: "page")
            guard await until({ cache.core.loads.waiterCount(for: key) == 2 }) else { return }
            server.answer(1)
            _ = try await (first.value, second.value)
        }
        let message = try #require(result?.message)
        #expect(message.contains("different names"))
    }

    @Test func loadOfAnEntityWithoutALoaderTraps() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let cache = Cache()
            _ = try await cache.load(Book.self, id: 1)
        }
        let message = try #require(result?.message)
        #expect(message.contains("Book has no loader"))
        #expect(message.contains("setLoader"))
    }

    @Test func loadOfEntitiesWithoutALoaderTraps() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let cache = Cache()
            cache.setLoader(for: Note.self) { _ in [] }
            _ = try await cache.load(Book.self, ids: [1])
        }
        let message = try #require(result?.message)
        #expect(message.contains("Book has no loader"))
    }

    @Test func loaderOfNoKeysTraps() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            Cache().setLoader(for: Book.self, atMost: 0) { _ in [] }
        }
        let message = try #require(result?.message)
        #expect(message.contains("one or more"))
    }

    @Test func loaderThatGathersForANegativeTimeTraps() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            Cache().setLoader(for: Book.self, gathering: .seconds(-1)) { _ in [] }
        }
        let message = try #require(result?.message)
        #expect(message.contains("zero or more"))
    }
}
