import Testing

@testable import FlatCache

/// Threads that write, batch, observe, end observations and prune, all at once, to caches that stay
/// and to caches that go.
///
/// See `StressSettings` for how to repeat a failure, or to run for long.
struct ObserverStressTests {
    @Test("Each observer is told exactly what it must be")
    func everyObserverIsToldExactlyWhatItMustBe() {
        report(StressSettings(rounds: 15).seeds, steps: 300)
    }

    @Test("Nothing is left undone when all threads have ended")
    func allWorkIsDoneWhenAllThreadsHaveEnded() {
        // Only the last steps of a round can leave something that no later one sets right.
        report(StressSettings(rounds: 200).seeds, steps: 8)
    }

    /// Runs rounds until one of them fails.
    private func report(_ seeds: Range<UInt64>, steps: Int) {
        for seed in seeds {
            let problems = StressRound(seed: seed, steps: steps).run()
            guard !problems.isEmpty else { continue }
            Issue.record("\(StressSettings.report(problems, seed: seed))")
            return
        }
    }

    @Test("A cache may go while others observe it and write to it")
    func aCacheMayGoWhileOthersObserveItAndWriteToIt() {
        for seed in StressSettings(rounds: 150).seeds {
            var generator = SplitMix64(seed: seed)
            let cache = DroppedCache(goingAt: generator.number(in: 1...300))
            let ended = onThreads(3) { thread in
                var generator = SplitMix64(seed: seed &* 1000 &+ UInt64(thread))
                for _ in 0..<60 { cache.step(&generator) }
            }
            guard ended else {
                Issue.record("The threads did not end.")
                return
            }
            cache.check()
            guard cache.problems.count > 0 else { continue }
            Issue.record("\(StressSettings.report(cache.problems.all, seed: seed))")
            return
        }
    }
}
