/// The earliest time of the next attempt after a failed one.
///
/// If an attempt fails quickly, the next read or write tries again. After a slow attempt, such as a
/// wait for another process, the next one waits for ten times its duration, so that not every read
/// is slow.
struct RetrySchedule: Sendable {
    /// The earliest time, on the clock that times the attempts.
    private var next: Duration?

    func isDue(at now: Duration) -> Bool { next.map { now >= $0 } ?? true }

    mutating func recordFailure(from start: Duration, to end: Duration) {
        let duration = end - start
        next = duration < .milliseconds(10) ? nil : end + duration * 10
    }
}
