import Testing

@testable import FlatCache

/// Random operations on a cache with limits and a clock, compared step by step with what may and
/// what must be.
///
/// See `ModelSettings` for how to reproduce a failure, or to run for long.
@Suite(.serialized)
struct RetentionModelTests {
    @Test("What limits and time take from a cache is what they may and what they must")
    func operations() {
        let settings = ModelSettings()
        var reasons: [String: Int] = [:]
        for seed in settings.seeds {
            let run = RetentionRun(seed: seed)
            let problem = TrapReport.during(seed) { () -> String? in
                for step in 1...settings.steps {
                    if let problem = run.step() { return "step \(step): \(problem)" }
                }
                return nil
            }
            for (reason, count) in run.removals { reasons["\(reason)", default: 0] += count }
            reasons["stale", default: 0] += run.staleCount
            guard let problem else { continue }
            Issue.record("With \(ModelSettings.seedVariable)=\(seed), \(problem)")
            return
        }
        guard settings.seeds.count >= 100 else { return }
        for name in ["explicit", "evicted", "expired", "pruned", "stale"] {
            #expect(reasons[name, default: 0] > 100, "The sequences hardly show: \(name)")
        }
    }
}
