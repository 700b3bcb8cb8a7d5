import Testing

@testable import FlatCache

/// Random operations on a cache with limits and a clock, compared step by step with a model that
/// knows which values may go and which must go.
///
/// See `RandomTestSettings` for how to reproduce a failure, or to run for long.
struct LimitModelTests {
    @Test("What limits and time take from a cache is what they may and what they must")
    func operations() {
        let settings = RandomTestSettings(seeds: 100, steps: 60)
        let reasons = EventCounts()
        let isPassed = settings.forEachSeed { seed in
            let run = LimitRun(seed: seed)
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
        #expect(rare.isEmpty, "The sequences hardly show these events")
    }
}
