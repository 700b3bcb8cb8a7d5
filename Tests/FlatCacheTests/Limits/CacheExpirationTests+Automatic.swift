import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

extension CacheExpirationTests {
    @Test func cacheWakesWhenAValueIsDue() async {
        let clock = ManualClock()
        let cache = cache(clock, expires: .afterWrite(.seconds(10)))
        #expect(clock.sleeperCount == 0)
        cache.set(note(1))
        #expect(await until { clock.sleeperCount == 1 })
        cache.set(note(2))
        clock.advance(by: .seconds(5))
        cache.set(note(2))
        clock.advance(by: .seconds(6))
        #expect(await until { cache.ids(of: Note.self) == [2] })
        #expect(await until { clock.sleeperCount == 1 })
        clock.advance(by: .seconds(5))
        #expect(await until { cache.count(of: Note.self) == 0 })
        #expect(await until { clock.sleeperCount == 0 })
    }

    @Test func earlierDeadlineWakesItEarlier() async {
        let clock = ManualClock()
        let cache = cache(
            clock,
            expires: .at { ManualClock.Instant(offset: .seconds(Int($0.text) ?? 0)) }
        )
        cache.set(note(1, "100"))
        #expect(await until { clock.sleeperCount == 1 })
        cache.set(note(2, "10"))
        // The task with the later deadline ends.
        #expect(await until { clock.sleeperCount == 1 })
        clock.advance(by: .seconds(11))
        #expect(await until { cache.ids(of: Note.self) == [1] })
    }

    @Test func readingAValueKeepsOnlyThatValue() async {
        let clock = ManualClock()
        let cache = cache(clock, expires: .afterAccess(.seconds(16)))
        cache.set(contentsOf: [note(1), note(2)])
        for _ in 0..<40 {
            #expect(await until { clock.sleeperCount == 1 })
            clock.advance(by: .seconds(1))
            _ = cache.get(Note.self, id: 1)
        }
        #expect(await until { cache.ids(of: Note.self) == [1] })
    }

    @Test func releasedCacheDoesntSleep() async {
        let clock = ManualClock()
        var cache: Cache? = cache(clock, expires: .afterWrite(.seconds(10)))
        cache?.set(note(1))
        #expect(await until { clock.sleeperCount == 1 })
        let core = Weak(cache?.core)
        cache = nil
        #expect(await until { clock.sleeperCount == 0 })
        #expect(await until { core.object == nil })
    }

    @Test func withTheSystemsClockItExpiresToo() async {
        var configuration = CacheConfiguration()
        configuration.limit(Note.self, .unlimited, expires: .afterWrite(.milliseconds(1)))
        let cache = Cache(configuration: configuration)
        cache.set(note(1))
        #expect(await until { !cache.contains(Note.self, id: 1) })
    }

    @Test func expirationByTheDefaultClock() {
        var configuration = CacheConfiguration()
        configuration.limit(
            Note.self,
            .unlimited,
            expires: .at { _ in ContinuousClock.now - .seconds(1) }
        )
        let cache = Cache(configuration: configuration)
        cache.set(note(1))
        cache.expireValues()
        #expect(cache.count(of: Note.self) == 0)
    }
}
