import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct SteadyTimeTests {
    @Test func followsAClockThatAdvances() {
        var steady = SteadyTime()
        #expect([-5, 0, 3, 3, 10].map { steady.time(at: $0) } == [-5, 0, 3, 3, 10])
    }

    @Test func continuesAtTheTimeBeforeTheClockWasSetBack() {
        var steady = SteadyTime()
        #expect([10, 4, 5, 20].map { steady.time(at: $0) } == [10, 10, 11, 26])
        #expect([0, 1].map { steady.time(at: $0) } == [26, 27])
        #expect(steady.offset == 26)
    }

    @Test func staysAtTheEnds() {
        var steady = SteadyTime()
        #expect(steady.time(at: .max) == .max)
        #expect(steady.time(at: 0) == .max)
        #expect(steady.time(at: .max) == .max)
    }

    @Test("A value expires after its lifetime even if the clock is set back")
    func lifetimes() {
        let clock = SleeplessClock()
        var configuration = CacheConfiguration(clock: clock)
        configuration.limit(Note.self, .unlimited, expires: .afterAccess(.seconds(16)))
        configuration.limit(Station.self, .unlimited, expires: .afterWrite(.seconds(16)))
        let cache = Cache(configuration: configuration)
        cache.set(Note(id: 1, text: ""))
        cache.set(Station(id: 1))
        clock.advance(by: .seconds(10))
        _ = cache.get(Note.self, id: 1)
        cache.expireValues()
        clock.advance(by: .seconds(-3_600))
        cache.expireValues()
        clock.advance(by: .seconds(7))
        cache.expireValues()
        #expect(cache.count(of: Station.self) == 0)
        #expect(cache.count(of: Note.self) == 1)
        clock.advance(by: .seconds(12))
        cache.expireValues()
        #expect(cache.count(of: Note.self) == 0)
    }

    @Test("A clock that is set back while the timer sleeps wakes it within a minute")
    func sleeping() async throws {
        let clock = ManualClock()
        var configuration = CacheConfiguration(clock: clock)
        configuration.limit(Note.self, .unlimited, expires: .afterWrite(.seconds(300)))
        let cache = Cache(configuration: configuration)
        cache.set(Note(id: 1, text: ""))
        #expect(await until { clock.sleeperCount == 1 })
        clock.advance(by: .seconds(-1_000))
        for _ in 0..<12 where cache.count(of: Note.self) > 0 {
            clock.advance(by: .seconds(1_000))
            #expect(await until { clock.sleeperCount == 1 || cache.count(of: Note.self) == 0 })
            clock.advance(by: .seconds(-900))
        }
        #expect(await until { cache.count(of: Note.self) == 0 })
    }
}
