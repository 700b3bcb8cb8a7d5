import Testing

@testable import FlatCacheTestSupport

/// Compares loads with a model after each of many random operations.
///
/// `RandomTestSettings` describes how to repeat a failure and how to run for longer.
@Suite(.timeLimit(.minutes(15)))
struct LoadModelTests {
    @Test("Loads make the same calls and store the same values as in a model")
    func operations() async {
        let counts = await RandomTestSettings(seeds: 200, steps: 80).run { LoadRun(seed: $0) }
        counts?.expectOften([
            "fresh", "stale", "missing", "joined", "late", "cancelled", "abandoned", "remembered",
            "whole stale",
        ])
        counts?.expectOften(["repeated"], moreThan: 10)
    }
}
