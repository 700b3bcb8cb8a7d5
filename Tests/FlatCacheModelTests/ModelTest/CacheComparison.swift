@testable import FlatCacheTestSupport

/// A comparison that performs the same operations on a cache and on its naive model.
final class CacheComparison: ModelComparison {
    private let model = ModelRun(NaiveCache())
    private let cache: ModelRun<CacheSubject>
    private let counts: EventCounts

    /// Creates an empty cache and its model.
    ///
    /// - Parameter counts: The counts to which each event of the model is added.
    init(_ parameters: ModelParameters, counts: EventCounts) {
        cache = ModelRun(CacheSubject(parameters))
        self.counts = counts
    }

    deinit {
        // Observers and runs retain each other.
        model.endObservations()
        cache.endObservations()
    }

    func difference(after operation: ModelOperation) -> String? {
        difference(after: .some(operation))
    }

    /// Ends all observations and compares the remaining state.
    func finalDifference() -> String? { difference(after: nil) }

    private func difference(after operation: ModelOperation?) -> String? {
        let expected = model.events(of: operation)
        for event in expected { counts.add(event.name) }
        guard let unexpected = cache.unexpectedEvent(of: operation, expecting: expected) else {
            return nil
        }
        return """
            Expected: \(unexpected.expected.map { "\($0)" } ?? "nothing more")
            Actual:   \(unexpected.actual.map { "\($0)" } ?? "nothing more")
            """
    }
}
