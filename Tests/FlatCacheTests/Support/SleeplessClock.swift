@testable import FlatCache

/// A clock whose time passes only when a test says so, and that never wakes anybody.
///
/// What is done because time has passed is then done when the test asks for it, and not by some
/// thread in the middle of something else.
final class SleeplessClock: Clock, Sendable {
    private let offset = Locked(Duration.zero)
    /// How much time passes with each look at the clock.
    private let step: Duration

    private let deadlines = Locked<[ManualClock.Instant]>([])

    init(step: Duration = .zero) { self.step = step }

    var now: ManualClock.Instant {
        let offset = offset.withLock { offset in
            offset += step
            return offset
        }
        return ManualClock.Instant(offset: offset)
    }

    var minimumResolution: Duration { .zero }

    func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
        deadlines.withLock { $0.append(deadline) }
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        for await _ in stream {}
        withExtendedLifetime(continuation) {}
        throw CancellationError()
    }

    /// The earliest time until which somebody has wanted to sleep.
    var earliestDeadline: ManualClock.Instant? { deadlines.withLock { $0.min() } }

    func advance(by duration: Duration) { offset.withLock { $0 += duration } }
}
