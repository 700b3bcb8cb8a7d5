import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

@Suite(.exclusive)
struct CacheSettlingTests {
    @Test func withoutObserversItReturnsAtOnce() async {
        let cache = Cache()
        await cache.waitForObservers()
        cache.set(Note(id: 1, text: "a"))
        await cache.waitForObservers()
    }

    @Test(arguments: Scheduler.allCases)
    func everyDeliveryHasEnded(scheduler: Scheduler) async {
        let cache = Cache(delivery: scheduler.delivery)
        let received = Recorder<Int>()
        let tokens = Scheduler.allCases.map { own in
            cache.cached(Station.self, id: 1).observe(delivery: own.delivery) {
                received.append($0.revision)
            }
        }
        for revision in 1...20 {
            cache.set(Station(id: 1, revision: revision))
            await cache.waitForObservers()
            #expect(received.count == revision * tokens.count)
        }
        for token in tokens { token.dispose() }
        #expect(cache.core.ownQueues.withLock { $0.isEmpty })
    }

    @Test @MainActor func isolatedObserversHaveBeenCalled() async {
        let cache = Cache()
        var revisions: [Int] = []
        let token = cache.cached(Station.self, id: 1).observe(isolation: #isolation) {
            revisions.append($0.revision)
        }
        for revision in 1...50 { cache.set(Station(id: 1, revision: revision)) }
        #expect(revisions.isEmpty)
        await cache.waitForObservers()
        #expect(revisions == Array(1...50))
        token.dispose()
    }

    @Test func itReturnsAfterTheCompletionsOfEarlierBatches() async {
        let scheduler = ManualScheduler()
        let cache = Cache(delivery: scheduler.delivery)
        let isCompleted = Signal()
        cache.performBatchUpdates { _ in
        } completion: {
            isCompleted.fire()
        }
        let task = Task {
            await cache.waitForObservers()
            #expect(isCompleted.isFired)
        }
        #expect(await until { cache.core.deliveryQueue.backlog >= 2 })
        scheduler.runAll()
        await task.value
    }

    @Test func cancelledTaskWaitsNoLonger() async {
        let scheduler = ManualScheduler()
        let cache = Cache()
        let token = cache.cached(Station.self, id: 1).observe(delivery: scheduler.delivery) { _ in }
        cache.set(Station(id: 1))
        let task = Task { await cache.waitForObservers() }
        task.cancel()
        await task.value
        #expect(scheduler.count == 1)
        scheduler.runAll()
        token.dispose()
    }

    @Test("Commits of other threads are delivered, too")
    func otherThreads() async {
        let cache = Cache()
        let received = Recorder<Int>()
        let tokens = (0..<4).map { id in
            cache.cached(Station.self, id: id).observe(delivery: Scheduler.onActor.delivery) {
                received.append($0.revision)
            }
        }
        let writers = (0..<4).map { id in
            RunningThread {
                for revision in 1...200 { cache.set(Station(id: id, revision: revision)) }
            }
        }
        #expect(await until { writers.allSatisfy(\.hasEnded) })
        await cache.waitForObservers()
        #expect(received.count == 800)
        for token in tokens { token.dispose() }
    }
}
