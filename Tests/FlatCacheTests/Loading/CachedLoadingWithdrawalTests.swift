import FlatCacheTesting
import Testing

@testable import FlatCache

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

    private init(delivery: CacheDelivery) {
        var configuration = CacheConfiguration(clock: clock)
        configuration.delivery = delivery
        configuration.setLoader(for: Station.self, gathering: .zero) { [server] ids in
            try await server.load(ids)
        }
        cache = Cache(configuration: configuration)
        handle = cache.cached(Station.self, id: 1).loading()
    }

    private var isIdle: Bool { handle.loadState.name == "idle" }

    // MARK: Invalidations

    @Test(arguments: Withdrawal.allCases)
    func invalidationLoads(_ withdrawal: Withdrawal) async {
        cache.set(Station(id: 1))
        let token = handle.observe { _ in }
        #expect(isIdle)
        withdrawal.invalidate(in: cache)
        #expect(await server.hasCalls(1))
        server.answer(0, Station(id: 1, revision: 1))
        #expect(await soon { isIdle })
        #expect(cache.get(Station.self, id: 1)?.revision == 1)
        #expect(cache.freshness(of: Station.self, id: 1).isFresh)
        token.dispose()
    }

    @Test(arguments: [Withdrawal.entity, .type, .batch])
    func invalidationOfAMissingEntityLoads(_ withdrawal: Withdrawal) async {
        let token = handle.observe { _ in }
        #expect(await server.hasCalls(1))
        server.answer(0)
        #expect(await soon { isIdle })
        withdrawal.invalidate(in: cache)
        #expect(await server.hasCalls(2))
        token.dispose()
    }

    @Test(arguments: [Withdrawal.entity, .type, .batch])
    func invalidationDuringAPauseLoadsAtOnce(_ withdrawal: Withdrawal) async {
        let token = handle.observe { _ in }
        #expect(await server.hasCalls(1))
        server.fail(0)
        #expect(await soon { clock.sleeperCount == 1 })
        withdrawal.invalidate(in: cache)
        #expect(handle.loadState.isLoading)
        #expect(await server.hasCalls(2))
        #expect(await soon { clock.sleeperCount == 0 })
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
        #expect(await soon { isIdle })
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
        #expect(await soon { isIdle })
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
        #expect(await soon { server.cancelledCalls == [0] && cache.core.loads.isIdle })
        #expect(isIdle)
        token.dispose()
    }

    @Test(arguments: Withdrawal.allCases)
    func removalEndsAPause(_ withdrawal: Withdrawal) async {
        let token = handle.observe { _ in }
        #expect(await server.hasCalls(1))
        server.fail(0)
        #expect(await soon { clock.sleeperCount == 1 })
        withdrawal.remove(in: cache)
        #expect(isIdle)
        #expect(await soon { clock.sleeperCount == 0 })
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
        #expect(await soon { server.cancelledCalls == [0] })
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

    // MARK: Late notifications

    @Test("A removal whose notification is late doesn't end the load of a later observation")
    func lateRemoval() async {
        let late = Self(delivery: scheduler.delivery)
        let (cache, handle, server) = (late.cache, late.handle, late.server)
        cache.set(Station(id: 1))
        let first = handle.observe { _ in }
        scheduler.runAll()
        #expect(late.isIdle)
        cache.remove(Station.self, id: 1)
        first.dispose()
        let second = handle.observe { _ in }
        scheduler.runAll()
        #expect(handle.loadState.isLoading)
        #expect(await server.hasCalls(1))
        server.answer(0, Station(id: 1))
        #expect(
            await soon {
                scheduler.runAll()
                return late.isIdle && cache.get(Station.self, id: 1) != nil
            }
        )
        second.dispose()
    }

    @Test("A value whose notification is late doesn't end the pause after a later load")
    func lateValue() async {
        let late = Self(delivery: scheduler.delivery)
        let (cache, handle, server) = (late.cache, late.handle, late.server)
        cache.set(Station(id: 1))
        cache.invalidate(Station.self, id: 1)
        let token = handle.observe { _ in }
        scheduler.runAll()
        #expect(await server.hasCalls(1))
        // Notified only after the failure.
        cache.set(Station(id: 1, revision: 1))
        cache.invalidate(Station.self, id: 1)
        server.fail(0)
        #expect(await soon { cache.core.loads.isIdle })
        #expect(
            await soon {
                scheduler.runAll()
                return handle.loadState.nextAttempt != nil && late.clock.sleeperCount == 1
            }
        )
        token.dispose()
    }

    @Test("An invalidation between an answer and its notification loads once more")
    func invalidationAfterTheAnswer() async {
        let late = Self(delivery: scheduler.delivery)
        let (cache, handle, server) = (late.cache, late.handle, late.server)
        let token = handle.observe { _ in }
        scheduler.runAll()
        #expect(await server.hasCalls(1))
        server.answer(0, Station(id: 1))
        #expect(await soon { cache.get(Station.self, id: 1) != nil })
        cache.invalidate(Station.self, id: 1)
        #expect(
            await soon {
                scheduler.runAll()
                return server.calls.count == 2
            }
        )
        #expect(handle.loadState.isLoading)
        token.dispose()
    }

    @Test("A removal doesn't end the load of a value that the same commit stores")
    func removalAndStoreInOneCommitLoad() async throws {
        let whole = cache.cached(Station.self, id: 1).loading { $0.revision > 0 }
        cache.set(Station(id: 1, revision: 1))
        let token = whole.observe { _ in }
        cache.performBatchUpdates { batch in
            batch.removeAll(Station.self)
            batch.set(Station(id: 1))
        }
        #expect(whole.loadState.isLoading)
        #expect(await server.hasCalls(1))
        token.dispose()
    }

    @Test("A removal and a store in one commit outdate the answer of a load as a store does")
    func removalAndStoreDuringALoadLoadAgain() async {
        let whole = cache.cached(Station.self, id: 1).loading { $0.revision > 0 }
        let token = whole.observe { _ in }
        #expect(await server.hasCalls(1))
        cache.performBatchUpdates { batch in
            batch.remove(Station.self, id: 1)
            batch.set(Station(id: 1))
        }
        #expect(whole.loadState.isLoading)
        server.answer(0, Station(id: 1))
        #expect(await server.hasCalls(2))
        token.dispose()
    }
}
