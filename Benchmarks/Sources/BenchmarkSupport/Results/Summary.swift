/// The median of some measurements, and how far they are apart.
public struct Summary: Codable, Equatable, Sendable {
    /// The one in the middle, or the mean of the two in the middle.
    public let median: Double
    /// The smallest one.
    public let minimum: Double
    /// The largest one.
    public let maximum: Double

    /// Sums measurements up; `nil` if there are none.
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
