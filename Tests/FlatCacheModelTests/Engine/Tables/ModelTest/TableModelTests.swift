import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Compares a table of few slots with a dictionary after each of many random operations.
///
/// `RandomTestSettings` describes how to repeat a failure and how to run for longer.
struct TableModelTests {
    @Test("A table with small segments agrees with a dictionary")
    func operations() async {
        let counts = await RandomTestSettings(seeds: 40, steps: 60).run { TableRun(seed: $0) }
        counts?.expectOften(["one segment", "few segments", "many segments", "rolled back"])
    }
}
