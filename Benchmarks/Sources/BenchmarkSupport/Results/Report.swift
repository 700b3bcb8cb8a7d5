public import Foundation

/// All results of one run, and where and how they came about.
public struct Report: Codable, Sendable {
    /// The machine.
    public let machine: Machine
    /// How many rounds each row had.
    public let rounds: Int
    /// Whether sizes were cut down, so that the numbers mean nothing.
    public let isQuick: Bool
    /// How long all of it took.
    public let seconds: Double
    /// The rows that have a result.
    public let rows: [RowResult]

    /// Creates a report.
    public init(
        machine: Machine,
        rounds: Int,
        isQuick: Bool,
        seconds: Double,
        rows: [RowResult]
    ) {
        self.machine = machine
        self.rounds = rounds
        self.isQuick = isQuick
        self.seconds = seconds
        self.rows = rows
    }

    /// The report as JSON.
    public func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self)
    }

    /// The report as a chart.
    public func svg() -> String {
        BarChart(
            title: "FlatCache: time, memory or misses as a multiple of the baseline's",
            subtitle: machine.description + (isQuick ? " (quick run, not to be relied on)" : ""),
            bars: rows.map { BarChart.Bar($0) }
        ).svg()
    }
}
