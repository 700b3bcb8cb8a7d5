/// The limit of a handle's loads: eleven in a short time, and one more each second.
///
/// A token bucket in the form of the generic cell rate algorithm (ITU-T I.371).
struct LoadRateLimit {
    private static let count: Int64 = 11
    private static let interval: Int64 = 1_000_000_000

    /// The time from which on the limit allows eleven loads at once again.
    private var reset = Time.min

    /// Returns whether the limit allows a load, and counts the load if so.
    mutating func allowsLoad(at now: Time) -> Bool {
        let next = max(reset, now).advanced(by: Self.interval)
        guard next.nanoseconds(since: now) <= Self.count * Self.interval else { return false }
        reset = next
        return true
    }
}
