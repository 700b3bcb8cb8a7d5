@testable import FlatCache

/// A manual clock that holds up a task when the task reads the time.
///
/// A test can thus let other tasks run between two steps of an operation.
final class HeldClock: Clock, Sendable {
    /// A gate at which the first reading of the time waits.
    final class Gate: Sendable {
        private let reading = Signal()
        private let opening = Signal()
        private let hasRead = Locked(false)

        /// A Boolean value that indicates whether a task waits at the gate or has passed it.
        var isReached: Bool { reading.isFired }

        func open() { opening.fire() }

        fileprivate func pass() {
            let isFirst = hasRead.withLock { hasRead in
                defer { hasRead = true }
                return !hasRead
            }
            guard isFirst else { return }
            reading.fire()
            _ = opening.wait()
        }
    }

    /// The gate of the current task, whose thread it blocks.
    @TaskLocal static var gate: Gate?

    private let clock = ManualClock()

    var now: ManualClock.Instant {
        Self.gate?.pass()
        return clock.now
    }

    var minimumResolution: Duration { clock.minimumResolution }

    func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
        try await clock.sleep(until: deadline, tolerance: tolerance)
    }

    func advance(by duration: Duration) { clock.advance(by: duration) }
}
