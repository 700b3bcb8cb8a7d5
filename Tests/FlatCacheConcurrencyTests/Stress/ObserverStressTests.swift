import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests threads that write, run batches, observe, end observations and prune at the same time,
/// with caches that stay alive and caches that are released meanwhile.
///
/// `RandomTestSettings` describes how to repeat a failure and how to run for longer.
@Suite(.exclusive)
struct ObserverStressTests {
    @Test("Each observer receives exactly the expected calls")
    func observersReceiveExactlyTheExpectedCalls() {
        runRounds(RandomTestSettings(seeds: 15, steps: 300, hasThreads: true))
    }

    @Test("No work remains when all threads have ended")
    func allWorkIsDoneWhenAllThreadsHaveEnded() {
        // Short rounds find work that only the last steps leave undone; in a long round, later
        // steps would complete it.
        runRounds(RandomTestSettings(seeds: 200, steps: 8, hasThreads: true))
    }

    private func runRounds(_ settings: RandomTestSettings) {
        settings.forEachSeed { seed in
            let round = StressRound(seed: seed, steps: settings.steps)
            return FailureReport(seed: seed, problems: round.run())
        }
    }

    @Test("A cache can be released while other threads observe it and write to it")
    func cacheMayBeReleasedDuringObservationsAndWrites() {
        let settings = RandomTestSettings(seeds: 150, steps: 60, hasThreads: true)
        settings.forEachSeed { seed in
            var generator = SplitMix64(seed: seed)
            let cache = ReleasedCache(releasedAt: generator.number(in: 1...300))
            let ended = onThreads(3) { thread in
                var generator = SplitMix64(seed: seed, stream: thread)
                for _ in 0..<settings.steps { cache.step(&generator) }
            }
            guard ended else {
                return FailureReport(seed: seed, problems: ["The threads did not end."])
            }
            cache.check()
            return FailureReport(seed: seed, problems: cache.problems.all)
        }
    }
}
