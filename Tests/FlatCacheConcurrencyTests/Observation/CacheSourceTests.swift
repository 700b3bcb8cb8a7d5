import FlatCacheTesting
import Observation
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests what all kinds of sources have in common.
@Suite(.exclusive, .timeLimit(.minutes(15)))
struct CacheSourceTests {
    let cache = SourceCase.cache()
    let calls = Recorder<String>()

    @Test(arguments: SourceCase.all)
    func observersReceiveThePresentStateAndEachLaterOne(kind: SourceCase) {
        func observe(_ source: some CacheSource) -> Disposable {
            source.observe(initial: true) { [calls] in calls.append("\($0)") }
        }
        let observation = observe(kind.make(cache))
        #expect(calls.count == 1)
        cache.touch(1)
        cache.touch(1)
        #expect(calls.count == 3)
        #expect(Set(calls.all).count == 3)
        cache.set(Note(id: 1, text: ""))
        cache.set(Station(id: 1, revision: 2))
        #expect(calls.count == 3)
        observation.dispose()
        cache.touch(1)
        #expect(calls.count == 3)
    }

    @Test(arguments: SourceCase.changingWithTheEntity)
    func observersOfChangesReceiveOneForEachCommit(kind: SourceCase) {
        func observe(_ source: some CacheSource) -> Disposable {
            source.observeChanges { [calls] _ in calls.append("") }
        }
        let observation = observe(kind.make(cache))
        #expect(calls.count == 0)
        cache.touch(1)
        cache.performBatchUpdates { batch in
            batch.touch(1)
            batch.touch(1)
        }
        #expect(calls.count == 2)
        cache.remove(Station.self, id: 1)
        #expect(calls.count == 3)
        observation.dispose()
        cache.set(Station(id: 1))
        #expect(calls.count == 3)
    }

    @Test(arguments: SourceCase.changingWithTheEntity)
    func deliveryDecidesWhenObserversAreCalled(kind: SourceCase) {
        func observe(_ source: some CacheSource, _ delivery: CacheDelivery) -> [Disposable] {
            [
                source.observe(initial: true, delivery: delivery) { [calls] in
                    calls.append("\($0)")
                },
                source.observeChanges(delivery: delivery) { [calls] _ in calls.append("change") },
            ]
        }
        let scheduler = ManualScheduler()
        let observations = observe(kind.make(cache), scheduler.delivery)
        cache.touch(1)
        #expect(calls.count == 0)
        scheduler.runAll()
        #expect(calls.count == 3)
        withExtendedLifetime(observations) {}
    }

    @MainActor
    @Test(arguments: SourceCase.changingWithTheEntity)
    func isolatedObserversAreCalledOnTheirActor(kind: SourceCase) async {
        @MainActor func observe(_ source: some CacheSource) -> [Disposable] {
            [
                source.observe(isolation: #isolation, initial: true) { [calls] _ in
                    MainActor.preconditionIsolated()
                    calls.append("state")
                },
                source.observeChanges(isolation: #isolation) { [calls] _ in
                    MainActor.preconditionIsolated()
                    calls.append("change")
                },
            ]
        }
        let observations = observe(kind.make(cache))
        cache.touch(1)
        #expect(calls.count == 0)
        #expect(await until { calls.count == 3 })
        for observation in observations { observation.dispose() }
        cache.touch(1)
        await cache.waitForObservers()
        #expect(calls.all.sorted() == ["change", "state", "state"])
    }

    @Test(arguments: SourceCase.changingWithTheEntity)
    func sequencesBeginWithThePresentStateAndEndWithTheCache(kind: SourceCase) async {
        func consume(_ source: some CacheSource, of cache: Cache?) async -> Task<Void, Never> {
            var values = source.values.makeAsyncIterator()
            var changes = source.changes.makeAsyncIterator()
            #expect(await values.next() != nil)
            cache?.touch(1)
            #expect(await values.next() != nil)
            #expect(await changes.next() != nil)
            return Task { [values = source.values, changes = source.changes, calls] in
                for await _ in values { calls.append("") }
                for await _ in changes {}
            }
        }
        var cache: Cache? = SourceCase.cache()
        guard let source = cache.map(kind.make) else { return }
        let consumer = await consume(source, of: cache)
        #expect(await until { calls.count == 1 })
        cache = nil
        await consumer.value
    }

    @Test(arguments: SourceCase.all)
    func waitingReturnsTheFirstStateThatMeetsTheCondition(kind: SourceCase) async throws {
        func wait(_ source: some CacheSource) -> Task<String, any Error> {
            Task {
                let old = "\(try await source.first(timeout: .zero))"
                calls.append(old)
                return "\(try await source.first { "\($0)" != old })"
            }
        }
        func describe<Source: CacheSource>(_ source: Source) -> String? {
            Source.present(source.state).map { "\($0)" }
        }
        let source = kind.make(cache)
        let task = wait(source)
        #expect(await until { calls.count == 1 })
        cache.touch(1)
        #expect(try await task.value == describe(source))
    }

    @Test(arguments: SourceCase.all)
    func waitingEndsInATimeout(kind: SourceCase) async {
        let clock = ManualClock()
        func wait(_ source: some CacheSource) async throws {
            _ = try await source.first(timeout: .seconds(1), clock: clock) { _ in false }
        }
        let source = kind.make(cache)
        let task = Task { try await wait(source) }
        #expect(await until { clock.sleeperCount == 1 })
        clock.advance(by: .seconds(1))
        await #expect(throws: WaitingError.timedOut("\(source)", after: .seconds(1))) {
            try await task.value
        }
    }

    @Test(arguments: SourceCase.all)
    func waitingEndsWithTheCache(kind: SourceCase) async {
        func wait(_ source: some CacheSource) async throws {
            _ = try await source.first { _ in
                calls.append("")
                return false
            }
        }
        var cache: Cache? = SourceCase.cache()
        guard let source = cache.map(kind.make) else { return }
        let task = Task { try await wait(source) }
        #expect(await until { calls.count > 0 })
        cache = nil
        await #expect(throws: WaitingError.cacheDeallocated("\(source)")) { try await task.value }
    }

    @Test(arguments: SourceCase.all)
    func trackersAreNotifiedOnceOfTheNextChange(kind: SourceCase) {
        func track<Source: CacheSource>(_ observed: Observed<Source>) {
            withObservationTracking {
                _ = observed.state
            } onChange: { [calls] in
                calls.append("state")
            }
            withObservationTracking {
                observed.read { _ in }
            } onChange: { [calls] in
                calls.append("read")
            }
        }
        func test(_ source: some CacheSource) {
            let observed = Observed(source, delivery: .inline)
            track(observed)
            #expect(calls.count == 0)
            for _ in 0..<2 { cache.touch(1) }
            #expect(calls.all.sorted() == ["read", "state"])
            track(observed)
            cache.touch(1)
            #expect(calls.count == 4)
            #expect("\(observed.state)" == "\(source.state)")
            #expect("\(observed)" == "Observed \(source)")
            track(observed)
        }
        test(kind.make(cache))
        cache.touch(1)
        #expect(calls.count == 4)
    }

    @Test(arguments: SourceCase.all)
    func nothingKeepsTheCacheWhoseObserversAreReleasedWithIt(kind: SourceCase) {
        func observe(_ source: some CacheSource, _ receipt: Receipt) -> [Any] {
            [
                source.observe { _ in withExtendedLifetime(receipt) {} },
                source.observeChanges { _ in withExtendedLifetime(receipt) {} },
                Observed(source, delivery: .inline),
            ]
        }
        weak var weakCache: Cache?
        weak var weakReceipt: Receipt?
        var tokens: [Any] = []
        do {
            let (cache, receipt) = (SourceCase.cache(), Receipt())
            (weakCache, weakReceipt) = (cache, receipt)
            tokens = observe(kind.make(cache), receipt)
        }
        #expect(weakCache == nil)
        #expect(weakReceipt == nil)
        withExtendedLifetime(tokens) {}
    }
}
