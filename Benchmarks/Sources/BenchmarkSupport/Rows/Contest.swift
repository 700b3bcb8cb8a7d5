/// A baseline and a subject, ready to be measured in turn.
public struct Contest {
    /// A note about the measurements so far for readers of the results, if there is one.
    public var note: String? { makeNote() }
    private let makeNote: () -> String?
    private let sides: Sides

    private enum Sides {
        case apart(baseline: () -> Double, subject: () -> Double)
        case together(() -> Round)
    }

    /// Creates a contest.
    ///
    /// - Parameters:
    ///   - note: A note for readers of the results, made after the last round.
    ///   - baseline: Measures the baseline once and returns the time per operation.
    ///   - subject: Measures the subject once, in the same unit.
    init(
        note: @autoclosure @escaping () -> String? = nil,
        baseline: @escaping () -> Double,
        subject: @escaping () -> Double
    ) {
        makeNote = note
        sides = .apart(baseline: baseline, subject: subject)
    }

    /// Creates a contest whose sides take turns within each round.
    ///
    /// - Parameters:
    ///   - note: A note for readers of the results, made after the last round.
    ///   - bothSides: Measures both sides once.
    init(
        note: @autoclosure @escaping () -> String? = nil,
        bothSides: @escaping () -> Round
    ) {
        makeNote = note
        sides = .together(bothSides)
    }

    /// Measures the baseline.
    func measureBaseline() -> Double {
        switch sides {
        case .apart(let baseline, _): baseline()
        case .together(let bothSides): bothSides().baseline
        }
    }

    /// Measures the subject.
    func measureSubject() -> Double {
        switch sides {
        case .apart(_, let subject): subject()
        case .together(let bothSides): bothSides().subject
        }
    }

    /// Measures both sides, one right after the other, so that changes in the machine's speed
    /// affect both alike.
    ///
    /// - Parameter number: The number of the round. In every other round the subject goes first,
    ///   unless the sides take turns.
    public func round(_ number: Int) -> Round {
        if case .together(let bothSides) = sides { return bothSides() }
        if number.isMultiple(of: 2) {
            let baseline = measureBaseline()
            return Round(baseline: baseline, subject: measureSubject())
        }
        let subject = measureSubject()
        return Round(baseline: measureBaseline(), subject: subject)
    }

    /// Measures both sides a number of times, after one warm-up round that doesn't count.
    public func rounds(_ count: Int) -> [Round] {
        blackHole(round(0))
        return (0..<count).map(round)
    }
}

/// The results of both sides in one round.
public struct Round: Codable, Equatable, Sendable {
    /// The baseline's result, in the row's unit.
    public var baseline: Double
    /// The subject's result, in the row's unit.
    public var subject: Double

    /// The subject's result as a multiple of the baseline's.
    public var ratio: Double { subject / baseline }

    /// Creates a round.
    public init(baseline: Double, subject: Double) {
        self.baseline = baseline
        self.subject = subject
    }

    /// Returns the results per operation, for the results of a number of operations.
    func divided(by operations: Int) -> Round {
        Round(baseline: baseline / Double(operations), subject: subject / Double(operations))
    }
}
