import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests handles whose notifications are so late that the stored value is stale by then.
@Suite(.timeLimit(.minutes(15)))
struct CachedLoadingDelayTests {
    let clock = ManualClock()
    let server = StationServer()
    let scheduler = ManualScheduler()
    let cache: Cache
    let handle: Cached<Station>

    init() {
        var configuration = CacheConfiguration(clock: clock)
        configuration.delivery = scheduler.delivery
        cache = Cache(configuration: configuration)
        cache.setLoader(for: Station.self, gathering: .zero) { [server] ids in
            try await server.load(ids)
        }
        handle = cache.cached(Station.self, id: 1).loading()
    }

    private func setLifetime() {
        cache.limit(Station.self, .unlimited, staleAfter: .after(.seconds(10)))
    }

    private func advance(by seconds: Int) {
        clock.advance(by: .seconds(seconds))
        cache.expireValues()
    }

    /// Makes the notifications until the handle waits for a call or until it's idle.
    private func deliver(untilLoading isLoading: Bool, calls: Int) async -> Bool {
        await until {
            scheduler.runAll()
            return handle.loadState.isLoading == isLoading && server.calls.count == calls
                && (isLoading || cache.core.loads.isIdle)
        }
    }

    @Test("A value that becomes stale before its notification is loaded")
    func lateValue() async {
        setLifetime()
        cache.set(Station(id: 1))
        let token = handle.observe { _ in }
        scheduler.runAll()
        #expect(handle.loadState.name == "idle")
        cache.set(Station(id: 1, revision: 1))
        advance(by: 10)
        scheduler.runAll()
        #expect(handle.loadState.isLoading)
        #expect(await server.hasCalls(1))
        token.dispose()
        scheduler.runAll()
    }

    @Test("A value that is stale at its notification is loaded at the one of its staleness")
    func lateStaleness() async {
        setLifetime()
        cache.set(Station(id: 1))
        let token = handle.observe { _ in }
        scheduler.runAll()
        cache.set(Station(id: 1, revision: 1))
        clock.advance(by: .seconds(10))
        scheduler.runAll()
        cache.expireValues()
        scheduler.runAll()
        #expect(handle.loadState.isLoading)
        #expect(await server.hasCalls(1))
        token.dispose()
        scheduler.runAll()
    }

    @Test("An answer that becomes stale before its notification is loaded again")
    func lateAnswer() async {
        setLifetime()
        let token = handle.observe { _ in }
        scheduler.runAll()
        for call in 0..<3 {
            #expect(await server.hasCalls(call + 1))
            server.answer(call, Station(id: 1, revision: call))
            #expect(await until { cache.get(Station.self, id: 1)?.revision == call })
            advance(by: 10)
            #expect(await deliver(untilLoading: true, calls: call + 2))
        }
        server.answer(3, Station(id: 1, revision: 3))
        #expect(await deliver(untilLoading: false, calls: 4))
        token.dispose()
        scheduler.runAll()
    }

    @Test("A value that was stale when it was stored isn't loaded, however late its notification")
    func lateNotificationOfAStaleValue() async {
        cache.limit(
            Station.self,
            .unlimited,
            staleAfter: .at { ManualClock.Instant(offset: .seconds($0.revision)) }
        )
        cache.set(Station(id: 1, revision: 100))
        let token = handle.observe { _ in }
        scheduler.runAll()
        clock.advance(by: .seconds(50))
        cache.set(Station(id: 1, revision: 50))
        advance(by: 10)
        scheduler.runAll()
        cache.expireValues()
        scheduler.runAll()
        #expect(handle.loadState.name == "idle")
        #expect(cache.core.loads.isIdle)
        // An invalidation loads it, and the same holds for the answer.
        cache.invalidate(Station.self, id: 1)
        scheduler.runAll()
        #expect(await server.hasCalls(1))
        server.answer(0, Station(id: 1, revision: 55))
        #expect(await until { cache.get(Station.self, id: 1)?.revision == 55 })
        advance(by: 10)
        #expect(await deliver(untilLoading: false, calls: 1))
        token.dispose()
        scheduler.runAll()
    }

    @Test("A stale value that stays because the answer is empty isn't loaded again")
    func staleValueWithoutAnAnswer() async {
        setLifetime()
        cache.set(Station(id: 1))
        let token = handle.observe { _ in }
        scheduler.runAll()
        advance(by: 10)
        scheduler.runAll()
        #expect(await server.hasCalls(1))
        server.answer(0)
        advance(by: 10)
        #expect(await deliver(untilLoading: false, calls: 1))
        #expect(cache.freshness(of: Station.self, id: 1).isStale)
        token.dispose()
        scheduler.runAll()
    }

    @Test("An invalidation before the notification of a value loads once")
    func invalidationBeforeTheNotification() async {
        setLifetime()
        cache.set(Station(id: 1))
        let token = handle.observe { _ in }
        scheduler.runAll()
        cache.set(Station(id: 1, revision: 1))
        cache.invalidate(Station.self, id: 1)
        scheduler.runAll()
        #expect(await server.hasCalls(1))
        server.answer(0, Station(id: 1, revision: 2))
        #expect(await deliver(untilLoading: false, calls: 1))
        token.dispose()
        scheduler.runAll()
    }

    @Test("A load that a late notification of a removal ends begins again after an invalidation")
    func lateRemovalBeforeAnInvalidation() async {
        cache.set(Station(id: 1))
        let token = handle.observe { _ in }
        cache.remove(Station.self, id: 1)
        cache.invalidate(Station.self, id: 1)
        scheduler.runAll()
        #expect(handle.loadState.isLoading)
        // The load that has ended may have begun its call.
        #expect(await until { server.calls.count == server.cancelledCalls.count + 1 })
        token.dispose()
        scheduler.runAll()
    }

    @Test("A late notification of a removal doesn't end the load of a partial value stored since")
    func lateRemovalBeforeAPartialValue() async {
        let handle = cache.cached(Station.self, id: 1).loading { $0.revision > 0 }
        let token = handle.observe { _ in }
        scheduler.runAll()
        #expect(await server.hasCalls(1))
        server.answer(0, Station(id: 1, revision: 1))
        // The notification of the answer, and the end of the load.
        #expect(await until { cache.core.deliveryQueue.backlog >= 2 })
        cache.remove(Station.self, id: 1)
        cache.set(Station(id: 1))
        scheduler.runAll()
        #expect(handle.loadState.isLoading)
        #expect(await server.hasCalls(2))
        token.dispose()
        scheduler.runAll()
    }

    @Test("A value that's stored after an empty answer is loaded if it's stale at the load's end")
    func staleValueAfterAnEmptyAnswer() async {
        setLifetime()
        let token = handle.observe { _ in }
        scheduler.runAll()
        #expect(await server.hasCalls(1))
        server.answer(0)
        // The end of the load.
        #expect(await until { cache.core.deliveryQueue.backlog >= 1 })
        cache.set(Station(id: 1))
        advance(by: 10)
        scheduler.runAll()
        #expect(handle.loadState.isLoading)
        #expect(await server.hasCalls(2))
        token.dispose()
        scheduler.runAll()
    }
}
