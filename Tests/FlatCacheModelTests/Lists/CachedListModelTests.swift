import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Compares lists with a naive model after each of many random operations.
///
/// `RandomTestSettings` describes how to repeat a failure and how to run for longer.
struct CachedListModelTests {
    @Test("Lists agree with their model after random operations")
    func listOperations() {
        let settings = RandomTestSettings(seeds: 100, steps: 60)
        settings.forEachSeed { seed in
            var generator = ListGenerator(seed: seed, listCount: ListRun.reaches.count)
            let operations = generator.operations(count: settings.steps)
            return FailureReport(seed: seed, operations: operations) { ListRun() }
        }
    }
}
