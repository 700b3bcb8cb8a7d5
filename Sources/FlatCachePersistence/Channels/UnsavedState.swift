/// A value in memory that could not be stored.
struct UnsavedState: Sendable {
    /// A Boolean value that indicates whether a copy of the corrupt value that it replaces has to
    /// be kept first.
    let keepsCorrupt: Bool
    /// The schedule of attempts to store the value.
    var retries = RetrySchedule()
}

/// The earliest time of the next attempt after a failed one.
///
/// After an attempt that fails quickly, the next opportunity is used. After a slow one, such as a
/// wait for another process, the next attempt waits for ten times its duration, so that reads
/// aren't slow each time.
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
