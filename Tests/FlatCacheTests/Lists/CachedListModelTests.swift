import Testing

@testable import FlatCache

/// Random operations on lists, compared step by step with a naive model.
///
/// See `ModelSettings` for how to reproduce a failure, or to run for long.
struct CachedListModelTests {
    @Test("Random operations on lists do what they do on their model")
    func listOperations() {
        let settings = ModelSettings()
        for seed in settings.seeds {
            var generator = ListGenerator(seed: seed, listCount: ListRun.reaches.count)
            var run = ListRun()
            var performed: [ListOperation] = []
            for operation in generator.operations(count: settings.steps) {
                performed.append(operation)
                guard let difference = run.difference(after: operation) else { continue }
                Issue.record(
                    """
                    With \(ModelSettings.seedVariable)=\(seed) the lists differ from their model at \
                    step \(performed.count).
                    \(performed.map { "\($0)" }.joined(separator: "\n"))
                    \(difference)
                    """
                )
                return
            }
        }
    }
}
