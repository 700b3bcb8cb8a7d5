import Testing

/// Calls that threads make at the same time, held against what they would do one after another.
///
/// See `LinearizabilitySettings` for how to repeat a failure, or to run for long.
struct LinearizabilityTests {
    @Test("Concurrent calls on a cache do what they do one after another in some order")
    func cache() {
        let settings = LinearizabilitySettings()
        var trial = LinearizabilityTrial<LinearizableCache>(settings)
        if let failure = trial.firstFailure() {
            Issue.record("\(failure)")
            return
        }
        guard settings.seed == nil, settings.historyCount >= 1000 else { return }
        #expect(trial.overlapCount > 0)
        for name in Self.expectedOperations {
            #expect(trial.counts[name, default: 0] > 100, "The histories hardly show: \(name)")
        }
    }

    /// What a run of many histories must have shown, or the generator is of no use.
    private static let expectedOperations = [
        "get", "contains", "count", "ids", "values", "set", "set all", "replace", "append",
        "failing append", "remove", "remove kind", "remove all", "batch", "failing batch",
        "snapshot",
    ]
}
