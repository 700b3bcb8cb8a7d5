/// A sequence of operations, performed on a cache and on its model.
struct ModelSequence {
    let world: ModelWorld
    var operations: [ModelOperation]

    /// The first difference between what the two have shown.
    struct Difference: CustomStringConvertible {
        /// How many operations it took.
        var operationCount: Int
        var expected: ModelEvent?
        var actual: ModelEvent?

        var description: String {
            """
            Expected: \(expected.map { "\($0)" } ?? "nothing more")
            Actual:   \(actual.map { "\($0)" } ?? "nothing more")
            """
        }
    }

    /// Performs the operations up to the first difference.
    ///
    /// - Parameter observe: Given each event of the model.
    func firstDifference(_ observe: (ModelEvent) -> Void = { _ in }) -> Difference? {
        let model = ModelRun(NaiveCache())
        let cache = ModelRun(CacheSubject(world))
        defer {
            // Observers and their runs refer to each other.
            model.endObservations()
            cache.endObservations()
        }
        // After the last one, what is left when all observations have ended is compared.
        for (index, operation) in (operations.map(Optional.some) + [nil]).enumerated() {
            if let operation { TrapReport.willPerform(operation) }
            let expected = model.events(of: operation)
            expected.forEach(observe)
            if let unexpected = cache.unexpectedEvent(of: operation, expecting: expected) {
                return Difference(
                    operationCount: min(index + 1, operations.count),
                    expected: unexpected.expected,
                    actual: unexpected.actual
                )
            }
        }
        return nil
    }

    /// A shorter sequence that shows a difference too.
    ///
    /// - Parameter attempts: How many sequences are tried at most.
    func shrunk(from difference: Difference, attempts: Int) -> (ModelSequence, Difference) {
        var best = self
        var difference = difference
        best.operations = Array(operations.prefix(difference.operationCount))
        var remaining = attempts
        var hasShrunk = true
        while hasShrunk {
            hasShrunk = false
            for operations in ModelOperation.shrunk(best.operations) {
                guard remaining > 0 else { return (best, difference) }
                remaining -= 1
                var candidate = best
                candidate.operations = operations
                TrapReport.beginSequence()
                guard let found = candidate.firstDifference() else { continue }
                candidate.operations = Array(operations.prefix(found.operationCount))
                best = candidate
                difference = found
                hasShrunk = true
                break
            }
        }
        return (best, difference)
    }
}
