import FlatCacheTesting
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

extension CachedLoadingTests {
    @Test func missingAnswerIsNotLoadedAgain() async {
        let handle = loading()
        await withObservation(of: handle) {
            #expect(await server.hasCalls(1))
            server.answer(0)
            #expect(await until { handle.loadState.name == "idle" })
            #expect(cache.core.loads.isIdle)
            cache.set(Station(id: 2))
            #expect(handle.loadState.name == "idle")
            // It may exist at the next observation.
            await withObservation(of: handle) { #expect(await server.hasCalls(2)) }
        }
    }

    @Test func ownPartialAnswerIsNotLoadedAgain() async {
        let handle = loading(requiring: { $0.revision > 0 })
        await withObservation(of: handle) {
            #expect(await server.hasCalls(1))
            server.answer(0, Station(id: 1))
            #expect(await until { isStored(0) && handle.loadState.name == "idle" })
            cache.set(Station(id: 1, revision: -1))
            #expect(handle.loadState.name == "idle")
            // After a whole value, a partial one is loaded again.
            cache.set(Station(id: 1, revision: 1))
            cache.set(Station(id: 1, revision: -1))
            #expect(await server.hasCalls(2))
        }
    }

    @Test func handlesWithDifferentRequirementsDoNotLoadInTurns() async {
        let even = loading(requiring: { $0.revision.isMultiple(of: 2) })
        let odd = loading(requiring: { !$0.revision.isMultiple(of: 2) })
        let tokens = [even.observe { _ in }, odd.observe { _ in }]
        var answered = 0
        // The handle that has joined the other's call may make a call of its own.
        while server.calls.count < 100, even.loadState.isLoading || odd.loadState.isLoading {
            let count = server.calls.count
            while answered < count {
                server.answer(answered, Station(id: 1, revision: 2))
                answered += 1
            }
            _ = await until {
                server.calls.count > answered
                    || !(even.loadState.isLoading || odd.loadState.isLoading)
            }
        }
        #expect((1...2).contains(server.calls.count))
        for token in tokens { token.dispose() }
    }

    @Test func valueThatIsStaleOnArrivalIsNotLoadedAgain() async {
        cache.limit(
            Station.self,
            .unlimited,
            staleAfter: .at { ManualClock.Instant(offset: .seconds($0.revision)) }
        )
        let handle = loading()
        await withObservation(of: handle) {
            #expect(await server.hasCalls(1))
            server.answer(0, Station(id: 1))
            #expect(await until { handle.loadState.name == "idle" && cache.core.loads.isIdle })
            #expect(isStored(0))
            #expect(cache.freshness(of: Station.self, id: 1).isStale)
            cache.expireValues()
            #expect(handle.loadState.name == "idle")
            // Neither is an equal value that another writer stores.
            cache.set(Station(id: 1))
            cache.expireValues()
            #expect(handle.loadState.name == "idle")
            cache.invalidate(Station.self, id: 1)
            #expect(await server.hasCalls(2))
        }
    }

    @Test func wholeAnswerThatLostAgainstAPartialWriteIsLoadedAgain() async {
        let handle = loading(requiring: { $0.revision > 0 })
        await withObservation(of: handle) {
            #expect(await server.hasCalls(1))
            cache.set(Station(id: 1))
            server.answer(0, Station(id: 1, revision: 1))
            #expect(await server.hasCalls(2))
            #expect(isStored(0))
            server.answer(1, Station(id: 1, revision: 2))
            #expect(await until { isStored(2) && handle.loadState.name == "idle" })
        }
    }

    @Test("A partial value that follows an answer without a change is loaded")
    func partialValueAfterAnEqualAnswer() async {
        cache.set(Station(id: 1, revision: 1))
        let handle = loading(.networkOnly, requiring: { $0.revision > 0 })
        await withObservation(of: handle) {
            #expect(await server.hasCalls(1))
            server.answer(0, Station(id: 1, revision: 1))
            #expect(await until { handle.loadState.name == "idle" })
            await cache.waitForObservers()
            cache.set(Station(id: 1))
            #expect(handle.loadState.isLoading)
            #expect(await server.hasCalls(2))
        }
    }
}
