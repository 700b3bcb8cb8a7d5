import Synchronization
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests threads that commit faster than observers run, together with slower threads.
@Suite(.exclusive)
struct CacheOverloadTests {
    let cache = Cache()

    /// Observes an entity with observers that take longer than a commit.
    private func observeSlowly(_ id: Station.ID) -> [Disposable] {
        (0..<20).map { _ in
            cache.cached(Station.self, id: id).observe { [weak cache] _ in
                for _ in 0..<100 { _ = cache?.version }
            }
        }
    }

    @Test("A thread isn't kept delivering the commits of others", .timeLimit(.minutes(15)))
    func innocentThread() {
        cache.set(contentsOf: [Station(id: 1), Station(id: 2)])
        let tokens = observeSlowly(1)
        let start = ContinuousClock.now
        let mustGoOn = Atomic(true)
        let writers = (0..<2).map { number in
            RunningThread { [cache] in
                var revision = number
                // The writers continue until this thread has done its own work, which it couldn't
                // while delivering.
                while mustGoOn.load(ordering: .relaxed) {
                    revision += 2
                    cache.set(Station(id: 1, revision: revision))
                }
            }
        }
        var longestBacklog = 0
        let received = Recorder<Int>()
        for revision in 1...300 {
            let token = cache.cached(Station.self, id: 2).observe(initial: true) {
                received.append($0.revision)
            }
            cache.set(Station(id: 2, revision: revision))
            longestBacklog = max(longestBacklog, cache.core.deliveryQueue.backlog)
            token.dispose()
        }
        mustGoOn.store(false, ordering: .relaxed)
        for writer in writers { #expect(writer.wait()) }
        #expect(cache.isSettled())
        // Each of the three threads may add a commit when its wait ends, after ten milliseconds.
        // Without waits, the writers would add many more.
        let waits = (ContinuousClock.now - start) / .milliseconds(10)
        #expect(Double(longestBacklog) < Double(DeliveryQueueState.overload) + 3 * (waits + 2))
        #expect(received.all == received.all.sorted())
        for token in tokens { token.dispose() }
    }

    @Test("A thread isn't kept adding the observations of others", .timeLimit(.minutes(15)))
    func innocentWriter() {
        let mustGoOn = Atomic(true)
        let observers = (0..<3).map { number in
            RunningThread { [cache] in
                while mustGoOn.load(ordering: .relaxed) {
                    cache.cached(Station.self, id: number).observe { _ in }.dispose()
                }
            }
        }
        // Transactions add registrations twice.
        for revision in 0..<2_000 {
            cache.performBatchUpdates { _ = $0.set(Station(id: revision % 3, revision: revision)) }
        }
        mustGoOn.store(false, ordering: .relaxed)
        for observer in observers { #expect(observer.wait()) }
        #expect(cache.isSettled())
        #expect(cache.core.watchedCount == 0)
        cache.core.checkInvariants()
    }
}
