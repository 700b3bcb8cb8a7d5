import TestSupport
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Compares an archive with a naive model after each of many random flushes.
///
/// `RandomTestSettings` describes how to repeat a failure and how to run for longer.
struct ArchiveModelTests {
    @Test("An archive has each stored entity that wasn't removed, after random operations")
    func archiveOperations() {
        let settings = RandomTestSettings(seeds: 300, steps: 60)
        settings.forEachSeed { seed in
            var generator = ArchiveGenerator(seed: seed)
            let operations = generator.operations(count: settings.steps)
            return FailureReport(seed: seed, operations: operations) { ArchiveRun(seed: seed) }
        }
    }
}
