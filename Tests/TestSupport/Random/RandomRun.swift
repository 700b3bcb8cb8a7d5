package import Testing

/// A subject of a random test beside its model, on which each step performs a random operation.
///
/// A ``ModelComparison`` has a list of operations that can be shortened. A run instead chooses each
/// operation when it performs it, such as an answer to one of the calls that wait.
package protocol RandomRun {
    /// The operations so far, for the report of a failure.
    var operations: [String] { get }

    /// The numbers of the events in the run.
    var counts: EventCounts { get }

    /// Performs a random operation on the subject and on the model.
    ///
    /// - Returns: The description of the first difference, or `nil` if there is none.
    mutating func step() async -> String?

    /// Ends the run after the last step.
    ///
    /// - Returns: The description of a remaining difference, or `nil` if there is none.
    mutating func end() async -> String?
}

extension RandomRun {
    package var operations: [String] { [] }
    package var counts: EventCounts { EventCounts() }
    package mutating func end() async -> String? { nil }
}

extension RandomTestSettings {
    /// Performs the steps of a run for each seed until one of them fails, and records the failure.
    ///
    /// - Parameter makeRun: A closure that returns the run of a seed.
    /// - Returns: The events of all runs, or `nil` if a run failed or the settings are smaller than
    ///   the test's own.
    @discardableResult
    package func run<Run: RandomRun>(
        sourceLocation: SourceLocation = #_sourceLocation,
        _ makeRun: (Seed) -> Run
    ) async -> EventCounts? {
        let counts = EventCounts()
        let isPassed = await forEachSeed(sourceLocation: sourceLocation) { seed in
            var run = makeRun(seed)
            for step in 1...steps + 1 {
                let problem = await step > steps ? run.end() : run.step()
                guard let problem else { continue }
                return FailureReport(
                    seed: seed,
                    step: step,
                    operations: run.operations,
                    problem: problem
                )
            }
            counts.add(run.counts)
            return nil
        }
        return isPassed && isWhole ? counts : nil
    }
}
