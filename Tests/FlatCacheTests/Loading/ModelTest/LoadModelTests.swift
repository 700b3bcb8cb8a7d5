import Testing

/// Compares loads with a model after each of many random operations.
///
/// `RandomTestSettings` describes how to repeat a failure and how to run for longer.
@Suite(.timeLimit(.minutes(15)))
struct LoadModelTests {
    @Test("Loads make the same calls and store the same values as in a model")
    func operations() async {
        let settings = RandomTestSettings(seeds: 200, steps: 80)
        let counts = EventCounts()
        let isPassed = await settings.forEachSeed { seed in
            let run = LoadRun(seed: seed)
            for step in 1...settings.steps + 1 {
                let problem = step > settings.steps ? await run.end() : await run.step()
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
        guard isPassed, settings.seeds.count >= 200 else { return }
        let rare = counts.rare(
            among: [
                "fresh", "stale", "missing", "joined", "late", "cancelled", "abandoned",
                "remembered",
            ]
        )
        #expect(counts.rare(among: ["repeated"], atMost: 10).isEmpty)
        #expect(rare.isEmpty, "The sequences rarely cause these events")
    }
}
