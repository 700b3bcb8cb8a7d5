import FlatCacheTesting
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

extension CachedLoadingWithdrawalTests {
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
            await until {
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
        #expect(await until { cache.core.loads.isIdle })
        #expect(
            await until {
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
        #expect(await until { cache.get(Station.self, id: 1) != nil })
        cache.invalidate(Station.self, id: 1)
        #expect(
            await until {
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
