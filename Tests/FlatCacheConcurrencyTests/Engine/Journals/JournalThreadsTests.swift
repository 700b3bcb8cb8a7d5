import TestSupport
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

@Suite(.exclusive)
struct JournalThreadsTests {
    @Test("Threads that write, restore and flush lose nothing, and no flush tears a batch")
    func writingWhileFlushing() {
        let settings = RandomTestSettings(seeds: 3, steps: 100, hasThreads: true)
        settings.forEachSeed { seed in
            let run = JournalThreadsRun(seed: seed)
            run.run(steps: settings.steps)
            return FailureReport(seed: seed, problems: run.problems.all)
        }
    }
}

/// Threads that write pairs of items beside a thread that flushes them.
private struct JournalThreadsRun {
    private static let writers = 3
    private static let pairs = 40

    private let seed: Seed
    private let cache: Cache
    private let archive = Archive<Item>()
    let problems = Recorder<String>()

    init(seed: Seed) {
        self.seed = seed
        var configuration = CacheConfiguration()
        configuration.limit(Item.self, .count(30))
        cache = Cache(configuration: configuration)
        archive.attach(to: cache)
    }

    func run(steps: Int) {
        let finished = Recorder<[Int: Int]>()
        let haveEnded = onThreads(Self.writers + 1) { thread in
            if thread < Self.writers {
                finished.append(write(steps, thread))
            } else {
                var random = SplitMix64(seed: seed, stream: thread)
                while finished.count < Self.writers {
                    archive.flush(confirms: false)
                    check()
                    if random.oneIn(3) {
                        archive.access.putBack([archive.journal])
                    } else {
                        archive.access.confirm([archive.journal])
                    }
                    archive.restore()
                }
            }
        }
        if !haveEnded { problems.append("the threads hang") }
        archive.flush()
        check()
        for (id, price) in finished.all.flatMap({ $0 }) {
            let stored = archive.values[id]?.price ?? 0
            if stored == price { continue }
            problems.append("the archive has \(id) as \(stored), not \(price)")
        }
        let count = cache.count(of: Item.self)
        if count > 30 { problems.append("the cache holds \(count) items") }
        cache.core.checkInvariants()
    }

    /// Writes pairs of items of its own; returns the last prices, zero for removed items.
    private func write(_ steps: Int, _ thread: Int) -> [Int: Int] {
        var random = SplitMix64(seed: seed, stream: thread)
        var prices: [Int: Int] = [:]
        for step in 1...steps {
            let first = 2 * (thread * Self.pairs + random.below(Self.pairs))
            let isRemoval = random.oneIn(5)
            cache.performBatchUpdates { batch in
                for id in first...first + 1 {
                    if isRemoval {
                        batch.remove(Item.self, id: id)
                    } else {
                        batch.set(Item(id: id, price: step))
                    }
                }
            }
            for id in first...first + 1 { prices[id] = isRemoval ? 0 : step }
            // A single value is exchanged in place.
            guard random.oneIn(4) else { continue }
            cache.set(Item(id: 1_000 + thread, price: step))
            prices[1_000 + thread] = step
        }
        return prices
    }

    /// Reports the pairs of items that a flush has written in part.
    private func check() {
        let values = archive.values
        for first in stride(from: 0, to: 2 * Self.pairs * Self.writers, by: 2)
        where values[first]?.price != values[first + 1]?.price {
            let prices = [values[first]?.price, values[first + 1]?.price]
            problems.append("the archive has a part of a batch: \(first) with \(prices)")
        }
    }
}
