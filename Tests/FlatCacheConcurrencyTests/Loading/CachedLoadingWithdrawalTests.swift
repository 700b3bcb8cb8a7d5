import FlatCacheTesting
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests loading handles whose entity is invalidated or removed.
struct CachedLoadingWithdrawalTests {
    /// The ways to invalidate or remove a stored station.
    enum Withdrawal: CaseIterable, Sendable {
        case entity, type, condition, batch

        func invalidate(in cache: Cache) {
            switch self {
            case .entity: cache.invalidate(Station.self, id: 1)
            case .type: cache.invalidate(Station.self)
            case .condition: cache.invalidate(Station.self) { $0.id == 1 }
            case .batch: cache.performBatchUpdates { $0.invalidate(Station.self, id: 1) }
            }
        }

        func remove(in cache: Cache) {
            switch self {
            case .entity: cache.remove(Station.self, id: 1)
            case .type: cache.removeAll(Station.self)
            case .condition: cache.removeAll()
            case .batch: cache.performBatchUpdates { $0.remove(Station.self, id: 1) }
            }
        }
    }

    private struct Owner: Identifiable, OwnsCachedValues, Sendable {
        let id: Int

        var ownedCacheKeys: Set<CacheKey> { [CacheKey(Station.self, id: id)] }
    }

    let clock = ManualClock()
    let server = StationServer()
    let scheduler = ManualScheduler()
    let cache: Cache
    let handle: Cached<Station>

    init() { self.init(delivery: .inline) }

    init(delivery: CacheDelivery) {
        var configuration = CacheConfiguration(clock: clock)
        configuration.delivery = delivery
        cache = Cache(configuration: configuration)
        cache.setLoader(for: Station.self, gathering: .zero) { [server] ids in
            try await server.load(ids)
        }
        handle = cache.cached(Station.self, id: 1).loading()
    }

    var isIdle: Bool { handle.loadState.name == "idle" }

    // MARK: Invalidations

    @Test(arguments: Withdrawal.allCases)
    func invalidationLoads(_ withdrawal: Withdrawal) async {
        cache.set(Station(id: 1))
        let token = handle.observe { _ in }
        #expect(isIdle)
        withdrawal.invalidate(in: cache)
        #expect(await server.hasCalls(1))
        server.answer(0, Station(id: 1, revision: 1))
        #expect(await until { isIdle })
        #expect(cache.get(Station.self, id: 1)?.revision == 1)
        #expect(cache.freshness(of: Station.self, id: 1).isFresh)
        token.dispose()
    }

    @Test(arguments: [Withdrawal.entity, .type, .batch])
    func invalidationOfAMissingEntityLoads(_ withdrawal: Withdrawal) async {
        let token = handle.observe { _ in }
        #expect(await server.hasCalls(1))
        server.answer(0)
        #expect(await until { isIdle })
        withdrawal.invalidate(in: cache)
        #expect(await server.hasCalls(2))
        token.dispose()
    }

    @Test(arguments: [Withdrawal.entity, .type, .batch])
    func invalidationDuringAPauseLoadsAtOnce(_ withdrawal: Withdrawal) async {
        let token = handle.observe { _ in }
        #expect(await server.hasCalls(1))
        server.fail(0)
        #expect(await until { clock.sleeperCount == 1 })
        await cache.waitForObservers()
        withdrawal.invalidate(in: cache)
        #expect(handle.loadState.isLoading)
        #expect(await server.hasCalls(2))
        #expect(await until { clock.sleeperCount == 0 })
        token.dispose()
    }

    @Test(arguments: Withdrawal.allCases)
    func invalidationDuringALoadLoadsOnceMore(_ withdrawal: Withdrawal) async {
        cache.set(Station(id: 1))
        cache.invalidate(Station.self, id: 1)
        let token = handle.observe { _ in }
        #expect(await server.hasCalls(1))
        withdrawal.invalidate(in: cache)
        withdrawal.invalidate(in: cache)
        #expect(server.calls.count == 1)
        server.answer(0, Station(id: 1, revision: 1))
        #expect(await server.hasCalls(2))
        #expect(cache.get(Station.self, id: 1)?.revision == 0)
        server.answer(1, Station(id: 1, revision: 2))
        #expect(await until { isIdle })
        #expect(cache.get(Station.self, id: 1)?.revision == 2)
        token.dispose()
    }

    @Test func invalidationOfAMissingEntityDuringALoadLoadsOnceMore() async {
        let token = handle.observe { _ in }
        #expect(await server.hasCalls(1))
        cache.invalidate(Station.self, id: 1)
        server.answer(0)
        #expect(await server.hasCalls(2))
        server.answer(1)
        #expect(await until { isIdle })
        #expect(cache.core.loads.isIdle)
        token.dispose()
    }

    @Test func rolledBackInvalidationLoadsNothing() {
        cache.set(Station(id: 1))
        let token = handle.observe { _ in }
        try? cache.performBatchUpdates { batch in
            batch.invalidate(Station.self, id: 1)
            throw StationServer.Failure()
        }
        #expect(isIdle)
        #expect(cache.core.loads.isIdle)
        token.dispose()
    }

    @Test func invalidationOfOtherEntitiesLoadsNothing() {
        cache.set(Station(id: 1))
        cache.set(Station(id: 2))
        let token = handle.observe { _ in }
        cache.invalidate(Station.self, id: 2)
        cache.invalidate(Station.self) { $0.id == 2 }
        cache.invalidate(Book.self)
        #expect(isIdle)
        #expect(cache.core.loads.isIdle)
        token.dispose()
    }

    // MARK: Removals

    @Test(arguments: Withdrawal.allCases)
    func removalLoadsNothing(_ withdrawal: Withdrawal) async {
        cache.set(Station(id: 1))
        let token = handle.observe { _ in }
        withdrawal.remove(in: cache)
        #expect(isIdle)
        #expect(cache.core.loads.isIdle)
        // An invalidation does.
        cache.invalidate(Station.self, id: 1)
        #expect(await server.hasCalls(1))
        token.dispose()
    }

    @Test(arguments: Withdrawal.allCases)
    func removalEndsALoad(_ withdrawal: Withdrawal) async {
        let token = handle.observe { _ in }
        #expect(await server.hasCalls(1))
        withdrawal.remove(in: cache)
        #expect(isIdle)
        #expect(await until { server.cancelledCalls == [0] && cache.core.loads.isIdle })
        #expect(isIdle)
        token.dispose()
    }

    @Test(arguments: Withdrawal.allCases)
    func removalEndsAPause(_ withdrawal: Withdrawal) async {
        let token = handle.observe { _ in }
        #expect(await server.hasCalls(1))
        server.fail(0)
        #expect(await until { clock.sleeperCount == 1 })
        await cache.waitForObservers()
        withdrawal.remove(in: cache)
        #expect(isIdle)
        #expect(await until { clock.sleeperCount == 0 })
        #expect(isIdle)
        #expect(server.calls.count == 1)
        token.dispose()
    }

    @Test("An entity that's removed with its owner isn't loaded, and its load ends")
    func removalWithTheOwner() async {
        cache.set(Station(id: 1))
        cache.set(Owner(id: 1))
        let token = handle.observe { _ in }
        cache.remove(Owner.self, id: 1)
        #expect(cache.get(Station.self, id: 1) == nil)
        #expect(isIdle)
        cache.set(Station(id: 1))
        cache.invalidate(Station.self, id: 1)
        cache.set(Owner(id: 1))
        #expect(await server.hasCalls(1))
        cache.remove(Owner.self, id: 1)
        #expect(isIdle)
        #expect(await until { server.cancelledCalls == [0] })
        token.dispose()
    }

    @Test func newObservationLoadsARemovedEntity() async {
        cache.set(Station(id: 1))
        let first = handle.observe { _ in }
        cache.remove(Station.self, id: 1)
        #expect(isIdle)
        let second = handle.observe { _ in }
        #expect(handle.loadState.isLoading)
        #expect(await server.hasCalls(1))
        first.dispose()
        second.dispose()
    }
}
