/// The durations of many operations, to within 1.6 %.
///
/// It is small and allocates nothing while it records, so that recording hardly disturbs the
/// measurement.
struct LatencyHistogram: Sendable {
    // Each power of two has 64 buckets. Below 64, each nanosecond has its own.
    private static let bits = 6
    private var buckets = [UInt32](repeating: 0, count: (64 - bits + 1) << bits)
    private(set) var count = 0
    private(set) var maximum: UInt64 = 0

    mutating func record(_ nanoseconds: UInt64) {
        buckets[Self.bucket(of: nanoseconds)] += 1
        count += 1
        maximum = max(maximum, nanoseconds)
    }

    /// Adds the operations of another histogram.
    mutating func add(_ other: LatencyHistogram) {
        for bucket in buckets.indices { buckets[bucket] += other.buckets[bucket] }
        count += other.count
        maximum = max(maximum, other.maximum)
    }

    /// Returns the duration that a share of the operations didn't exceed, or zero if there were
    /// none.
    func percentile(_ share: Double) -> UInt64 {
        let rank = Int((Double(count) * share).rounded(.up))
        var seen = 0
        for (bucket, operations) in buckets.enumerated() where operations > 0 {
            seen += Int(operations)
            if seen >= rank { return min(Self.upperBound(of: bucket), maximum) }
        }
        return maximum
    }

    private static func bucket(of nanoseconds: UInt64) -> Int {
        let shift = max(0, 64 - nanoseconds.leadingZeroBitCount - bits - 1)
        return (shift << bits) + Int(nanoseconds >> UInt64(shift))
    }

    private static func upperBound(of bucket: Int) -> UInt64 {
        let shift = max(0, (bucket >> bits) - 1)
        let mantissa = UInt64(bucket - (shift << bits))
        return ((mantissa + 1) << UInt64(shift)) &- 1
    }
}
