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

    @Test("Random reloads beside pages, edits and restarts have the result of their model")
    func reloads() async {
        let counts = await RandomTestSettings(seeds: 200, steps: 150).run { ReloadRun(seed: $0) }
        counts?.expectOften([
            "reloaded", "another page of a reload", "dropped reload", "edited during a reload",
            "restarted during a reload", "waited for a reload", "held", "requested again",
            "kept by a page that waits", "failed", "cancelled",
        ])
        counts?.expectOften(["polled the end"], moreThan: 20)
    }
}
