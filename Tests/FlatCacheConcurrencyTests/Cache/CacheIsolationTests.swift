import Observation
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

extension Cache {
    fileprivate var current: CachedAlias<Station> { alias("current", of: Station.self) }
}

/// Tests that observations of types, lists and aliases call back on the observing actor, too.
@Suite(.exclusive, .timeLimit(.minutes(15)))
struct CacheIsolationTests {
    @MainActor
    final class Screen {
        let rows = Recorder<[Int]>()
        let differences = Recorder<Int>()
        let current = Recorder<Int?>()
        let changed = Recorder<Int>()
        private var tokens: [Disposable] = []

        init(of cache: Cache) {
            let list = cache.list("line", of: Station.self)
            list.observe(isolation: #isolation, initial: true) { [weak self] stations in
                MainActor.assertIsolated()
                self?.rows.append(stations.map(\.revision))
            }.store(in: &tokens)
            list.observeChanges(isolation: #isolation) { [weak self] change in
                self?.differences.append(change.difference.count)
            }.store(in: &tokens)
            cache.current.observe(isolation: #isolation) { [weak self] station in
                self?.current.append(station?.revision)
            }.store(in: &tokens)
            cache.observeAll(Station.self, isolation: #isolation) { [weak self] commit in
                self?.changed.append(commit.changes.count)
            }.store(in: &tokens)
        }

        func close() { tokens = [] }
    }

    @Test @MainActor func entitiesCallTheActorThatObserves() async {
        let cache = Cache()
        let revisions = Recorder<String>()
        let station = Station(id: 1)
        cache.set(Station(id: 1, revision: 1))
        let tokens = [
            cache.cached(Station.self, id: 1).observe(isolation: #isolation, initial: true) {
                MainActor.assertIsolated()
                revisions.append("a\($0.revision)")
            },
            cache.cached(station).observe(isolation: #isolation) {
                MainActor.assertIsolated()
                revisions.append("b\($0.revision)")
            },
            cache.cached(Station.self, id: 1).observeChanges(isolation: #isolation) {
                MainActor.assertIsolated()
                revisions.append("c\($0.new?.revision ?? 0)")
            },
            cache.cached(station).observeChanges(isolation: #isolation) {
                MainActor.assertIsolated()
                revisions.append("d\($0.new?.revision ?? 0)")
            },
        ]
        await Task.detached { _ = cache.set(Station(id: 1, revision: 2)) }.value
        #expect(await until { revisions.count >= 5 })
        #expect(revisions.all.sorted() == ["a1", "a2", "b2", "c2", "d2"])
        for token in tokens { token.dispose() }
    }

    @Test @MainActor func allEntitiesAreDeliveredToTheActorAtFirst() async {
        let cache = Cache()
        cache.set(contentsOf: [Station(id: 1), Station(id: 2)])
        let counts = Recorder<Int>()
        let token = cache.observeAll(Station.self, isolation: #isolation, initial: true) {
            MainActor.assertIsolated()
            counts.append($0.changes.count)
        }
        await Task.detached { _ = cache.set(Station(id: 3)) }.value
        #expect(await until { counts.count >= 2 })
        #expect(counts.all == [2, 1])
        token.dispose()
    }

    @Test @MainActor func listsAliasesAndTypesCallTheActorThatObserves() async {
        let cache = Cache()
        let screen = Screen(of: cache)
        await Task.detached {
            cache.list("line", of: Station.self)
                .replace(with: [Station(id: 1, revision: 1), Station(id: 2, revision: 2)])
            cache.current.target = 2
            cache.set(Station(id: 2, revision: 3))
        }.value
        #expect(
            await until {
                screen.changed.count >= 2 && screen.rows.all.last == [1, 3]
                    && screen.current.count >= 2 && screen.differences.count >= 2
            }
        )
        #expect(screen.changed.all == [2, 1])
        #expect(screen.differences.all == [2, 0])
        #expect(screen.current.all.last == .some(3))
        screen.close()
        // The calls of a later observer come after those of the closed one.
        let later = Screen(of: cache)
        cache.set(Station(id: 2, revision: 4))
        #expect(await until { later.changed.count >= 1 && later.rows.all.last == [1, 4] })
        #expect(screen.rows.all.last == [1, 3])
        #expect(screen.changed.all == [2, 1])
        later.close()
    }

    @Test @MainActor func commitsDuringATrackedReadingNotify() async {
        let cache = Cache()
        cache.set(Station(id: 1))
        let station = cache.cached(Station.self, id: 1).observable
        let told = Signal()
        var read: Int?
        withObservationTracking {
            read = station.value?.revision
            // Another thread completes its commit before the tracked read ends.
            let ended = onThreads(1) { _ in cache.set(Station(id: 1, revision: 1)) }
            #expect(ended)
            #expect(cache.isSettled())
        } onChange: {
            told.fire()
        }
        #expect(read == 0)
        _ = await until { told.isFired }
        #expect(station.value?.revision == 1)
    }

    /// An object that writes to its cache when it is deallocated.
    final class WriteOnRelease: Sendable {
        let cache: Cache
        init(to cache: Cache) { self.cache = cache }
        deinit { cache.set(Note(id: 9, text: "gone")) }
    }

    @Test(arguments: [false, true])
    func capturesOfADeliveryAreReleasedAfterTheLock(onAnotherThread: Bool) {
        let cache = Cache()
        func observe() -> Disposable {
            let writeOnRelease = WriteOnRelease(to: cache)
            let delivery = CacheDelivery { work in withExtendedLifetime(writeOnRelease) { work() } }
            return cache.cached(Station.self, id: 1).observe(delivery: delivery) { _ in }
        }
        let token = Locked<Disposable?>(observe())
        let dispose: @Sendable () -> Void = { token.withLock { $0.take() }?.dispose() }
        cache.performBatchUpdates { batch in
            batch.set(Station(id: 2))
            if onAnotherThread {
                #expect(onThreads(1) { _ in dispose() })
            } else {
                dispose()
            }
        }
        #expect(cache[Note.self, 9]?.text == "gone")
        cache.core.checkInvariants()
    }
}
