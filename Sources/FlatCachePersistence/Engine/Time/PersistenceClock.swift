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
