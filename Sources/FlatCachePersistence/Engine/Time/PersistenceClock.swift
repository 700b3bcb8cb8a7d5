import Dispatch
import Foundation

/// The clock of all retries, pauses and time limits of this module.
///
/// Tests replace it with a clock that they advance.
protocol PersistenceClock: Sendable {
    /// The time since a fixed moment.
    var elapsed: Duration { get }

    /// Blocks the thread for a time.
    func pause(for duration: Duration)

    /// Runs a closure on a queue at a time, or now if the time has passed.
    func run(at time: Duration, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void)
}

/// The clock outside of tests.
struct SystemClock: PersistenceClock {
    private static let start = ContinuousClock.now

    var elapsed: Duration { Self.start.duration(to: .now) }

    func pause(for duration: Duration) { Thread.sleep(forTimeInterval: duration / .seconds(1)) }

    func run(at time: Duration, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) {
        queue.asyncAfter(deadline: .now() + (time - elapsed) / .seconds(1), execute: body)
    }
}

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
