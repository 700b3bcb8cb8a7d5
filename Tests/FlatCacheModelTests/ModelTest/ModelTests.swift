import Testing

@testable import FlatCacheTestSupport

/// Compares a cache and the watch graph with naive models after each of many random operations.
///
/// `RandomTestSettings` describes how to repeat a failure and how to run for longer.
struct ModelTests {
    private let settings = RandomTestSettings(seeds: 100, steps: 60)

    @Test("A cache agrees with its model after random operations", arguments: [false, true])
    func cacheOperations(isLoading: Bool) {
        let counts = EventCounts()
        let isPassed = settings.forEachSeed { seed in
            var generator = ModelGenerator(seed: seed)
            generator.parameters.isLoading = isLoading
            return FailureReport(
                seed: seed,
                operations: generator.operations(count: settings.steps)
            ) {
                CacheComparison(generator.parameters, counts: counts)
            }
        }
        guard isPassed, settings.seeds.count >= 100 else { return }
        let rare = counts.rare(among: Self.expectedEvents)
        #expect(rare.isEmpty, "The sequences rarely cause these events")
    }

    @Test("The watch graph agrees with plain reachability after random changes")
    func graphOperations() {
        settings.forEachSeed { seed in
            var generator = GraphGenerator(seed: seed)
            return FailureReport(
                seed: seed,
                operations: generator.operations(count: settings.steps)
            ) {
                GraphComparison(
                    shortWalkLimit: generator.shortWalkLimit,
                    nearbyLimit: generator.nearbyLimit
                )
            }
        }
    }

    /// The events that must occur often; otherwise the generator misses a part of the cache.
    private static let expectedEvents = [
        "returned", "updating", "threw", "completed", "state", "batch state", "snapshot state",
        "notified of value", "notified of inserted", "notified of updated",
        "notified of removed", "notified of related",
    ]
}
