/// A line of the table: a measured subject and its baseline.
public struct Row: Sendable {
    /// The unit of a row's numbers.
    public enum Unit: String, Codable, Sendable {
        /// Nanoseconds per operation.
        case nanoseconds = "ns"
        /// Bytes per entity.
        case bytes = "B"
        /// Percent of the total.
        case percent = "%"
        /// The number of commits.
        case commits
    }

    /// The number of the row, followed by a letter if several rows share the number, such as `2b`.
    public let name: String
    /// The measured operation and its size.
    public let title: String
    /// The baseline of the ratio.
    public let baseline: String
    /// The unit of the numbers.
    public let unit: Unit
    /// The ratio that must not be exceeded, or `nil` if the row only reports.
    public let target: Double?

    private let requirement: @Sendable () throws -> Void
    private let contest: @Sendable (Scale) -> Contest

    init(
        _ name: String,
        _ title: String,
        against baseline: String,
        unit: Unit = .nanoseconds,
        target: Double? = nil,
        requires requirement: @escaping @Sendable () throws -> Void = {},
        contest: @escaping @Sendable (Scale) -> Contest
    ) {
        self.name = name
        self.title = title
        self.baseline = baseline
        self.unit = unit
        self.target = target
        self.requirement = requirement
        self.contest = contest
    }

    /// Throws an error if the machine lacks something without which the row can't be measured.
    public func checkRequirement() throws { try requirement() }

    /// Creates the data of both sides, which may take seconds and hundreds of megabytes.
    func prepare(_ scale: Scale) -> Contest { contest(scale) }

    /// The number of the row without its letter.
    public var number: Int { Int(name.prefix { $0.isNumber }) ?? 0 }
}

/// The scale of all sizes.
public struct Scale: Sendable {
    private let divisor: Int

    /// The sizes that the titles of the rows state.
    public static let full = Scale(divisor: 1)
    /// Small sizes, which only show that everything runs.
    public static let quick = Scale(divisor: 100)

    /// Returns the scaled count of items, for their count at full scale.
    func callAsFunction(_ count: Int) -> Int {
        divisor == 1 ? count : min(count, max(1_000, count / divisor))
    }

    /// Returns the scaled number of repetitions of an operation that takes milliseconds, for their
    /// number at full scale.
    func callAsFunction(slow count: Int) -> Int {
        divisor == 1 ? count : max(2, count / divisor)
    }
}
