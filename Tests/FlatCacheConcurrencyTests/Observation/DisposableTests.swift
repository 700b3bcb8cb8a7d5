import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

@Suite(.exclusive)
struct DisposableTests {
    let cache = Cache()
    let received = Recorder<Station.ID>()

    @Test func noCallFollowsDisposal() {
        let observation = cache.record(1, in: received)
        cache.set(Station(id: 1))
        observation.dispose()
        cache.touch(1)
        #expect(received.all == [1])
    }

    @Test func disposingTwiceIsHarmless() {
        let count = Recorder<Int>()
        let token = Disposable { count.append(1) }
        token.dispose()
        token.dispose()
        #expect(count.count == 1)

        let observation = cache.record(1, in: received)
        let other = cache.record(1, in: received)
        observation.dispose()
        observation.dispose()
        cache.set(Station(id: 1))
        #expect(received.all == [1])
        cache.core.checkInvariants()
        other.dispose()
    }

    @Test func everyDisposalStopsBeforeItReturns() {
        let stops = Recorder<Int>()
        let entered = Signal()
        let mayReturn = Signal()
        let token = Disposable(
            stopping: { stops.append(1) }
        ) {
            entered.fire()
            _ = mayReturn.wait()
        }
        let other = RunningThread { token.dispose() }
        #expect(entered.wait())
        // The other thread is still disposing of the token, but the observation has ended for this
        // thread, too.
        token.dispose()
        #expect(stops.count == 2)
        mayReturn.fire()
        #expect(other.wait())
    }

    @Test func lateObserversAreReleased() {
        final class Witness: Sendable {}
        weak var released: Witness?
        var cache: Cache? = Cache()
        let handle = cache?.cached(Station.self, id: 1)
        cache = nil
        let observation: Disposable?
        do {
            let witness = Witness()
            released = witness
            observation = handle?.observe { _ in withExtendedLifetime(witness) {} }
        }
        #expect(released == nil)
        observation?.dispose()
    }

    @Test func deallocationDisposes() {
        var observation: Disposable? = cache.record(1, in: received)
        cache.set(Station(id: 1))
        #expect(received.all == [1])
        withExtendedLifetime(observation) {}
        observation = nil
        cache.touch(1)
        #expect(received.all == [1])
        #expect(cache.core.watchedCount == 0)
    }

    @Test func releasedTokenEndsItsObservation() {
        _ = cache.record(1, in: received)
        cache.set(Station(id: 1))
        #expect(received.all == [])
        #expect(cache.core.watchedCount == 0)
    }

    @Test func setKeepsTokens() {
        var tokens: Set<Disposable> = []
        cache.record(1, in: received).store(in: &tokens)
        cache.record(2, in: received).store(in: &tokens)
        #expect(tokens.count == 2)
        cache.set(contentsOf: [Station(id: 1), Station(id: 2)])
        #expect(received.all == [1, 2])
        tokens = []
        cache.touch(1)
        #expect(received.all == [1, 2])
    }

    @Test func collectionKeepsTokens() {
        var tokens: [Disposable] = []
        cache.record(1, in: received).store(in: &tokens)
        cache.record(2, in: received).store(in: &tokens)
        #expect(tokens.count == 2)
        cache.set(contentsOf: [Station(id: 1), Station(id: 2)])
        #expect(received.all == [1, 2])
        tokens.removeLast()
        cache.performBatchUpdates { batch in
            batch.touch(1)
            batch.touch(2)
        }
        #expect(received.all == [1, 2, 1])
        tokens = []
    }

    @Test func itMayBeDisposedOfInItsOwnCallback() {
        let tokens = Locked<[Disposable]>([])
        let observation = cache.cached(Station.self, id: 1).observe { station in
            received.append(station.revision)
            for token in tokens.withLock({ $0 }) { token.dispose() }
        }
        tokens.withLock { $0.append(observation) }
        cache.set(Station(id: 1))
        cache.touch(1)
        #expect(received.all == [0])
        cache.core.checkInvariants()
    }

    @Test func itMayBeDeallocatedInItsOwnCallback() {
        let token = Locked<Disposable?>(nil)
        let observation = cache.cached(Station.self, id: 1).observe { station in
            received.append(station.revision)
            let last = token.withLock { token in
                defer { token = nil }
                return token
            }
            withExtendedLifetime(last) {}
        }
        token.withLock { $0 = observation }
        _ = consume observation
        cache.set(Station(id: 1))
        cache.touch(1)
        #expect(received.all == [0])
        #expect(cache.core.watchedCount == 0)
    }

    @Test func disposingOfALaterObserverInACallbackDropsItsCall() {
        let tokens = Locked<[Disposable]>([])
        let first = cache.cached(Station.self, id: 1).observe { _ in
            received.append(1)
            for token in tokens.withLock({ $0 }) { token.dispose() }
        }
        let second = cache.record(1, in: received)
        let third = cache.cached(Station.self, id: 1).observe { _ in received.append(3) }
        tokens.withLock { $0.append(second) }
        cache.set(Station(id: 1, revision: 5))
        #expect(received.all == [1, 3])
        first.dispose()
        third.dispose()
    }

    @Test func disposingInsideABatchDropsItsCall() {
        let observation = cache.record(1, in: received)
        let other = cache.record(1, in: received)
        cache.performBatchUpdates { batch in
            batch.set(Station(id: 1))
            observation.dispose()
        }
        #expect(received.all == [1])
        cache.core.checkInvariants()
        other.dispose()
    }

    @Test func itMayBeDisposedOfOnAnotherThread() {
        let observation = cache.record(1, in: received)
        #expect(RunningThread { observation.dispose() }.wait())
        cache.set(Station(id: 1))
        #expect(received.all == [])
        #expect(cache.core.watchedCount == 0)
    }

    @Test func itMayBeDisposedOfWhileItsCallRunsOnAnotherThread() {
        let isInside = Signal()
        let mayReturn = Signal()
        let observation = cache.cached(Station.self, id: 1).observe { [received] station in
            received.append(station.revision)
            isInside.fire()
            #expect(mayReturn.wait())
        }
        let writer = RunningThread { [cache] in cache.set(Station(id: 1)) }
        #expect(isInside.wait())
        // Disposal doesn't wait for the current call.
        observation.dispose()
        cache.touch(1)
        mayReturn.fire()
        #expect(writer.wait())
        #expect(received.all == [0])
    }

    @Test func noCallBeginsAfterDisposalUnderConcurrentWrites() {
        let late = Recorder<Int>()
        let calls = Recorder<Int>()
        let isDone = Locked(false)
        let ended = onThreads(2) { [cache] thread in
            if thread == 0 {
                var revision = 0
                while !isDone.withLock({ $0 }) {
                    revision += 1
                    cache.set(Station(id: 1, revision: revision))
                }
                return
            }
            for round in 0..<100 {
                let isDisposed = Locked(false)
                let first = Signal()
                let observation = cache.cached(Station.self, id: 1).observe { _ in
                    if isDisposed.withLock({ $0 }) { late.append(round) }
                    calls.append(round)
                    first.fire()
                }
                #expect(first.wait())
                observation.dispose()
                // A call that has begun may continue. It ends before the completion, which has a
                // later place in the queue.
                let isOver = Signal()
                cache.performBatchUpdates({ _ in }, completion: { isOver.fire() })
                #expect(isOver.wait())
                isDisposed.withLock { $0 = true }
            }
            isDone.withLock { $0 = true }
        }
        #expect(ended)
        #expect(late.all == [])
        #expect(calls.count >= 100)
        cache.core.checkInvariants()
    }

    @Test func itMayBeDisposedOfAfterTheReleaseOfItsCache() {
        var cache: Cache? = Cache()
        let first = cache?.record(1, in: received)
        var second = cache?.record(2, in: received)
        cache = nil
        first?.dispose()
        first?.dispose()
        withExtendedLifetime(second) {}
        second = nil
        #expect(received.all == [])
    }

    @Test func tokensAreEqualOnlyToThemselves() {
        let first = Disposable {}
        let second = Disposable {}
        #expect(first == first)
        #expect(first != second)
        #expect(Set([first, second, first]).count == 2)
    }

    @Test func disposingReleasesItsClosureAtOnce() {
        let isReleased = Signal()
        let token: Disposable
        do {
            let receipt = Receipt { isReleased.fire() }
            token = Disposable { withExtendedLifetime(receipt) {} }
        }
        #expect(!isReleased.isFired)
        token.dispose()
        #expect(isReleased.isFired)
    }
}
