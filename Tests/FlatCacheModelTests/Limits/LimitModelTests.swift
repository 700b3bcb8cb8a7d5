import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

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
    func operations(isLoading: Bool) async {
        let settings = RandomTestSettings(seeds: 100, steps: 60)
        let counts = await settings.run { LimitRun(seed: $0, isLoading: isLoading) }
        counts?.expectOften(["explicit", "evicted", "expired", "pruned", "stale"])
    }
}
