import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests sizes at which recursion would overflow the stack and quadratic time would take too long.
@Suite(.exclusive, .serialized)
struct CacheScaleTests {
    static let chainLength = RandomTestSettings.scaled(200_000)
    static let hubSize = RandomTestSettings.scaled(1_000_000)
    static let touchCount = RandomTestSettings.scaled(10_000)

    /// Runs a closure on a thread with a small stack, which recursion over the data would overflow.
    private func onASmallStack(_ body: @escaping @Sendable () -> Void) {
        #expect(RunningThread(stackSize: 1 << 19, body).wait())
    }

    @Test func changeAtTheEndOfALongChainNotifiesItsHead() {
        let cache = Cache()
        let received = Recorder<Station.ID>()
        onASmallStack {
            let last = Self.chainLength - 1
            cache.set(contentsOf: Station.chain(Self.chainLength))
            let observation = cache.record(0, in: received)
            cache.touch(last)
            #expect(received.count == 1)
            cache.performBatchUpdates { batch in
                batch.touch(last / 2)
                batch.touch(last)
            }
            #expect(received.count == 2)
            observation.dispose()
            #expect(cache.core.watchedCount == 0)
        }
    }

    @Test func longChainIsCutAndPruned() {
        let cache = Cache()
        let received = Recorder<Station.ID>()
        onASmallStack {
            let middle = Self.chainLength / 2
            cache.set(contentsOf: Station.chain(Self.chainLength))
            let observation = cache.record(0, in: received)
            cache.update(Station.self, id: middle) { $0.next = [] }
            cache.touch(Self.chainLength - 1)
            #expect(received.count == 1)
            #expect(cache.core.watchedCount == middle + 1)
            #expect(cache.pruneUnobservedValues() == Self.chainLength - middle - 1)
            observation.dispose()
            #expect(cache.pruneUnobservedValues() == middle + 1)
        }
    }

    @Test func longChainIsReachedByAnObserverOfLimitedButGreatReach() {
        let cache = Cache()
        let received = Recorder<Station.ID>()
        onASmallStack {
            cache.set(contentsOf: Station.chain(Self.chainLength))
            let observation = cache.record(0, following: .levels(Self.chainLength), in: received)
            cache.touch(Self.chainLength - 1)
            #expect(received.count == 1)
            observation.dispose()
            #expect(cache.core.watchedCount == 0)
        }
    }

    @Test func cacheWithALongObservedChainCanGo() {
        let received = Recorder<Station.ID>()
        onASmallStack {
            var observation: Disposable?
            do {
                let cache = Cache()
                cache.performBatchUpdates { $0.set(contentsOf: Station.chain(Self.chainLength)) }
                observation = cache.record(0, in: received)
            }
            observation?.dispose()
        }
        #expect(received.all == [])
    }

    @Test func unobservedDependentsOfAHubAddNoCost() {
        let cache = Cache()
        let received = Recorder<Station.ID>()
        onASmallStack {
            cache.performBatchUpdates { batch in
                batch.set(Station(id: 0))
                batch.set(contentsOf: (1...Self.hubSize).lazy.map { Station(id: $0, next: [0]) })
            }
            let observation = cache.record(Self.hubSize / 2, in: received)
            #expect(cache.core.watchedCount == 2)
            for _ in 0..<Self.touchCount { cache.touch(0) }
            #expect(received.count == Self.touchCount)
            observation.dispose()
            #expect(cache.core.watchedCount == 0)
        }
    }

    @Test func hubNotifiesEachOfManyObservedDependents() {
        let cache = Cache()
        let received = Recorder<Station.ID>()
        let count = RandomTestSettings.scaled(20_000)
        onASmallStack {
            cache.set(contentsOf: (0...count).map { Station(id: $0, next: $0 == 0 ? [] : [0]) })
            let observations = (1...count).map { cache.record($0, in: received) }
            cache.touch(0)
            #expect(received.all == Array(1...count))
            for observation in observations { observation.dispose() }
            #expect(cache.core.watchedCount == 0)
        }
    }

    @Test func manyUpdatesOfOneEntityInABatchTakeLinearTime() {
        let cache = Cache()
        let count = RandomTestSettings.scaled(100_000)
        onASmallStack {
            cache.performBatchUpdates { batch in
                batch.set(contentsOf: (0..<count).lazy.map { Station(id: $0) })
                for id in 0..<count { batch.touch(id) }
            }
        }
        #expect(cache.count(of: Station.self) == count)
        #expect(cache[Station.self, count - 1]?.revision == 1)
    }

    @Test func churnUnderAnOpenSnapshotDoesntCostTheWholeTable() {
        let cache = Cache()
        let count = RandomTestSettings.scaled(100_000)
        onASmallStack {
            cache.set(contentsOf: (0..<count).lazy.map { Station(id: $0) })
            cache.withSnapshot { snapshot in
                for id in count..<(count + count / 5) {
                    cache.set(Station(id: id))
                    cache.remove(Station.self, id: id)
                }
                #expect(snapshot.count(of: Station.self) == count)
            }
        }
        cache.core.checkInvariants()
    }

    @Test func componentThatLosesItsMembersOneByOneIsNotFoundAnewEachTime() {
        let cache = Cache()
        let received = Recorder<Station.ID>()
        let count = RandomTestSettings.scaled(10_000)
        onASmallStack {
            cache.set(contentsOf: (1...count).lazy.map { Station(id: $0, next: [0]) })
            cache.set(Station(id: 0, next: Array(1...count)))
            let observation = cache.record(0, in: received)
            cache.touch(1)
            for id in 1...count { cache.remove(Station.self, id: id) }
            #expect(received.count == 1 + count)
            cache.core.checkInvariants()
            observation.dispose()
        }
        #expect(cache.core.watchedCount == 0)
    }
}
