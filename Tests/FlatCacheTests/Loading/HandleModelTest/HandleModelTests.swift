import Testing

@testable import FlatCache

/// Compares loading handles with a model after each of many random operations.
///
/// `RandomTestSettings` describes how to repeat a failure and how to run for longer.
struct HandleModelTests {
    @Test("Handles load, wait and repeat as in a model, with writes, failures and time")
    func operations() async {
        let settings = RandomTestSettings(seeds: 60, steps: 60)
        let counts = EventCounts()
        let isPassed = await settings.forEachSeed { seed in
            let run = HandleRun(seed: seed)
            for step in 1...settings.steps + 1 {
                let problem = await step > settings.steps ? run.end() : run.step()
                guard let problem else { continue }
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
        let rare = counts.rare(
            among: ["whole", "partial", "missing", "failed", "repeated", "cancelled"]
        )
        #expect(rare.isEmpty, "The sequences rarely cause these events")
    }
}
