/// When something must be done because time has passed, as far as the timer does not know yet.
///
/// Guarded by the writers' lock.
final class WakeTime {
    @exclusivity(unchecked) private var earliest = Time.max
    /// The time that was taken last: the timer wakes no later, and what is due after that is noted then.
    @exclusivity(unchecked) private var known = Time.max

    func note(_ time: Time?) {
        if let time, time < earliest, time < known { earliest = time }
    }

    /// The earliest time that has been noted since the last call, if the timer doesn't know it yet.
    func take() -> Time? {
        guard earliest != .max else { return nil }
        known = earliest
        earliest = .max
        return known
    }

    /// Forgets what the timer knows, since all that is due later is about to be noted.
    func beginAnew() { known = .max }
}
