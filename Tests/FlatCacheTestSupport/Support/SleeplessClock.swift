@testable import FlatCache

/// A manual clock that never wakes its sleepers.
///
/// The cache then expires values only when the test asks for it, never on another thread in the
/// middle of an operation.
final class SleeplessClock: Clock, Sendable {
    private let offset = Locked(Duration.zero)
    /// The time that passes with each reading of the clock.
    private let step: Duration

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
        await untilCancelled()
        throw CancellationError()
    }

    func advance(by duration: Duration) { offset.withLock { $0 += duration } }
}
