/// What a row's rounds have come to.
public struct RowResult: Codable, Sendable {
    /// The row's number and letter.
    public let row: String
    /// What was done.
    public let title: String
    /// What it was compared with.
    public let against: String
    /// The unit of what baseline and subject took.
    public let unit: Row.Unit
    /// What the baseline took.
    public let baseline: Summary
    /// What the subject took.
    public let subject: Summary
    /// The ratios of subject to baseline, each of one round.
    ///
    /// The median of the ratios, not the ratio of the medians: both sides of a round ran under the
    /// same conditions, different rounds did not.
    public let ratio: Summary
    /// The ratio that must not be exceeded.
    public let target: Double?
    /// Whether it was not; `nil` if there is no target.
    public let isMet: Bool?
    /// Further facts about what was measured.
    public let note: String?
    /// Every round, as it came.
    public let rounds: [Round]

    /// Sums rounds up; `nil` if none of them has a result.
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

extension Row {
    /// Prepares the row and measures it.
    ///
    /// - Parameters:
    ///   - rounds: How many rounds there are, after one that does not count.
    ///   - scale: How large everything is.
    /// - Returns: The result, or `nil` if nothing could be measured.
    public func measure(rounds: Int, scale: Scale) -> RowResult? {
        let contest = prepare(scale)
        return RowResult(self, rounds: contest.rounds(rounds), note: contest.note)
    }
}
