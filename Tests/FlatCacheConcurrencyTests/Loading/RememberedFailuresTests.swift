import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests which stores, removals and invalidations end the memory of a failed load.
@Suite(.timeLimit(.minutes(15)))
struct RememberedFailuresTests {
    private struct Failure: Error, Equatable {}

    private struct Owner: Identifiable, OwnsCachedValues, Sendable {
        let id: Int

        var ownedCacheKeys: Set<CacheKey> { [CacheKey(Station.self, id: id)] }
    }

    private let clock = ManualClock()
    private let cache: Cache
    private let answer = Station(id: 1, revision: 500)

    init() { cache = Cache(configuration: CacheConfiguration(clock: clock)) }

    /// Loads a station that the server doesn't know, which the cache then remembers.
    private func loadMissing(_ policy: LoadPolicy = .cacheFirst) async throws {
        let missing = try await cache.load(
            Station.self,
            id: 1,
            policy: policy,
            rememberingFailures: .seconds(300)
        ) { nil }
        #expect(missing == nil)
    }

    /// Loads a station with a revision greater than 0 from a server that knows it.
    private func load() async throws -> Station? {
        try await cache.load(Station.self, id: 1, requiring: { $0.revision > 0 }) { answer }
    }

    // MARK: Stores

    @Test("An entity that is stale when it's stored isn't remembered as missing")
    func staleStore() async throws {
        cache.limit(
            Station.self,
            .unlimited,
            staleAfter: .at { ManualClock.Instant(offset: .seconds($0.revision)) }
        )
        clock.advance(by: .seconds(100))
        try await loadMissing()
        clock.advance(by: .seconds(1))
        cache.set(Station(id: 1, revision: 50))
        #expect(try await load() == answer)
    }

    @Test("A partial entity that's stored without a time isn't remembered as missing")
    func partialStore() async throws {
        try await loadMissing()
        cache.set(Station(id: 1))
        #expect(try await load() == answer)
    }

    @Test("A partial entity that's stored at the failure's instant isn't remembered as missing")
    func partialStoreAtTheInstantOfTheFailure() async throws {
        cache.limit(Station.self, .unlimited, staleAfter: .after(.seconds(60)))
        try await loadMissing()
        cache.set(Station(id: 1))
        #expect(try await load() == answer)
    }

    @Test("An entity that was stored before the load stays remembered as missing")
    func earlierStore() async throws {
        cache.limit(Station.self, .unlimited, staleAfter: .after(.seconds(60)))
        cache.set(Station(id: 1))
        try await loadMissing(.networkOnly)
        clock.advance(by: .seconds(70))
        #expect(cache.freshness(of: Station.self, id: 1).isStale)
        #expect(try await load() == nil)
    }

    // MARK: Removals and invalidations

    @Test("A removal of an entity with its owner forgets the failure of its load")
    func removalWithTheOwner() async throws {
        cache.set(Station(id: 1))
        cache.set(Owner(id: 1))
        await #expect(throws: Failure()) {
            try await cache.load(
                Station.self,
                id: 1,
                policy: .networkOnly,
                rememberingFailures: .seconds(300)
            ) { throw Failure() }
        }
        cache.remove(Owner.self, id: 1)
        #expect(cache.get(Station.self, id: 1) == nil)
        #expect(try await load() == answer)
    }

    static let requestInvalidations: [@Sendable (Cache) -> Void] = [
        { $0.invalidate(request: "books?1") }, { $0.invalidate(requestsWithPrefix: "books") },
    ]

    @Test(arguments: requestInvalidations.indices, [false, true])
    func invalidationThatIsRolledBackForgetsNoFailureOfARequest(
        invalidation: Int,
        isRolledBack: Bool
    ) async throws {
        await #expect(throws: Failure()) {
            try await cache.load("books?1", rememberingFailures: .seconds(300)) { () -> Int in
                throw Failure()
            }
        }
        try? cache.performBatchUpdates { _ in
            Self.requestInvalidations[invalidation](cache)
            if isRolledBack { throw Failure() }
        }
        let result = await Task { try await cache.load("books?1") { 1 } }.result
        #expect((try? result.get()) == (isRolledBack ? nil : 1))
    }

    // MARK: Times

    @Test func longestDurationRemembersAFailure() async throws {
        let server = StationServer()
        cache.setLoader(
            for: Station.self,
            gathering: .zero,
            rememberingFailures: .longest
        ) { try await server.load($0) }
        let handle = cache.cached(Station.self, id: 1).loading()
        let token = handle.observe { _ in }
        #expect(await server.hasCalls(1))
        server.fail(0)
        #expect(await until { handle.loadState.nextAttempt != nil })
        #expect(try #require(handle.loadState.nextAttempt) > cache.now)
        clock.advance(by: .seconds(1_000_000))
        await #expect(throws: StationServer.Failure()) { try await load() }
        token.dispose()
    }

    @Test func longestLifetimeKeepsAResponseFresh() async throws {
        #expect(try await cache.load("books", staleAfter: .after(.longest)) { 1 } == 1)
        clock.advance(by: .seconds(1_000_000))
        #expect(cache.freshness(ofRequest: "books").isFresh)
    }
}

extension Duration {
    /// A duration that no time can be advanced by.
    fileprivate static var longest: Duration {
        Duration(secondsComponent: .max, attosecondsComponent: 0)
    }
}
