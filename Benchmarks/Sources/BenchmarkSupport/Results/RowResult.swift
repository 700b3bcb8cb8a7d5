/// The result of a row's rounds.
public struct RowResult: Codable, Sendable {
    /// The row's number and letter.
    public let row: String
    /// The measured operation.
    public let title: String
    /// The baseline.
    public let against: String
    /// The unit of the measurements.
    public let unit: Row.Unit
    /// The measurements of the baseline.
    public let baseline: Summary
    /// The measurements of the subject.
    public let subject: Summary
    /// The ratios of subject to baseline, one for each round.
    ///
    /// The median is the median of the ratios, not the ratio of the medians: both sides of a round
    /// ran under the same conditions, but different rounds didn't.
    public let ratio: Summary
    /// The ratio that must not be exceeded.
    public let target: Double?
    /// A Boolean value that indicates whether the ratio meets the target; `nil` if there is no
    /// target.
    public let isMet: Bool?
    /// Further facts about the measurement.
    public let note: String?
    /// All rounds, in order.
    public let rounds: [Round]

    /// Creates the result of some rounds, or returns `nil` if none of them has a finite ratio.
    public init?(_ row: Row, rounds: [Round], note: String? = nil) {
        let rounds = rounds.filter(\.ratio.isFinite)
        guard let baseline = Summary(rounds.map(\.baseline)),
            let subject = Summary(rounds.map(\.subject)),
            let ratio = Summary(rounds.map(\.ratio))
        else { return nil }
        self.row = row.name
        title = row.title
        against = row.baseline
        unit = row.unit
        self.baseline = baseline
        self.subject = subject
        self.ratio = ratio
        target = row.target
        isMet = row.target.map { ratio.median <= $0 }
        self.note = note
        self.rounds = rounds
    }
}

extension RowResult {
    /// A Boolean value that indicates whether the ratio meets the target, or is within the accepted
    /// ratio of a known miss.
    public var isAccepted: Bool {
        isMet != false || ratio.median <= Row.knownMisses[row] ?? -.infinity
    }
}

extension Row {
    /// Prepares the row and measures it.
    ///
    /// - Parameters:
    ///   - rounds: The number of rounds, after one that doesn't count.
    ///   - scale: The scale of all sizes.
    /// - Returns: The result, or `nil` if nothing could be measured.
    public func measure(rounds: Int, scale: Scale) -> RowResult? {
        let contest = prepare(scale)
        return RowResult(self, rounds: contest.rounds(rounds), note: contest.note)
    }
}
