import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Compares requests with a model after each of many random operations.
///
/// `RandomTestSettings` describes how to repeat a failure and how to run for longer.
struct RequestModelTests {
    @Test("Requests load, notify and keep their entities as in a model")
    func operations() async {
        let settings = RandomTestSettings(seeds: 60, steps: 120)
        let counts = await settings.run { RequestModelRun(seed: $0) }
        counts?.expectOften([
            "kept", "equal", "outdated", "late", "failed", "repeated", "joined", "abandoned",
            "put off", "evicted",
        ])
        counts?.expectOften(["refused", "expired", "limited"], moreThan: 10)
    }
}
