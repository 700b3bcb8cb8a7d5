import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

@Suite(.timeLimit(.minutes(20)))
struct CacheLoadingPoliciesTests {
    private struct Failure: Error {}

    private let clock = ManualClock()
    private let cache: Cache
    private let calls = Recorder<Book.ID>()

    init() {
        var configuration = CacheConfiguration(clock: clock)
        configuration.limit(Book.self, .unlimited, staleAfter: .after(.seconds(60)))
        cache = Cache(configuration: configuration)
    }

    private func store(_ id: Book.ID, isStale: Bool) {
        cache.set(Book(id: id, title: "stored"))
        if isStale { clock.advance(by: .seconds(61)) }
    }

    /// Loads a book, and returns its title.
    private func load(_ policy: LoadPolicy, id: Book.ID = 1) async throws -> String? {
        try await cache.load(Book.self, id: id, policy: policy) { [calls] in
            calls.append(id)
            return Book(id: id, title: "loaded")
        }?.title
    }

    @Test(arguments: [LoadPolicy.cacheFirst, .staleWhileRevalidate, .cacheOnly])
    func freshValueIsReturnedWithoutACall(policy: LoadPolicy) async throws {
        store(1, isStale: false)
        #expect(try await load(policy) == "stored")
        #expect(calls.all == [])
        #expect(cache.core.loads.isIdle)
    }

    @Test(arguments: [LoadPolicy.cacheFirst, .staleWhileRevalidate, .networkOnly])
    func missingValueIsLoaded(policy: LoadPolicy) async throws {
        #expect(try await load(policy) == "loaded")
        #expect(calls.all == [1])
        #expect(cache.get(Book.self, id: 1)?.title == "loaded")
        #expect(cache.freshness(of: Book.self, id: 1).isFresh)
    }

    @Test(arguments: [LoadPolicy.cacheFirst, .networkOnly])
    func staleValueIsLoaded(policy: LoadPolicy) async throws {
        store(1, isStale: true)
        #expect(try await load(policy) == "loaded")
        #expect(calls.all == [1])
        #expect(cache.freshness(of: Book.self, id: 1).isFresh)
    }

    @Test func invalidatedValueIsLoaded() async throws {
        store(1, isStale: false)
        cache.invalidate(Book.self, id: 1)
        #expect(try await load(.cacheFirst) == "loaded")
        #expect(try await load(.cacheFirst) == "loaded")
        #expect(calls.all == [1])
    }

    @Test func networkOnlyLoadsAFreshValue() async throws {
        store(1, isStale: false)
        #expect(try await load(.networkOnly) == "loaded")
        #expect(calls.all == [1])
    }

    @Test func cacheOnlyLoadsNothing() async throws {
        #expect(try await load(.cacheOnly) == nil)
        store(1, isStale: true)
        #expect(try await load(.cacheOnly) == "stored")
        #expect(calls.all == [])
        #expect(cache.freshness(of: Book.self, id: 1).isStale)
    }

    @Test func staleValueIsReturnedWhileItIsLoaded() async throws {
        store(1, isStale: true)
        let server = HeldServer<Book.ID, Book?>()
        for _ in 0..<3 {
            let value = try await cache.load(Book.self, id: 1, policy: .staleWhileRevalidate) {
                try await server.response(to: 1)
            }
            #expect(value?.title == "stored")
        }
        #expect(await until { server.requests == [1] })
        server.answer(Book(id: 1, title: "loaded"))
        #expect(await until { cache.get(Book.self, id: 1)?.title == "loaded" })
        #expect(cache.freshness(of: Book.self, id: 1).isFresh)
        #expect(try await load(.staleWhileRevalidate) == "loaded")
        #expect(calls.all == [])
    }

    @Test func errorInTheBackgroundIsDropped() async throws {
        store(1, isStale: true)
        let value = try await cache.load(Book.self, id: 1, policy: .staleWhileRevalidate) {
            throw Failure()
        }
        #expect(value?.title == "stored")
        #expect(await until { cache.core.loads.isIdle })
        #expect(cache.freshness(of: Book.self, id: 1).isStale)
        #expect(try await load(.staleWhileRevalidate) == "stored")
        #expect(await until { cache.get(Book.self, id: 1)?.title == "loaded" })
    }

    @Test func callerJoinsACallInTheBackground() async throws {
        store(1, isStale: true)
        let server = HeldServer<Book.ID, Book?>()
        _ = try await cache.load(Book.self, id: 1, policy: .staleWhileRevalidate) {
            try await server.response(to: 1)
        }
        let caller = Task { try await load(.cacheFirst) }
        #expect(await until { cache.core.loads.waiterCount(for: CacheKey(Book.self, id: 1)) == 1 })
        #expect(await until { server.requests == [1] })
        server.answer(Book(id: 1, title: "background"))
        #expect(try await caller.value == "background")
        #expect(calls.all == [])
    }

    @Test func callInTheBackgroundOutlivesACallerThatJoinsIt() async throws {
        store(1, isStale: true)
        let server = HeldServer<Book.ID, Book?>()
        _ = try await cache.load(Book.self, id: 1, policy: .staleWhileRevalidate) {
            try await server.response(to: 1)
        }
        let caller = Task { try await load(.cacheFirst) }
        #expect(await until { cache.core.loads.waiterCount(for: CacheKey(Book.self, id: 1)) == 1 })
        caller.cancel()
        await #expect(throws: CancellationError.self) { try await caller.value }
        #expect(await until { server.requests == [1] })
        server.answer(Book(id: 1, title: "background"))
        #expect(await until { cache.get(Book.self, id: 1)?.title == "background" })
        #expect(server.cancellationCount == 0)
    }

    @Test(arguments: [LoadPolicy.cacheFirst, .staleWhileRevalidate, .cacheOnly])
    func cancelledTaskGetsAStoredValue(policy: LoadPolicy) async throws {
        store(1, isStale: policy != .cacheFirst)
        let caller = Task {
            await untilCancelled()
            return try await load(policy)
        }
        caller.cancel()
        #expect(try await caller.value == "stored")
    }

    @Test func onlyMissingValuesAreWaitedFor() async throws {
        store(1, isStale: true)
        store(2, isStale: false)
        let server = HeldServer<[Book.ID], [Book]>()
        let caller = Task {
            try await cache.load(Book.self, ids: [1, 2, 3], policy: .staleWhileRevalidate) {
                try await server.response(to: $0)
            }
        }
        #expect(await until { server.requests.count == 2 })
        let missing = try #require(server.requests.firstIndex(of: [3]))
        server.answer(missing, [Book(id: 3, title: "loaded")])
        let titles = try await caller.value.mapValues(\.title)
        #expect(titles == [1: "stored", 2: "stored", 3: "loaded"])
        #expect(server.requests[1 - missing] == [1])
        server.answer(1 - missing, [Book(id: 1, title: "loaded")])
        #expect(await until { cache.get(Book.self, id: 1)?.title == "loaded" })
    }
}
