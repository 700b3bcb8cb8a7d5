@testable import FlatCache

/// A manual clock that never wakes its sleepers.
///
/// The cache then expires values only when the test asks for it, never on another thread in the
/// middle of an operation.
final class SleeplessClock: Clock, Sendable {
    private let offset = Locked(Duration.zero)
    /// The time that passes with each reading of the clock.
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

    /// The earliest deadline of a sleep so far.
    var earliestDeadline: ManualClock.Instant? { deadlines.withLock { $0.min() } }

    func advance(by duration: Duration) { offset.withLock { $0 += duration } }
}
