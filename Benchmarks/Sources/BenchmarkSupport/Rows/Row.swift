/// One line of the table: what is measured against what.
public struct Row: Sendable {
    /// What the numbers of a row count.
    public enum Unit: String, Codable, Sendable {
        /// Nanoseconds per operation.
        case nanoseconds = "ns"
        /// Bytes per entity.
        case bytes = "B"
        /// Of all there are.
        case percent = "%"
        /// The number of commits.
        case commits
    }

    /// A number, and a letter where a number has several lines, such as `2b`.
    public let name: String
    /// What is done, and to how much.
    public let title: String
    /// What stands for 1.
    public let baseline: String
    /// What the numbers count.
    public let unit: Unit
    /// The ratio that must not be exceeded, or `nil` where the row only reports.
    public let target: Double?

    private let contest: @Sendable (Scale) -> Contest

    init(
        _ name: String,
        _ title: String,
        against baseline: String,
        unit: Unit = .nanoseconds,
        target: Double? = nil,
        contest: @escaping @Sendable (Scale) -> Contest
    ) {
        self.name = name
        self.title = title
        self.baseline = baseline
        self.unit = unit
        self.target = target
        self.contest = contest
    }

    /// Builds what both sides need, which may take seconds and hundreds of megabytes.
    public func prepare(_ scale: Scale) -> Contest { contest(scale) }

    /// The number of the row without its letter.
    public var number: Int { Int(name.prefix { $0.isNumber }) ?? 0 }
}

/// How large everything is.
public struct Scale: Sendable {
    private let divisor: Int

    /// The sizes that the titles of the rows state.
    public static let full = Scale(divisor: 1)
    /// Small sizes that only show that everything runs.
    public static let quick = Scale(divisor: 100)

    /// How many there are of something that there are so many of at full scale.
    func callAsFunction(_ count: Int) -> Int {
        divisor == 1 ? count : min(count, max(1_000, count / divisor))
    }

    /// How often something is done that takes milliseconds and is done so often at full scale.
    func callAsFunction(slow count: Int) -> Int {
        divisor == 1 ? count : max(2, count / divisor)
    }
}
