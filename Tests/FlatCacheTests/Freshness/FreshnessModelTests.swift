import Testing

@testable import FlatCache

/// Compares the freshness of values with a model after each of many random operations.
///
/// `RandomTestSettings` describes how to repeat a failure and how to run for longer.
struct FreshnessModelTests {
    @Test(
        "Values are as fresh as in a model, in a cache, in batches and in snapshots",
        arguments: [false, true]
    )
    func operations(isLoading: Bool) {
        let settings = RandomTestSettings(seeds: 60, steps: 60)
        let counts = EventCounts()
        let isPassed = settings.forEachSeed { seed in
            let run = FreshnessRun(seed: seed, isLoading: isLoading)
            for step in 1...settings.steps {
                guard let problem = run.step() else { continue }
                return FailureReport(
                    seed: seed,
                    step: step,
                    operations: run.operations,
                    problem: problem
                )
            }
            for (name, count) in run.counts { counts.add(name, count) }
            return nil
        }
        guard isPassed, settings.seeds.count >= 60 else { return }
        let rare = counts.rare(among: ["fresh", "stale", "missing"])
        #expect(rare.isEmpty, "The sequences rarely cause these events")
    }
}
