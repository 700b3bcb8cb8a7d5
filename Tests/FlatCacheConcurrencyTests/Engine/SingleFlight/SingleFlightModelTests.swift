import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Compares a single flight with a naive model after each of many random operations.
///
/// `RandomTestSettings` describes how to repeat a failure and how to run for longer.
@Suite(.timeLimit(.minutes(20)))
struct SingleFlightModelTests {
    @Test("A single flight agrees with its model after random operations")
    func operations() async {
        let counts = await RandomTestSettings(seeds: 250, steps: 50).run { FlightRun(seed: $0) }
        counts?.expectOften([
            "joined", "gathered", "full", "shared answer", "abandoned", "late end", "claim",
            "refused claim", "failure", "cancellation", "separated", "unneeded key", "late caller",
        ])
    }
}
