import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

/// Compares requests, a list and parts of entities with a model after each of many random
/// operations and launches.
///
/// `RandomTestSettings` describes how to repeat a failure and how to run for longer.
struct DurableLoadModelTests {
    @Test("Responses, lists and whole values outlive launches as in a model")
    func operations() async {
        let settings = RandomTestSettings(seeds: 60, steps: 80)
        let counts = await settings.run { DurableLoadRun(seed: $0) }
        counts?.expectOften([
            "restored fresh", "restored stale", "restored entity", "no call", "failed", "evicted",
            "evicted row", "merged beneath", "other type",
        ])
        counts?.expectOften(
            [
                "expired", "next page", "no reload", "fresh entity", "evicted response",
                "evicted list", "completed",
            ],
            moreThan: 30
        )
    }
}
