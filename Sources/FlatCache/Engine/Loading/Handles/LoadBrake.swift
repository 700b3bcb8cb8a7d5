/// A limit of the loads of a handle: eleven in a short time, and one more each second.
///
/// A token bucket in the form of the generic cell rate algorithm (ITU-T I.371).
struct LoadBrake {
    private static let count: Int64 = 11
    private static let interval: Int64 = 1_000_000_000

    /// The time from which on there may be eleven loads at once again.
    private var reset = Time.min

    /// Counts a load, and returns `true`; or returns `false` if it would exceed the limit.
    mutating func allowsLoad(at now: Time) -> Bool {
        let next = max(reset, now).advanced(by: Self.interval)
        guard next.nanoseconds(since: now) <= Self.count * Self.interval else { return false }
        reset = next
        return true
    }
}
