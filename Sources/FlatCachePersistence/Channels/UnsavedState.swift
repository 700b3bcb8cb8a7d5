/// A value in memory that could not be stored.
struct UnsavedState: Sendable {
    /// `true` if a corrupt value that it replaces has to be kept first.
    let keepsCorrupt: Bool
    /// The time of the next attempt to store it.
    var retries = RetrySchedule()
}

/// The time from which a failed attempt may be repeated.
///
/// An attempt that fails quickly is repeated at the next opportunity. One that took long, such as a
/// wait for another process, is repeated after ten times as long, so that reads don't wait each
/// time.
struct RetrySchedule: Sendable {
    private var next: ContinuousClock.Instant?

    /// Returns `true` if an attempt may be made.
    func isDue(at now: ContinuousClock.Instant = .now) -> Bool {
        next.map { now >= $0 } ?? true
    }

    /// Notes an attempt that failed.
    mutating func noteFailure(from start: ContinuousClock.Instant, to end: ContinuousClock.Instant)
    {
        let duration = end - start
        next = duration < .milliseconds(10) ? nil : end + duration * 10
    }
}
