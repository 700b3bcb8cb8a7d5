import Testing

@testable import FlatCache

/// Compares a single flight with a naive model after each of many random operations.
///
/// `RandomTestSettings` describes how to repeat a failure and how to run for longer.
@Suite(.timeLimit(.minutes(20)))
struct SingleFlightModelTests {
    @Test("A single flight agrees with its model after random operations")
    func operations() async {
        let settings = RandomTestSettings(seeds: 250, steps: 50)
        let counts = EventCounts()
        let isPassed = await settings.forEachSeed { seed in
            let run = FlightRun(seed: seed)
            for step in 1...settings.steps {
                await run.step()
                guard let problem = await run.problem() else { continue }
                return run.report(seed, step, problem)
            }
            await run.end()
            if let problem = await run.problem() {
                return run.report(seed, settings.steps, problem)
            }
            for (name, count) in run.counts { counts.add(name, count) }
            return nil
        }
        guard isPassed, settings.seeds.count >= 250, settings.steps >= 50 else { return }
        let rare = counts.rare(
            among: [
                "joined", "gathered", "full", "shared answer", "abandoned", "late end", "claim",
                "refused claim", "failure", "cancellation", "separated", "unneeded key",
                "late caller",
            ]
        )
        #expect(rare.isEmpty, "The sequences rarely cause these events")
    }
}
