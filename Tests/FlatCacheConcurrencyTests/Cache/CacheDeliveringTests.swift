import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests the deliveries of caches and observations, which determine the thread and time of calls.
@Suite(.exclusive)
struct CacheDeliveringTests {
    let received = Recorder<String>()
    let scheduler = ManualScheduler()

    private func record(
        _ name: String,
        _ cache: Cache,
        initial: Bool = false,
        delivery: CacheDelivery = .inline
    ) -> Disposable {
        cache.cached(Station.self, id: 1).observe(initial: initial, delivery: delivery) {
            [received] in
            received.append("\(name)\($0.revision)")
        }
    }

    /// Observes a station with an observer that writes the next revision in each call, up to the
    /// last one.
    private func climb(
        to last: Int,
        _ cache: Cache,
        _ revisions: Recorder<Int>,
        delivery: CacheDelivery = .inline
    ) -> Disposable {
        cache.cached(Station.self, id: 1).observe(delivery: delivery) { [unowned cache] station in
            revisions.append(station.revision)
            if station.revision < last {
                cache.set(Station(id: 1, revision: station.revision + 1))
            }
        }
    }

    // MARK: A cache's delivery

    @Test func callsWaitForTheSchedulerAndKeepCommitOrder() {
        let cache = Cache(delivery: scheduler.delivery)
        let first = record("a", cache)
        let second = record("b", cache)
        for revision in 1...3 { cache.set(Station(id: 1, revision: revision)) }
        #expect(received.all == [])
        #expect(cache[Station.self, 1]?.revision == 3)
        scheduler.runAll()
        #expect(received.all == ["a1", "b1", "a2", "b2", "a3", "b3"])
        first.dispose()
        second.dispose()
    }

    @Test func oneClosureIsScheduledForAllPendingCalls() {
        let cache = Cache(delivery: scheduler.delivery)
        let observation = record("a", cache)
        #expect(scheduler.count == 0)
        for revision in 1...100 { cache.set(Station(id: 1, revision: revision)) }
        #expect(scheduler.count == 1)
        scheduler.runNext()
        #expect(received.count == 100)
        cache.touch(1)
        #expect(scheduler.count == 1)
        scheduler.runNext()
        #expect(received.count == 101)
        observation.dispose()
    }

    @Test func initialCallHasItsPlaceAmongTheCommits() {
        let cache = Cache(delivery: scheduler.delivery)
        let first = record("a", cache)
        cache.set(Station(id: 1, revision: 1))
        let second = record("b", cache, initial: true)
        cache.set(Station(id: 1, revision: 2))
        let third = record("c", cache, initial: true)
        #expect(received.all == [])
        scheduler.runAll()
        #expect(received.all == ["a1", "b1", "a2", "b2", "c2"])
        for observation in [first, second, third] { observation.dispose() }
    }

    @Test func completionOfABatchFollowsItsObserversAndPrecedesLaterCommits() {
        let cache = Cache(delivery: scheduler.delivery)
        let observation = record("a", cache)
        cache.set(Station(id: 1, revision: 1))
        cache.performBatchUpdates { batch in
            batch.touch(1)
        } completion: { [received] in
            received.append("completed")
        }
        cache.performBatchUpdates { _ in
        } completion: { [received] in
            received.append("nothing to do")
        }
        cache.touch(1)
        #expect(received.all == [])
        scheduler.runAll()
        #expect(received.all == ["a1", "a2", "completed", "nothing to do", "a3"])
        observation.dispose()
    }

    @Test func schedulerRunsWhileAnObserverKeepsWriting() {
        let cache = Cache(delivery: scheduler.delivery)
        let revisions = Recorder<Int>()
        let observation = climb(to: .max, cache, revisions)
        cache.set(Station(id: 1, revision: 1))
        for turn in 1...3 {
            scheduler.runNext()
            #expect(revisions.count == turn * DeliveryQueue.commitsAtATime)
            #expect(scheduler.count == 1)
        }
        observation.dispose()
        scheduler.runAll()
        #expect(revisions.count == 3 * DeliveryQueue.commitsAtATime)
    }

    @Test func schedulerMayUseTheCache() {
        // The cache calls the scheduler without holding a lock, and delivers its writes with the
        // others.
        let holder = Locked<Cache?>(nil)
        let cache = Cache(
            delivery: CacheDelivery { [scheduler] work in
                holder.withLock { $0 }?.set(Station(id: 1, revision: 100))
                scheduler.delivery.runLater?(work)
            }
        )
        holder.withLock { $0 = cache }
        let observation = record("a", cache)
        cache.set(Station(id: 1, revision: 1))
        #expect(scheduler.count == 1)
        scheduler.runAll()
        #expect(received.all == ["a1", "a100"])
        observation.dispose()
        holder.withLock { $0 = nil }
    }

    // MARK: Any delivery

    @Test(.timeLimit(.minutes(15)), arguments: Scheduler.allCases, Scheduler.allCases)
    func manyWritesByAnObserverAreDeliveredWithoutGrowingTheStack(
        cacheScheduler: Scheduler,
        scheduler: Scheduler
    ) async {
        // The count is high where the stack of one thread could grow, and lower where each call
        // takes several threads.
        let isLong = scheduler == .inline || scheduler == .atOnce && cacheScheduler == .atOnce
        let last = isLong ? 5_000 : 1_000
        let cache = Cache(delivery: cacheScheduler.delivery)
        let revisions = Recorder<Int>()
        let observation = climb(to: last, cache, revisions, delivery: scheduler.delivery)
        let thread = RunningThread(stackSize: 1 << 19) {
            cache.set(Station(id: 1, revision: 1))
        }
        #expect(await until { revisions.count == last && thread.hasEnded })
        #expect(revisions.all == Array(1...last))
        observation.dispose()
    }

    @Test(.timeLimit(.minutes(15)), arguments: Scheduler.allCases, [true, false])
    func callsAreInCommitOrderAndOneAtATimeOnAnyThread(
        scheduler: Scheduler,
        isOfTheCache: Bool
    ) async {
        let threads = 4
        let each = 400
        let cache = Cache(delivery: isOfTheCache ? scheduler.delivery : .inline)
        let counter = OverlapCounter()
        let versions = Recorder<UInt64>()
        // The delivery of a cache keeps the calls of all observations in order. The delivery of an
        // observation orders only its own calls.
        let ids = 0..<(isOfTheCache ? threads : 1)
        let observations = ids.map { id in
            cache.cached(Station.self, id: id).observeChanges(
                delivery: isOfTheCache ? .inline : scheduler.delivery
            ) { change in
                counter.pass { versions.append(change.version) }
            }
        }
        let writers = (0..<threads).map { id in
            RunningThread {
                for revision in 1...each {
                    cache.set(Station(id: id % ids.count, revision: id * each + revision))
                }
            }
        }
        #expect(await until { versions.count == threads * each && writers.allSatisfy(\.hasEnded) })
        #expect(versions.all == Array(1...UInt64(threads * each)))
        #expect(counter.most == 1)
        for observation in observations { observation.dispose() }
    }

    // MARK: An observation's own delivery

    @Test func observationsDeliveryAppliesAfterTheCaches() {
        let own = ManualScheduler()
        let cache = Cache(delivery: scheduler.delivery)
        let first = record("own ", cache, delivery: own.delivery)
        let second = record("a", cache)
        for revision in 1...2 { cache.set(Station(id: 1, revision: revision)) }
        #expect(own.count == 0)
        scheduler.runAll()
        #expect(received.all == ["a1", "a2"])
        #expect(own.count == 1)
        cache.touch(1)
        own.runNext()
        #expect(received.all == ["a1", "a2", "own 1", "own 2"])
        scheduler.runAll()
        own.runAll()
        #expect(received.all == ["a1", "a2", "own 1", "own 2", "a3", "own 3"])
        first.dispose()
        second.dispose()
    }

    @Test func initialCallUsesTheSameDeliveryAndPrecedesTheOthers() {
        let cache = Cache()
        cache.set(Station(id: 1, revision: 1))
        let observation = record("a", cache, initial: true, delivery: scheduler.delivery)
        cache.touch(1)
        #expect(received.all == [])
        scheduler.runAll()
        #expect(received.all == ["a1", "a2"])
        observation.dispose()
    }

    @Test func lateCallHoldsUpNoOtherObserver() {
        let cache = Cache()
        let late = record("late ", cache, delivery: scheduler.delivery)
        let later = record("later ", cache, delivery: ManualScheduler().delivery)
        let prompt = record("a", cache)
        cache.performBatchUpdates { batch in
            batch.set(Station(id: 1, revision: 1))
        } completion: { [received] in
            received.append("completed")
        }
        #expect(received.all == ["a1", "completed"])
        scheduler.runAll()
        #expect(received.all == ["a1", "completed", "late 1"])
        for observation in [late, later, prompt] { observation.dispose() }
    }

    @Test func inlineUsesTheCachesDelivery() {
        let cache = Cache(delivery: scheduler.delivery)
        let observation = record("a", cache, delivery: .inline)
        cache.set(Station(id: 1))
        #expect(received.all == [])
        scheduler.runAll()
        #expect(received.all == ["a0"])
        observation.dispose()
    }

    @Test func lateCallsShowTheStateAfterTheirCommit() {
        let cache = Cache()
        let changes = Recorder<EntityChange<Station>>()
        let observation = cache.cached(Station.self, id: 1).observeChanges(
            delivery: scheduler.delivery
        ) { changes.append($0) }
        cache.set(Station(id: 1, revision: 1))
        cache.set(Station(id: 1, revision: 2))
        cache.remove(Station.self, id: 1)
        scheduler.runAll()
        #expect(changes.all.map(\.kind) == [.inserted, .updated, .removed(.explicit)])
        #expect(changes.all.map { $0.old?.revision } == [nil, 1, 2])
        #expect(changes.all.map { $0.new?.revision } == [1, 2, nil])
        #expect(changes.all.map(\.version) == [1, 2, 3])
        observation.dispose()
    }
}
