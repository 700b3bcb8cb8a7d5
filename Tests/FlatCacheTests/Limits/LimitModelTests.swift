import Testing

@testable import FlatCache

/// Compares a cache with limits and a manual clock with a model after each of many random
/// operations.
///
/// The model knows which values may be removed and which must be.
///
/// `RandomTestSettings` describes how to repeat a failure and how to run for longer.
struct LimitModelTests {
    @Test(
        "Limits and expiration remove the values that a model allows and requires",
        arguments: [false, true]
    )
    func operations(isLoading: Bool) {
        let settings = RandomTestSettings(seeds: 100, steps: 60)
        let reasons = EventCounts()
        let isPassed = settings.forEachSeed { seed in
            let run = LimitRun(seed: seed, isLoading: isLoading)
            for step in 1...settings.steps {
                guard let problem = run.step() else { continue }
                return FailureReport(
                    seed: seed,
                    step: step,
                    operations: run.operations,
                    problem: problem
                )
            }
            for (reason, count) in run.removals { reasons.add("\(reason)", count) }
            reasons.add("stale", run.staleCount)
            return nil
        }
        guard isPassed, settings.seeds.count >= 100 else { return }
        let rare = reasons.rare(among: ["explicit", "evicted", "expired", "pruned", "stale"])
        #expect(rare.isEmpty, "The sequences rarely cause these events")
    }
}
