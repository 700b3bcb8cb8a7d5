import Testing

@testable import FlatCacheTestSupport

/// Tests that concurrent calls have the results of a sequential order of the same calls.
///
/// `RandomTestSettings` describes how to repeat a failure and how to run for longer.
@Suite(.exclusive)
struct LinearizabilityTests {
    @Test("Concurrent calls on a cache are linearizable")
    func cache() {
        let settings = RandomTestSettings(seeds: 4000, hasThreads: true)
        var trial = LinearizabilityTrial<LinearizableCache>(settings)
        if let failure = trial.firstFailure() {
            failure.report.record()
            return
        }
        guard !settings.isReplay, settings.seeds.count >= 1000 else { return }
        #expect(trial.overlapCount > 0)
        let rare = trial.counts.rare(among: Self.expectedOperations)
        #expect(rare.isEmpty, "The histories rarely contain these operations")
    }

    /// The operations that must occur often; otherwise the generator misses a part of the cache.
    private static let expectedOperations = [
        "get", "contains", "count", "ids", "values", "set", "set all", "replace", "append",
        "failing append", "remove", "remove kind", "remove all", "batch", "failing batch",
        "snapshot", "query", "keep current",
    ]
}
