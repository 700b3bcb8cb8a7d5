public import Foundation

/// All results of one run, and the conditions of the run.
public struct Report: Codable, Sendable {
    /// The machine.
    public let machine: Machine
    /// The number of rounds of each row.
    public let rounds: Int
    /// A Boolean value that indicates whether the run used small sizes, whose results mean nothing.
    public let isQuick: Bool
    /// The duration of the run.
    public let seconds: Double
    /// The rows that have a result.
    public let rows: [RowResult]
    /// The names of the rows that can't be measured on this machine.
    public let skipped: [String]

    /// Creates a report.
    public init(
        machine: Machine,
        rounds: Int,
        isQuick: Bool,
        seconds: Double,
        rows: [RowResult],
        skipped: [String] = []
    ) {
        self.machine = machine
        self.rounds = rounds
        self.isQuick = isQuick
        self.seconds = seconds
        self.rows = rows
        self.skipped = skipped
    }

    /// Returns the report as JSON.
    public func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self)
    }
}
