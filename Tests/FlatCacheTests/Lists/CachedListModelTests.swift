import Testing

@testable import FlatCache

/// Random operations on lists, compared step by step with a naive model.
///
/// See `RandomTestSettings` for how to reproduce a failure, or to run for long.
struct CachedListModelTests {
    @Test("Random operations on lists do what they do on their model")
    func listOperations() {
        let settings = RandomTestSettings(seeds: 100, steps: 60)
        settings.forEachSeed { seed in
            var generator = ListGenerator(seed: seed, listCount: ListRun.reaches.count)
            let operations = generator.operations(count: settings.steps)
            return FailureReport(seed: seed, operations: operations) { ListRun() }
        }
    }
}
