import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct TimelineTests {
    /// A clock that another thread seems to move after each reading.
    private final class MovingClock: Clock, Sendable {
        let deadlines = Recorder<Duration>()
        private let offset = Locked(Duration.zero)

        var now: ManualClock.Instant {
            offset.withLock { offset in
                defer { offset += .milliseconds(10) }
                return ManualClock.Instant(offset: offset)
            }
        }

        var minimumResolution: Duration { .zero }

        func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
            deadlines.append(deadline.offset)
            offset.withLock { $0 = max($0, deadline.offset) }
        }
    }

    @Test func sleepEndsAtItsTimeEvenIfTheClockMovesBeforeIt() async throws {
        let clock = MovingClock()
        try await clock.timeline.sleep(until: Time(nanoseconds: 1_000_000_000))
        #expect(clock.deadlines.all == [.seconds(1)])
    }
}
