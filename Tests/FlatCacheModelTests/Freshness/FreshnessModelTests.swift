import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Compares the freshness of values with a model after each of many random operations.
///
/// `RandomTestSettings` describes how to repeat a failure and how to run for longer.
struct FreshnessModelTests {
    @Test(
        "Values are as fresh as in a model, in a cache, in batches and in snapshots",
        arguments: [false, true]
    )
    func operations(isLoading: Bool) async {
        let settings = RandomTestSettings(seeds: 60, steps: 60)
        let counts = await settings.run { FreshnessRun(seed: $0, isLoading: isLoading) }
        counts?.expectOften(["fresh", "stale", "missing"])
    }
}
