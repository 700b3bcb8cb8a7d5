import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests handles whose entity changes while they load it, and loaders that cause the changes.
@Suite(.timeLimit(.minutes(15)))
struct CachedLoadingRepetitionTests {
    /// The removals of the station 1.
    enum Removal: CaseIterable, Sendable {
        case entity, type, everything

        func perform(in batch: CacheBatch) {
            switch self {
            case .entity: batch.remove(Station.self, id: 1)
            case .type: batch.removeAll(Station.self)
            case .everything: batch.removeAll()
            }
        }
    }

    let clock = ManualClock()
    let server = StationServer()
    let cache: Cache

    init() {
        cache = Cache(configuration: CacheConfiguration(clock: clock))
        cache.setLoader(for: Station.self, gathering: .zero) { [server] ids in
            try await server.load(ids)
        }
    }

    // MARK: A removal and a store in one commit

    @Test(
        "A removal whose commit stores a partial value doesn't end the load",
        arguments: Removal.allCases
    )
    func partialValueAfterARemoval(_ removal: Removal) async {
        let handle = cache.cached(Station.self, id: 1).loading { $0.revision > 0 }
        let token = handle.observe { _ in }
        #expect(await server.hasCalls(1))
        cache.performBatchUpdates { batch in
            removal.perform(in: batch)
            batch.set(Station(id: 1))
        }
        #expect(handle.loadState.isLoading)
        // The answer is as old as the removed value, so the handle loads once more.
        server.answer(0, Station(id: 1, revision: 1))
        #expect(await server.hasCalls(2))
        #expect(server.cancelledCalls == [])
        #expect(cache.get(Station.self, id: 1)?.revision == 0)
        server.answer(1, Station(id: 1, revision: 2))
        #expect(await until { handle.loadState.name == "idle" })
        #expect(cache.get(Station.self, id: 1)?.revision == 2)
        token.dispose()
    }

    @Test(
        "A removal whose commit stores a whole value lets the load end",
        arguments: Removal.allCases
    )
    func wholeValueAfterARemoval(_ removal: Removal) async {
        let handle = cache.cached(Station.self, id: 1).loading()
        let token = handle.observe { _ in }
        #expect(await server.hasCalls(1))
        cache.performBatchUpdates { batch in
            removal.perform(in: batch)
            batch.set(Station(id: 1))
        }
        server.answer(0, Station(id: 1, revision: 1))
        #expect(await until { handle.loadState.name == "idle" && cache.core.loads.isIdle })
        #expect(server.calls.count == 1)
        #expect(cache.get(Station.self, id: 1)?.revision == 0)
        token.dispose()
    }

    @Test(
        "A removal whose commit stores a stale value lets the handle load",
        arguments: Removal.allCases
    )
    func staleValueAfterARemoval(_ removal: Removal) async {
        cache.set(Station(id: 1))
        let handle = cache.cached(Station.self, id: 1).loading()
        let token = handle.observe { _ in }
        #expect(handle.loadState.name == "idle")
        cache.performBatchUpdates { batch in
            removal.perform(in: batch)
            batch.set(Station(id: 1, revision: 1))
            batch.invalidate(Station.self, id: 1)
        }
        #expect(handle.loadState.isLoading)
        #expect(await server.hasCalls(1))
        token.dispose()
    }

    @Test("A store whose commit removes the value again ends the load", arguments: Removal.allCases)
    func removalAfterAValue(_ removal: Removal) async {
        let handle = cache.cached(Station.self, id: 1).loading()
        let token = handle.observe { _ in }
        #expect(await server.hasCalls(1))
        cache.performBatchUpdates { batch in
            batch.set(Station(id: 1))
            removal.perform(in: batch)
        }
        #expect(handle.loadState.name == "idle")
        #expect(await until { server.cancelledCalls == [0] })
        token.dispose()
    }

    // MARK: Loaders that outdate their own answers

    /// The number of calls after which a test's loader leaves the cache alone, so that a handle
    /// without a limit ends, too.
    private static let patience = 50

    /// Sets a loader that calls a closure before each of its answers.
    private func setLoader(
        _ calls: Recorder<Int>,
        _ body: @escaping @Sendable (Cache) -> Void
    ) {
        let cache = Weak(cache)
        cache.object?.setLoader(for: Station.self, gathering: .zero) { _ in
            calls.append(0)
            if calls.count < Self.patience, let cache = cache.object { body(cache) }
            return [Station(id: 1, revision: calls.count)]
        }
    }

    static let invalidations: [@Sendable (Cache) -> Void] = [
        { $0.invalidate(Station.self, id: 1) }, { $0.invalidate(Station.self) },
        { cache in
            cache.performBatchUpdates { batch in
                batch.set(Station(id: 1))
                batch.invalidate(Station.self, id: 1)
            }
        },
    ]

    @Test("A loader that invalidates its own key is repeated ten times", arguments: [0, 1, 2])
    func invalidatingLoader(invalidation: Int) async {
        let calls = Recorder<Int>()
        setLoader(calls, Self.invalidations[invalidation])
        let handle = cache.cached(Station.self, id: 1).loading()
        let token = handle.observe { _ in }
        #expect(await until { clock.sleeperCount == 1 })
        #expect(calls.count == 11)
        #expect(handle.loadState.name == "idle")
        // An invalidation by other code is a further reason for the next load, and no exception.
        cache.invalidate(Station.self, id: 1)
        for count in 12...13 {
            #expect(clock.sleeperCount == 1)
            #expect(calls.count == count - 1)
            clock.advance(by: .milliseconds(1_250))
            #expect(await until { calls.count == count && clock.sleeperCount == 1 })
        }
        token.dispose()
    }

    @Test("A loader that stores its own key is repeated once")
    func storingLoader() async {
        let calls = Recorder<Int>()
        setLoader(calls) { $0.set(Station(id: 1)) }
        let handle = cache.cached(Station.self, id: 1).loading { $0.revision > 0 }
        let token = handle.observe { _ in }
        #expect(await until { handle.loadState.name == "idle" && cache.core.loads.isIdle })
        #expect(calls.count == 2)
        token.dispose()
    }

    // MARK: Other code that outdates answers

    @Test("A value that becomes stale while its load is repeated is loaded again")
    func staleValueDuringARepeatedLoad() async {
        cache.limit(Station.self, .unlimited, staleAfter: .after(.seconds(10)))
        let handle = cache.cached(Station.self, id: 1).loading()
        let token = handle.observe { _ in }
        for call in 0..<3 {
            #expect(await server.hasCalls(call + 1))
            cache.set(Station(id: 1, revision: call))
            clock.advance(by: .seconds(10))
            cache.expireValues()
            // The answer is older than the value, so it isn't stored.
            server.answer(call, Station(id: 1, revision: 100))
        }
        #expect(await server.hasCalls(4))
        #expect(cache.get(Station.self, id: 1)?.revision == 2)
        #expect(cache.freshness(of: Station.self, id: 1).isStale)
        token.dispose()
    }

    @Test("After ten repetitions, the entity is loaded again after a pause")
    func manyInvalidationsDuringLoads() async {
        cache.set(Station(id: 1))
        let handle = cache.cached(Station.self, id: 1).loading()
        let token = handle.observe { _ in }
        cache.invalidate(Station.self, id: 1)
        for call in 0..<11 {
            #expect(await server.hasCalls(call + 1))
            cache.invalidate(Station.self, id: 1)
            server.answer(call, Station(id: 1, revision: call))
        }
        #expect(await until { cache.core.loads.isIdle && clock.sleeperCount == 1 })
        #expect(server.calls.count == 11)
        clock.advance(by: .seconds(2))
        #expect(await server.hasCalls(12))
        server.answer(11, Station(id: 1, revision: 11))
        #expect(await until { cache.freshness(of: Station.self, id: 1).isFresh })
        #expect(await until { handle.loadState.name == "idle" && clock.sleeperCount == 0 })
        token.dispose()
    }
}
