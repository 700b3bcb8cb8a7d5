import FlatCacheTesting
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

extension CachedLoadStateTests {
    @Test func deallocatedCacheEndsEverything() async {
        let clock = ManualClock()
        let server = StationServer()
        var cache: Cache? = Self.makeCache(clock, server)
        weak let core = cache?.core
        let handles = (1...3).map { cache?.cached(Station.self, id: $0).loading() }
        var tokens = handles.compactMap { $0?.observe { _ in } }
        tokens += handles.compactMap { handle in
            handle?.loadStates.observe { [states] in states.append($0.name) }
        }
        #expect(await until { server.calls.count == 3 })
        server.fail(0)
        server.answer(1)
        #expect(await until { handles.count { $0?.loadState.isLoading == true } == 1 })
        #expect(await until { clock.sleeperCount == 1 })
        cache = nil
        #expect(await until { server.cancelledCalls.count == 1 && clock.sleeperCount == 0 })
        #expect(handles.allSatisfy { $0?.loadState.name == "idle" })
        let token = handles[0]?.observe { _ in }
        #expect(handles[0]?.loadState.name == "idle")
        token?.dispose()
        #expect(core != nil)
        for token in tokens { token.dispose() }
    }

    @Test func endedObservationsReleaseTheHandleAndTheCore() async {
        let clock = ManualClock()
        let server = StationServer()
        var cache: Cache? = Self.makeCache(clock, server)
        let core = Weak(cache?.core)
        let loading: Weak<HandleLoading<Station>>
        do {
            let handle = cache?.cached(Station.self, id: 1).loading()
            loading = Weak(handle?.loading)
            let tokens = [
                handle?.observe { _ in }, handle?.loadStates.observe { _ in },
            ]
            #expect(await server.hasCalls(1))
            server.fail(0)
            #expect(await until { clock.sleeperCount == 1 })
            for token in tokens { token?.dispose() }
        }
        #expect(await until { clock.sleeperCount == 0 })
        #expect(await until { loading.object == nil })
        cache = nil
        #expect(await until { core.object == nil })
    }

    @Test(arguments: [true, false])
    func sequencesEndWithTheCache(loads: Bool) async {
        var cache: Cache? = Self.makeCache(clock, server)
        let plain = cache?.cached(Station.self, id: 1)
        let sequence = (loads ? plain?.loading() : plain)?.loadStates.values
        let (started, ended) = (Signal(), Signal())
        let task = Task {
            guard let sequence else { return }
            for await _ in sequence { started.fire() }
            ended.fire()
        }
        #expect(await until { started.isFired })
        cache = nil
        #expect(await until { ended.isFired })
        task.cancel()
    }
}
