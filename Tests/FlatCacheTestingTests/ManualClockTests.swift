import FlatCache
import FlatCacheTesting
import Testing
import TestSupport

struct ManualClockTests {
    @Test func timePassesOnlyByHand() {
        let clock = ManualClock()
        #expect(clock.now.offset == .zero)
        clock.advance(by: .seconds(3))
        #expect(clock.now.offset == .seconds(3))
        clock.advance(by: .seconds(-1))
        #expect(clock.now.offset == .seconds(2))
    }

    @Test func sleepersResumeAtTheirDeadline() async throws {
        let clock = ManualClock()
        let early = Task { try await clock.sleep(for: .seconds(1)) }
        let late = Task { try await clock.sleep(for: .seconds(2)) }
        #expect(await until { clock.sleeperCount == 2 })
        clock.advance(by: .seconds(1))
        #expect(clock.sleeperCount == 1)
        try await early.value
        clock.advance(by: .seconds(1))
        try await late.value
        #expect(clock.sleeperCount == 0)
    }

    @Test func deadlineInThePastDoesntSuspend() async throws {
        let clock = ManualClock()
        clock.advance(by: .seconds(1))
        try await clock.sleep(until: ManualClock.Instant(offset: .seconds(1)))
        try await clock.sleep(until: ManualClock.Instant(offset: .zero))
    }

    @Test func cancellationEndsASleep() async {
        let clock = ManualClock()
        let sleeper = Task { try await clock.sleep(for: .seconds(1)) }
        #expect(await until { clock.sleeperCount == 1 })
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
        #expect(clock.sleeperCount == 0)
    }

    @Test func taskThatIsAlreadyCanceledDoesntSleep() async {
        let clock = ManualClock()
        let sleeper = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await clock.sleep(for: .seconds(1))
        }
        await #expect(throws: CancellationError.self) { try await sleeper.value }
    }

    @Test func cacheExpiresValuesByTheClock() {
        let clock = ManualClock()
        var configuration = CacheConfiguration(clock: clock)
        configuration.limit(Song.self, .unlimited, expires: .afterWrite(.seconds(60)))
        let cache = Cache(configuration: configuration)
        cache.set(Song(id: 1))
        clock.advance(by: .seconds(59))
        cache.expireValues()
        #expect(cache.contains(Song.self, id: 1))
        clock.advance(by: .seconds(2))
        cache.expireValues()
        #expect(!cache.contains(Song.self, id: 1))
    }
}

private struct Song: Identifiable, Sendable {
    let id: Int
}
