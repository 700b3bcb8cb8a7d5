import Dispatch
import Synchronization
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests protocols that depend on the order in which two threads access shared state.
///
/// If an order is wrong, the test fails within a few runs, but not in every run.
@Suite(.exclusive)
struct CacheProtocolTests {
    /// Runs two closures on two threads at once, repeatedly, and a third closure after each pair.
    ///
    /// - Returns: `true` if all rounds ended in time.
    private func inRounds(
        _ count: Int,
        _ first: () -> Void,
        _ second: @escaping @Sendable () -> Void,
        afterBoth check: () -> Void
    ) -> Bool {
        let begun = Counter()
        let ended = Counter()
        let partner = RunningThread {
            for round in 1...count {
                begun.wait(for: round)
                second()
                ended.increment()
            }
        }
        for round in 1...count {
            begun.increment()
            first()
            ended.wait(for: round)
            check()
        }
        return partner.wait()
    }

    /// A number for each increment of which another thread waits.
    ///
    /// The thread doesn't sleep at once, so that it usually goes on in the same microsecond. It
    /// doesn't yield either: while other programs use the processors, a yield takes milliseconds.
    private final class Counter: Sendable {
        private let value = Atomic<Int>(0)
        private let increments = DispatchSemaphore(value: 0)

        func increment() {
            value.add(1, ordering: .releasing)
            increments.signal()
        }

        func wait(for number: Int) {
            var patience = 2_000
            while value.load(ordering: .acquiring) < number, patience > 0 { patience -= 1 }
            increments.wait()
        }
    }

    @Test func writingThreadCarriesOutDeferredWork() {
        let cache = Cache()
        cache.set(Station(id: 0))
        let token = Locked(cache.cached(Station.self, id: 1).observe { _ in })
        // Random delays shift the two operations against each other.
        let delays = Locked(SplitMix64(seed: 1))
        let delay = { @Sendable in
            for _ in 0..<delays.withLock({ $0.below(40) }) { _ = cache.version }
        }
        var left = 0
        let ended = inRounds(20_000) {
            delay()
            cache.touch(0)
        } _: {
            let token = token.withLock { $0 }
            delay()
            token.dispose()
        } afterBoth: {
            if cache.core.deferredWork.withLock({ !$0.isEmpty }) { left += 1 }
            let next = cache.cached(Station.self, id: 1).observe { _ in }
            token.withLock { $0 = next }
        }
        #expect(ended)
        #expect(left == 0)
    }

    @Test func readersNeverMissAReplacedValue() {
        let cache = Cache()
        let handle = cache.cached(Station.self, id: 0)
        cache.set(contentsOf: [Station(id: 0), Station(id: 1)])
        // Writes of one entity are in place. Writes of the observed one take a transaction.
        let observation = cache.cached(Station.self, id: 1).observe { _ in }
        let mustGoOn = Atomic<Bool>(true)
        let missed = Recorder<Int>()
        let reader = RunningThread {
            while mustGoOn.load(ordering: .relaxed) {
                if cache[Station.self, 0] == nil { missed.append(0) }
                if cache[Station.self, 1] == nil { missed.append(1) }
                if handle.value == nil { missed.append(2) }
                cache.withSnapshot { snapshot in
                    for id in 0...1 where snapshot[Station.self, id] == nil {
                        missed.append(3 + id)
                    }
                }
            }
        }
        for revision in 1...20_000 {
            cache.set(Station(id: 0, revision: revision))
            cache.set(Station(id: 1, revision: revision))
        }
        mustGoOn.store(false, ordering: .relaxed)
        #expect(reader.wait())
        #expect(missed.all == [])
        observation.dispose()
    }

    /// The kind of write that the test performs.
    enum Write: CaseIterable {
        /// In place, unless the entity is observed.
        case set, update
        /// In a transaction.
        case batch
    }

    @Test(
        "An observer receives the initial value and each value after it",
        arguments: Write.allCases
    )
    func consecutiveValues(write: Write) {
        let cache = Cache()
        cache.set(Station(id: 0))
        let isEnough = Atomic<Bool>(false)
        let writer = RunningThread {
            var revision = 0
            // However slowly the other thread observes, it makes some observations meanwhile.
            while revision < 30_000 || !isEnough.load(ordering: .relaxed) {
                revision += 1
                switch write {
                case .set: cache.set(Station(id: 0, revision: revision))
                case .update: cache.update(Station.self, id: 0) { $0.revision = revision }
                case .batch:
                    cache.performBatchUpdates { _ = $0.set(Station(id: 0, revision: revision)) }
                }
            }
        }
        var observations = 0
        var problem: String?
        while !writer.hasEnded, problem == nil {
            let received = Recorder<Int>()
            let token = cache.cached(Station.self, id: 0).observe(initial: true) {
                received.append($0.revision)
            }
            _ = blockUntil { received.count > 2 || writer.hasEnded }
            token.dispose()
            let revisions = received.all
            for (revision, next) in zip(revisions, revisions.dropFirst())
            where next != revision + 1 && problem == nil {
                problem = "\(next) came after \(revision)."
            }
            observations += 1
            if observations > 10 { isEnough.store(true, ordering: .relaxed) }
        }
        isEnough.store(true, ordering: .relaxed)
        #expect(writer.wait())
        #expect(problem == nil)
        cache.core.checkInvariants()
    }
}
