/// The median of some measurements, and their extremes.
public struct Summary: Codable, Equatable, Sendable {
    /// The middle measurement, or the mean of the two in the middle.
    public let median: Double
    /// The smallest measurement.
    public let minimum: Double
    /// The largest measurement.
    public let maximum: Double

    /// Creates the summary of some measurements, or returns `nil` if there are none.
    public init?(_ measurements: some Sequence<Double>) {
        let sorted = measurements.sorted()
        guard let first = sorted.first, let last = sorted.last else { return nil }
        let middle = sorted.count / 2
        median =
            sorted.count.isMultiple(of: 2)
            ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
        minimum = first
        maximum = last
    }
}
