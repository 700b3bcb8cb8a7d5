import FlatCacheTesting
import Observation
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests how the progress of a loading handle is read and observed.
@Suite(.exclusive)
struct CachedLoadStateTests {
    let clock = ManualClock()
    let server = StationServer()
    let cache: Cache
    let handle: Cached<Station>
    let states = Recorder<String>()

    init() {
        cache = Self.makeCache(clock, server)
        handle = cache.cached(Station.self, id: 1).loading()
    }

    static func makeCache(_ clock: ManualClock, _ server: StationServer) -> Cache {
        let cache = Cache(configuration: CacheConfiguration(clock: clock))
        cache.setLoader(for: Station.self, gathering: .zero) { [server] ids in
            try await server.load(ids)
        }
        return cache
    }

    /// Loads, fails, and loads again with success.
    private func loadWithFailure() async {
        #expect(await server.hasCalls(1))
        server.fail(0)
        #expect(await until { clock.sleeperCount == 1 })
        clock.advance(by: .seconds(2))
        #expect(await server.hasCalls(2))
        server.answer(1, Station(id: 1))
        #expect(await until { handle.loadState.name == "idle" })
    }

    // MARK: Forms

    @Test func observersReceiveEachChange() async {
        let stateToken = handle.loadStates.observe(initial: true) { [states] in
            states.append($0.name)
        }
        #expect(states.all == ["idle"])
        let token = handle.observe { _ in }
        #expect(states.all == ["idle", "loading"])
        await loadWithFailure()
        #expect(await until { states.count == 5 })
        #expect(states.all == ["idle", "loading", "failed", "loading", "idle"])
        stateToken.dispose()
        cache.invalidate(Station.self, id: 1)
        #expect(states.count == 5)
        token.dispose()
    }

    @Test func observersWithoutInitialCallReceiveOnlyChanges() {
        let stateToken = handle.loadStates.observe { [states] in states.append($0.name) }
        #expect(states.all == [])
        let token = handle.observe { _ in }
        token.dispose()
        #expect(states.all == ["loading", "idle"])
        stateToken.dispose()
    }

    @Test func observersOfOtherHandlesAreNotCalled() {
        let other = cache.cached(Station.self, id: 1).loading()
        let stateToken = other.loadStates.observe { [states] in states.append($0.name) }
        let token = handle.observe { _ in }
        #expect(handle.loadState.isLoading)
        #expect(other.loadState.name == "idle")
        #expect(states.all == [])
        stateToken.dispose()
        token.dispose()
    }

    @MainActor @Test func isolatedObserversAreCalledOnTheirActor() async {
        let received = Recorder<String>()
        let stateToken = handle.loadStates.observe(isolation: MainActor.shared, initial: true) {
            received.append($0.name)
        }
        let token = handle.observe { _ in }
        await loadWithFailure()
        #expect(await until { received.count == 5 })
        #expect(received.all == ["idle", "loading", "failed", "loading", "idle"])
        stateToken.dispose()
        token.dispose()
    }

    @Test func observersWithADeliveryAreCalledByIt() {
        let scheduler = ManualScheduler()
        let stateToken = handle.loadStates.observe(initial: true, delivery: scheduler.delivery) {
            [states] in states.append($0.name)
        }
        let token = handle.observe { _ in }
        #expect(states.all == [])
        scheduler.runAll()
        #expect(states.all == ["idle", "loading"])
        stateToken.dispose()
        token.dispose()
    }

    @Test func sequenceShowsTheStates() async {
        let token = handle.observe { _ in }
        var iterator = handle.loadStates.values.makeAsyncIterator()
        #expect(await iterator.next()?.name == "loading")
        #expect(await server.hasCalls(1))
        server.fail(0)
        let failed = await iterator.next()
        #expect(failed?.name == "failed")
        #expect(failed?.error is StationServer.Failure)
        cache.set(Station(id: 1))
        #expect(await iterator.next()?.name == "idle")
        token.dispose()
    }

    @Test func trackersAreNotifiedOfTheNextChange() async {
        let observable = Observed(handle, delivery: .inline)
        #expect(observable.loadState.isLoading)
        withObservationTracking {
            _ = observable.loadState
        } onChange: { [states] in
            states.append("changed")
        }
        cache.set(Station(id: 2))
        #expect(await server.hasCalls(1))
        #expect(states.all == [])
        server.fail(0)
        #expect(await until { states.all == ["changed"] })
        #expect(await until { observable.loadState.name == "failed" })
        cache.set(Station(id: 1))
        #expect(await until { observable.loadState.name == "idle" })
        #expect(states.all == ["changed"])
    }

    @Test func releasedObservableEndsTheLoad() async {
        var observable: Observed<Cached<Station>>? = Observed(handle, delivery: .inline)
        #expect(await server.hasCalls(1))
        #expect(observable?.loadState.isLoading == true)
        observable = nil
        #expect(await until { server.cancelledCalls == [0] })
        #expect(handle.loadState.name == "idle")
    }

    @Test func handleThatDoesNotLoadIsIdle() async {
        let handle = cache.cached(Station.self, id: 1)
        let stateToken = handle.loadStates.observe(initial: true) { [states] in
            states.append($0.name)
        }
        let observable = Observed(handle, delivery: .inline)
        cache.invalidate(Station.self, id: 1)
        #expect(handle.loadState.name == "idle")
        #expect(observable.loadState.name == "idle")
        #expect(states.all == ["idle"])
        var iterator = handle.loadStates.values.makeAsyncIterator()
        #expect(await iterator.next()?.name == "idle")
        stateToken.dispose()
    }

    // MARK: Order

    @Test func valueArrivesBeforeTheIdleState() async {
        let stateToken = handle.loadStates.observe { [states] in states.append($0.name) }
        let token = handle.observe { [states] in states.append("\($0.revision)") }
        #expect(await server.hasCalls(1))
        server.answer(0, Station(id: 1, revision: 7))
        #expect(await until { states.count == 3 })
        #expect(states.all == ["loading", "7", "idle"])
        stateToken.dispose()
        token.dispose()
    }

    @Test func removalIsNotifiedBeforeTheIdleState() async {
        let stateToken = handle.loadStates.observe { [states] in states.append($0.name) }
        cache.set(Station(id: 1))
        let token = handle.observeChanges { [states] change in
            states.append(change.new == nil ? "removed" : "stale")
        }
        cache.invalidate(Station.self, id: 1)
        cache.remove(Station.self, id: 1)
        #expect(states.all == ["stale", "loading", "removed", "idle"])
        stateToken.dispose()
        token.dispose()
    }

    @Test("The handle loads when its observation has begun, even while a notification takes long")
    func observationDuringNotifications() async throws {
        let (isNotified, mayReturn) = (Signal(), Signal())
        let observed = cache.cached(Station.self, id: 2).observe { _ in
            isNotified.fire()
            _ = mayReturn.wait()
        }
        let writer = RunningThread { [cache] in cache.set(Station(id: 2)) }
        #expect(isNotified.wait())
        let token = handle.observe { _ in }
        #expect(handle.loadState.isLoading)
        #expect(server.calls.isEmpty)
        let fresh = cache.cached(Station.self, id: 2).loading()
        let freshToken = fresh.observe { _ in }
        #expect(fresh.loadState.name == "idle")
        // A value that another thread stores meanwhile makes the load needless.
        let late = cache.cached(Station.self, id: 3).loading()
        let lateToken = late.observe { _ in }
        #expect(late.loadState.isLoading)
        cache.set(Station(id: 3))
        mayReturn.fire()
        #expect(writer.wait())
        #expect(await until { late.loadState.name == "idle" })
        #expect(await server.hasCalls(1))
        server.answer(0, Station(id: 1))
        #expect(await until { handle.loadState.name == "idle" })
        for token in [observed, token, freshToken, lateToken] { token.dispose() }
        #expect(server.calls.count == 1)
    }

    @Test(
        "A late notification of an earlier write doesn't interrupt the load state",
        arguments: [0, 1, 2, 3]
    )
    func writesBeforeTheObservation(kind: Int) async throws {
        let (isNotified, mayReturn) = (Signal(), Signal())
        let observed = cache.cached(Station.self, id: 2).observe { _ in
            isNotified.fire()
            _ = mayReturn.wait()
        }
        let stateToken = handle.loadStates.observe { [states] in states.append($0.name) }
        cache.set(Station(id: 1))
        let writer = RunningThread { [cache] in cache.set(Station(id: 2)) }
        #expect(isNotified.wait())
        switch kind {
        case 0: cache.remove(Station.self, id: 1)
        case 1: cache.removeAll(Station.self)
        case 2: cache.removeAll()
        default: cache.invalidate(Station.self, id: 1)
        }
        let token = handle.observe { _ in }
        #expect(handle.loadState.isLoading)
        mayReturn.fire()
        #expect(writer.wait())
        #expect(await server.hasCalls(1))
        server.answer(0, Station(id: 1))
        #expect(await until { states.count == 2 })
        #expect(states.all == ["loading", "idle"])
        for token in [observed, stateToken, token] { token.dispose() }
    }

    @Test("An observer of the load state may write, observe and dispose")
    func reentrantObserver() async {
        let tokens = Locked<[Disposable]>([])
        let stateToken = handle.loadStates.observe { [cache, handle, states] state in
            states.append(state.name)
            guard state.isLoading else { return }
            cache.set(Station(id: 2))
            let token = handle.observe { _ in }
            tokens.withLock { $0.append(token) }
        }
        let token = handle.observe { _ in }
        token.dispose()
        #expect(handle.loadState.isLoading)
        for token in tokens.withLock({ $0 }) { token.dispose() }
        #expect(await until { states.all == ["loading", "idle"] })
        stateToken.dispose()
    }

    // MARK: Batches

    @Test func observationInABatchLoadsAfterTheBatch() async {
        var token: Disposable?
        cache.performBatchUpdates { batch in
            batch.set(Station(id: 2))
            token = handle.observe { _ in }
        }
        #expect(handle.loadState.isLoading)
        #expect(await server.hasCalls(1))
        server.answer(0, Station(id: 1))
        #expect(await until { handle.loadState.name == "idle" })
        token?.dispose()
    }

    @Test func entityThatTheBatchStoresIsNotLoaded() {
        var token: Disposable?
        cache.performBatchUpdates { batch in
            token = handle.observe { _ in }
            batch.set(Station(id: 1))
        }
        #expect(handle.loadState.name == "idle")
        #expect(cache.core.loads.isIdle)
        token?.dispose()
    }

    @Test func entityThatTheBatchRemovesIsNotLoaded() {
        cache.set(Station(id: 1))
        var token: Disposable?
        cache.performBatchUpdates { batch in
            token = handle.observe { _ in }
            batch.remove(Station.self, id: 1)
        }
        #expect(handle.loadState.name == "idle")
        token?.dispose()
    }

    // MARK: Loaders

    @Test func missingLoaderTraps() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let cache = Cache()
            cache.set(Station(id: 1))
            _ = cache.cached(Station.self, id: 1).loading().observe { _ in }
        }
        let message = try #require(result?.message)
        #expect(message.contains("Station has no loader. Call setLoader(for: Station.self)"))
    }

    @Test func loadersAreNeededOnlyByObservations() {
        let cache = Cache()
        let handle = cache.cached(Station.self, id: 1).loading()
        _ = handle.value
        #expect(handle.loadState.name == "idle")
        let stateToken = handle.loadStates.observe { _ in }
        let token = cache.cached(Station.self, id: 1).loading(.cacheOnly).observe { _ in }
        stateToken.dispose()
        token.dispose()
    }

    @Test func replacedLoaderLoadsFromThenOn() async {
        let token = handle.observe { _ in }
        #expect(await server.hasCalls(1))
        server.answer(0, Station(id: 1))
        #expect(await until { handle.loadState.name == "idle" })
        cache.setLoader(for: Station.self, gathering: .zero) { ids in
            ids.map { Station(id: $0, revision: 9) }
        }
        cache.invalidate(Station.self, id: 1)
        #expect(await until { cache.get(Station.self, id: 1)?.revision == 9 })
        #expect(server.calls.count == 1)
        token.dispose()
    }
}
