/// The state of a value in memory that could not be stored.
struct UnsavedState<Value: Sendable>: Sendable {
    /// Returns whether a stored value is corrupt for the user who set the unsaved value.
    ///
    /// It's `nil` if no corrupt value was possible.
    ///
    /// A copy of a corrupt value has to be kept before any user replaces it.
    let isCorrupt: (@Sendable (Value?) -> Bool)?
    /// The schedule of attempts to store the value.
    var retries = RetrySchedule()
}

/// The earliest time of the next attempt after a failed one.
///
/// If an attempt fails quickly, the next read or write tries again. After a slow attempt, such as a
/// wait for another process, the next one waits for ten times its duration, so that not every read
/// is slow.
struct RetrySchedule: Sendable {
    private var next: ContinuousClock.Instant?

    /// Returns whether an attempt may be made.
    func isDue(at now: ContinuousClock.Instant = .now) -> Bool {
        next.map { now >= $0 } ?? true
    }

    /// Records a failed attempt.
    mutating func recordFailure(
        from start: ContinuousClock.Instant,
        to end: ContinuousClock.Instant
    ) {
        let duration = end - start
        next = duration < .milliseconds(10) ? nil : end + duration * 10
    }
}
