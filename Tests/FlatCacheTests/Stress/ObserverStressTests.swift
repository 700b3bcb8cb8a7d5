import Testing

@testable import FlatCache

/// Threads that write, batch, observe, end observations and prune, all at once, to caches that stay
/// and to caches that go.
///
/// See `RandomTestSettings` for how to repeat a failure, or to run for long.
struct ObserverStressTests {
    @Test("Each observer is told exactly what it must be")
    func everyObserverIsToldExactlyWhatItMustBe() {
        runRounds(RandomTestSettings(seeds: 15, steps: 300, hasThreads: true))
    }

    @Test("Nothing is left undone when all threads have ended")
    func allWorkIsDoneWhenAllThreadsHaveEnded() {
        // Only the last steps of a round can leave something that no later one sets right.
        runRounds(RandomTestSettings(seeds: 200, steps: 8, hasThreads: true))
    }

    private func runRounds(_ settings: RandomTestSettings) {
        settings.forEachSeed { seed in
            let round = StressRound(seed: seed, steps: settings.steps)
            return FailureReport(seed: seed, problems: round.run())
        }
    }

    @Test("A cache may go while others observe it and write to it")
    func aCacheMayGoWhileOthersObserveItAndWriteToIt() {
        let settings = RandomTestSettings(seeds: 150, steps: 60, hasThreads: true)
        settings.forEachSeed { seed in
            var generator = SplitMix64(seed: seed)
            let cache = DroppedCache(goingAt: generator.number(in: 1...300))
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
