import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Compares loading handles with a model after each of many random operations.
///
/// `RandomTestSettings` describes how to repeat a failure and how to run for longer.
struct HandleModelTests {
    @Test("Handles load, wait and repeat as in a model, with writes, failures and time")
    func operations() async {
        let counts = await RandomTestSettings(seeds: 60, steps: 60).run { HandleRun(seed: $0) }
        counts?.expectOften(["whole", "partial", "missing", "failed", "repeated", "cancelled"])
    }
}
