import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct ExpirationTimerTests {
    private let clock = ManualClock()
    private let timer: ExpirationTimer
    /// The names of the wake-ups whose closures have been called.
    private let calls = Recorder<String>()

    init() { timer = ExpirationTimer(clock.timeline) }

    private func wake(at time: Time, _ name: String) {
        timer.wake(at: time, forget: { [calls] in calls.append("forgotten") }) { [calls] in
            calls.append(name)
        }
    }

    private func sleepers(_ count: Int) async -> Bool {
        await until { clock.sleeperCount == count }
    }

    private func called(_ names: [String]) async -> Bool { await until { calls.all == names } }

    @Test func bodyIsCalledAtTheEndOfItsInterval() async {
        wake(at: 15_000_000, "a")
        #expect(await sleepers(1))
        clock.advance(by: .nanoseconds(19_999_999))
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .nanoseconds(1))
        #expect(await called(["a"]))
        #expect(clock.sleeperCount == 0)
    }

    @Test func timeInThePastIsDueWithoutATick() async {
        clock.advance(by: .seconds(1))
        wake(at: .min, "a")
        #expect(await called(["a"]))
    }

    @Test func earlierTimeReplacesALaterOne() async {
        wake(at: 100_000_000, "late")
        #expect(await sleepers(1))
        wake(at: 20_000_000, "early")
        // The former sleeper has ended before the call returns.
        #expect(await sleepers(1))
        clock.advance(by: .milliseconds(30))
        #expect(await called(["early"]))
        clock.advance(by: .seconds(1))
        wake(at: 2_000_000_000, "last")
        #expect(await sleepers(1))
        clock.advance(by: .seconds(2))
        #expect(await called(["early", "last"]))
    }

    @Test func laterTimeIsIgnoredUntilTheTimerHasWoken() async {
        wake(at: 20_000_000, "first")
        #expect(await sleepers(1))
        wake(at: 20_000_001, "same interval")
        wake(at: 90_000_000, "later")
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .seconds(1))
        #expect(await called(["first"]))
        wake(at: 1_500_000_000, "second")
        #expect(await sleepers(1))
        clock.advance(by: .seconds(1))
        #expect(await called(["first", "second"]))
    }

    @Test func endedTimerCallsNothing() async {
        wake(at: 20_000_000, "a")
        #expect(await sleepers(1))
        timer.end()
        #expect(clock.sleeperCount == 0)
        wake(at: 10_000_000, "b")
        // Another timer's call shows that tasks have had time to run.
        let other = ExpirationTimer(clock.timeline)
        other.wake(at: .min, forget: {}) { [calls] in calls.append("other") }
        clock.advance(by: .milliseconds(10))
        #expect(await until { !calls.all.isEmpty })
        #expect(clock.sleeperCount == 0)
        clock.advance(by: .seconds(1))
        #expect(await called(["other"]))
    }

    @Test func latestTimeCanBeSlept() async {
        wake(at: .max, "never")
        #expect(await sleepers(1))
        wake(at: 0, "soon")
        clock.advance(by: .milliseconds(10))
        #expect(await called(["soon"]))
    }

    /// A clock whose first sleep fails.
    private final class FailingClock: Clock, Sendable {
        let manual = ManualClock()
        private let hasFailed = Locked(false)

        struct Failure: Error {}

        var now: ManualClock.Instant { manual.now }
        var minimumResolution: Duration { .zero }

        func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
            let fails = hasFailed.withLock { hasFailed in
                defer { hasFailed = true }
                return !hasFailed
            }
            if fails { throw Failure() }
            try await manual.sleep(until: deadline)
        }
    }

    @Test func failedSleepIsForgottenAndTheNextWakeUpTriesAgain() async {
        let clock = FailingClock()
        let timer = ExpirationTimer(clock.timeline)
        let calls = calls
        timer.wake(at: 0, forget: { calls.append("forgotten") }) { calls.append("a") }
        #expect(await called(["forgotten"]))
        timer.wake(at: 0, forget: { calls.append("forgotten again") }) { calls.append("b") }
        #expect(await until { clock.manual.sleeperCount == 1 })
        clock.manual.advance(by: .seconds(1))
        #expect(await called(["forgotten", "b"]))
    }
}
