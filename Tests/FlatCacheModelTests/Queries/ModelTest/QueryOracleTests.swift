import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Compares queries with a naive filter and sort after each of many random commits.
///
/// `RandomTestSettings` describes how to repeat a failure and how to run for longer.
struct QueryOracleTests {
    @Test("Queries agree with a filter and a sort of a snapshot after random commits")
    func randomCommits() async {
        let counts = await RandomTestSettings(seeds: 56, steps: 60).run { QueryRun(seed: $0) }
        counts?.expectOften(QueryRun.events, moreThan: 2)
    }
}
