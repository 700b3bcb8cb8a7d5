package import Testing

/// The failure of a random test, with the seed that repeats it.
package struct FailureReport: Sendable, CustomStringConvertible {
    package let seed: Seed
    /// The number of the step that failed.
    let step: Int?
    /// The title of the list of operations.
    private let operationsTitle: String
    private let operations: [String]
    private let problems: [String]

    /// Creates a report of a failed step.
    ///
    /// - Parameters:
    ///   - seed: The seed of the run.
    ///   - step: The number of the step, if the test has numbered steps.
    ///   - operations: The operations up to that step, if they are known.
    ///   - problem: The description of the failure.
    package init(seed: Seed, step: Int?, operations: [String] = [], problem: String) {
        self.seed = seed
        self.step = step
        operationsTitle = "The operations up to the failure:"
        self.operations = operations
        problems = [problem]
    }

    /// Creates a report of a run, or returns `nil` if it had no problems.
    package init?(seed: Seed, problems: [String]) {
        guard !problems.isEmpty else { return nil }
        self.seed = seed
        step = nil
        operationsTitle = ""
        operations = []
        self.problems = problems
    }

    /// Performs random operations on a subject and on its model, and creates a report if the two
    /// differ, or returns `nil`.
    ///
    /// The report lists the shortest failing sequence of operations that the search found. It may
    /// fail for another reason than the original one.
    ///
    /// - Parameters:
    ///   - seed: The seed of the operations.
    ///   - operations: The operations.
    ///   - attempts: The maximum number of shorter sequences to try.
    ///   - makeComparison: Returns a new subject with its model.
    package init?<Comparison: ModelComparison>(
        seed: Seed,
        operations: [Comparison.Operation],
        attempts: Int = 1000,
        comparing makeComparison: () -> Comparison
    ) {
        guard let first = Difference(after: operations, makeComparison()) else { return nil }
        self.seed = seed
        step = first.operations.count
        let shortest = first.shrunk(attempts: attempts, makeComparison)
        operationsTitle = "The operations that still fail after shrinking:"
        self.operations = shortest.operations.map { "\($0)" }
        problems = [shortest.description]
    }

    package var description: String {
        let place = step.map { " at step \($0)" } ?? ""
        var lines = ["To repeat the failure\(place), run this test with \(seed)."]
        if !operations.isEmpty { lines += [operationsTitle] + operations }
        let shown = problems.prefix(8)
        if problems.count > 1 { lines.append("The first of \(problems.count) problems:") }
        return (lines + shown).joined(separator: "\n")
    }

    /// Records the failure as an issue of the running test.
    package func record(sourceLocation: SourceLocation = #_sourceLocation) {
        Issue.record("\(self)", sourceLocation: sourceLocation)
    }
}

/// A sequence of operations after which a subject differs from its model.
private struct Difference<Comparison: ModelComparison> {
    let operations: [Comparison.Operation]
    let description: String

    /// Performs operations up to the first difference, or returns `nil` if there is none.
    init?(after operations: [Comparison.Operation], _ comparison: Comparison) {
        var comparison = comparison
        for (index, operation) in operations.enumerated() {
            TrapReport.willPerform(operation)
            guard let difference = comparison.difference(after: operation) else { continue }
            self.operations = Array(operations[...index])
            description = difference
            return
        }
        guard let difference = comparison.finalDifference() else { return nil }
        self.operations = operations
        description = difference
    }

    /// Returns a shorter or simpler sequence that fails too.
    func shrunk(attempts: Int, _ makeComparison: () -> Comparison) -> Difference {
        var best = self
        var remaining = attempts
        var hasShrunk = true
        while hasShrunk {
            hasShrunk = false
            for operations in Comparison.Operation.shrunk(best.operations) {
                guard remaining > 0 else { return best }
                remaining -= 1
                TrapReport.restart()
                guard let found = Difference(after: operations, makeComparison()) else { continue }
                best = found
                hasShrunk = true
                break
            }
        }
        return best
    }
}
