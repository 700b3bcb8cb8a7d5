@testable import FlatCache

/// A clock whose time passes only when a test says so, and that never wakes anybody.
///
/// What is done because time has passed is then done when the test asks for it, and not by some thread in
/// the middle of something else.
final class SleeplessClock: Clock, Sendable {
    private let offset = Guarded(Duration.zero)

    var now: ManualClock.Instant { ManualClock.Instant(offset: offset.withLock { $0 }) }

    var minimumResolution: Duration { .zero }

    func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        for await _ in stream {}
        withExtendedLifetime(continuation) {}
        throw CancellationError()
    }

    func advance(by duration: Duration) { offset.withLock { $0 += duration } }
}
