/// The earliest time at which a value is due, if the timer doesn't know that time yet.
///
/// The writers' lock guards it.
final class WakeTime {
    @exclusivity(unchecked) private var earliest = Time.max
    /// The time that was taken last, at which the timer wakes at the latest.
    ///
    /// Later times are offered again at that time.
    @exclusivity(unchecked) private var known = Time.max

    /// Keeps a time if it is earlier than the known ones.
    func offer(_ time: Time?) {
        if let time, time < earliest, time < known { earliest = time }
    }

    /// Returns the earliest time offered since the last call, or `nil` if the timer already knows
    /// it.
    func take() -> Time? {
        guard earliest != .max else { return nil }
        known = earliest
        earliest = .max
        return known
    }

    /// Forgets the time that the timer knows, so that an offer of a later time counts again.
    ///
    /// After this call, offer the next times of all tables.
    func forgetKnownTime() { known = .max }
}
