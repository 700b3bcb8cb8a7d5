/// Two sides, ready to be measured in turn.
public struct Contest {
    /// What a reader of the results should know about what was measured, if there is anything.
    public let note: String?
    private let baseline: () -> Double
    private let subject: () -> Double

    /// Creates a contest.
    ///
    /// - Parameters:
    ///   - note: What a reader of the results should know.
    ///   - baseline: Measures the baseline once and returns the time per operation.
    ///   - subject: Measures the subject once, in the same unit.
    init(
        note: String? = nil,
        baseline: @escaping () -> Double,
        subject: @escaping () -> Double
    ) {
        self.note = note
        self.baseline = baseline
        self.subject = subject
    }

    /// Measures the baseline alone.
    func measureBaseline() -> Double { baseline() }

    /// Measures the subject alone.
    func measureSubject() -> Double { subject() }

    /// Measures both, one right after the other, so that a machine that drifts slows both alike.
    ///
    /// - Parameter number: The number of the round: in every other one the subject goes first.
    public func round(_ number: Int) -> Round {
        if number.isMultiple(of: 2) {
            let baseline = baseline()
            return Round(baseline: baseline, subject: subject())
        }
        let subject = subject()
        return Round(baseline: baseline(), subject: subject)
    }

    /// Measures both a number of times, after one round that warms up and does not count.
    public func rounds(_ count: Int) -> [Round] {
        blackHole(round(0))
        return (0..<count).map(round)
    }
}

/// What both sides took in one round.
public struct Round: Codable, Equatable, Sendable {
    /// The baseline's result, in the row's unit.
    public var baseline: Double
    /// The subject's result, in the row's unit.
    public var subject: Double

    /// How many times the baseline's result the subject's is.
    public var ratio: Double { subject / baseline }

    /// Creates a round.
    public init(baseline: Double, subject: Double) {
        self.baseline = baseline
        self.subject = subject
    }
}
