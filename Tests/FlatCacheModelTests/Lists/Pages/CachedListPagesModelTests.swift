import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Random pages, edits and late answers, compared step by step with a naive model.
///
/// `RandomTestSettings` describes how to repeat a failure.
struct CachedListPagesModelTests {
    @Test("Random pages and edits have the same effect on lists and on their model")
    func pageOperations() {
        let settings = RandomTestSettings(seeds: 60, steps: 60)
        settings.forEachSeed { seed in
            var generator = PageGenerator(seed: seed, listCount: PageRun.listCount)
            let operations = generator.operations(count: settings.steps)
            return FailureReport(seed: seed, operations: operations) { PageRun() }
        }
    }
}
