import Foundation
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests the elements that consumers receive while several threads change an entity.
///
/// `RandomTestSettings` describes how to repeat a failure and how to run for longer.
@Suite(.exclusive, .timeLimit(.minutes(15)))
struct CachedSequenceStressTests {
    /// Threads that increment a station's revision, each with a different method.
    private struct Writers {
        static let count = 3
        static let updates = 250

        let cache: Cache
        let seed: Seed

        /// The final revision.
        var total: Int { Self.count * Self.updates }

        func start() -> [RunningThread] {
            (0..<Self.count).map { number in
                var generator = SplitMix64(seed: seed, stream: number)
                let pauses = (0..<Self.updates).map { _ in generator.oneIn(10) }
                let batches = (0..<Self.updates).map { _ in generator.oneIn(3) }
                return RunningThread { [cache] in
                    for step in 0..<Self.updates {
                        if pauses[step] { sched_yield() }
                        if batches[step] {
                            cache.performBatchUpdates { batch in
                                batch.touch(2)
                                batch.touch(1)
                            }
                        } else {
                            cache.touch(1)
                        }
                    }
                }
            }
        }
    }

    @Test func consumersSeeEverNewerValuesUpToTheLast() async {
        await RandomTestSettings(seeds: 10, hasThreads: true).forEachSeed { seed in
            let cache = Cache()
            cache.set(Station(id: 1))
            cache.set(Station(id: 2))
            let values = cache.cached(Station.self, id: 1).values
            let writers = Writers(cache: cache, seed: seed)
            let threads = writers.start()
            let seen = await withTaskGroup(of: [Int].self) { group in
                for number in 0..<3 {
                    group.addTask { await Self.revisions(values, upTo: writers.total, number) }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(threads.allSatisfy { $0.wait() })
            var problems: [String] = []
            for revisions in seen {
                for (older, newer) in zip(revisions, revisions.dropFirst()) where older >= newer {
                    problems.append("\(newer) came after \(older).")
                }
                let stored = cache[Station.self, 1]?.revision
                if revisions.last != stored {
                    problems.append("The last was \(revisions.last ?? -1), not \(stored ?? -1).")
                }
            }
            #expect(cache.isSettled())
            if cache.core.watchedCount > 0 { problems.append("Entities are still watched.") }
            return FailureReport(seed: seed, problems: problems)
        }
    }

    /// Collects the revisions that a consumer receives.
    ///
    /// A consumer with a greater number is slower.
    private static func revisions(
        _ values: CacheSequence<Station?>,
        upTo last: Int,
        _ number: Int
    ) async -> [Int] {
        var revisions: [Int] = []
        for await station in values {
            revisions.append(station?.revision ?? -1)
            if station?.revision == last { break }
            for _ in 0..<number * 5 { await Task.yield() }
        }
        return revisions
    }

    @Test func noChangeIsMissing() async {
        await RandomTestSettings(seeds: 10, hasThreads: true).forEachSeed { seed in
            let cache = Cache()
            cache.set(Station(id: 1))
            cache.set(Station(id: 2))
            let writers = Writers(cache: cache, seed: seed)
            var iterator = cache.cached(Station.self, id: 1).changes.makeAsyncIterator()
            let threads = writers.start()
            let changes = await iterator.next(writers.total)
            #expect(threads.allSatisfy { $0.wait() })
            let versions = changes.map(\.version)
            let areInOrder =
                changes.map(\.old?.revision) == Array(0..<writers.total)
                && changes.map(\.new?.revision) == Array(1...writers.total)
                && zip(versions, versions.dropFirst()).allSatisfy(<)
            let problems = areInOrder ? [] : ["A change is missing or out of order."]
            return FailureReport(seed: seed, problems: problems)
        }
    }
}
