import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests the freshness of values by their lifetimes.
struct CacheFreshnessTests {
    private let clock = SleeplessClock()

    private func cache(
        staleAfter staleness: CacheStaleness<Note> = .never,
        expires: CacheExpiration<Note> = .never
    ) -> Cache {
        var configuration = CacheConfiguration(clock: clock)
        configuration.limit(Note.self, staleAfter: staleness, expires: expires)
        return Cache(configuration: configuration)
    }

    private func instant(_ seconds: Int) -> CacheInstant { CacheInstant(offset: .seconds(seconds)) }

    @Test func valueBecomesStaleAndStays() {
        let cache = cache(staleAfter: .seconds(10))
        #expect(cache.freshness(of: Note.self, id: 1) == .missing)
        cache.set(Note(id: 1, text: "a"))
        #expect(cache.freshness(of: Note.self, id: 1) == .fresh(since: instant(0)))
        clock.advance(by: .seconds(1_000_000))
        cache.expireValues()
        #expect(cache.freshness(of: Note.self, id: 1) == .stale(since: instant(10)))
        #expect(cache.get(Note.self, id: 1)?.text == "a")
        #expect(cache.cached(Note.self, id: 1).value?.text == "a")
        cache.core.checkInvariants()
    }

    @Test("Freshness is compared with the clock, before the timer's commit")
    func exactFreshness() {
        let cache = cache(staleAfter: .milliseconds(10_000))
        let handle = cache.cached(Note.self, id: 1)
        cache.set(Note(id: 1, text: ""))
        let version = cache.version
        clock.advance(by: .nanoseconds(9_999_999_999))
        #expect(handle.freshness == .fresh(since: instant(0)))
        clock.advance(by: .nanoseconds(1))
        #expect(handle.freshness == .stale(since: instant(10)))
        #expect(cache.withSnapshot { $0.freshness(of: Note.self, id: 1).isStale })
        #expect(cache.performBatchUpdates { $0.freshness(of: Note.self, id: 1).isStale })
        #expect(cache.version == version)
    }

    @Test func valueCanContainTheEndOfItsLifetime() {
        let cache = cache(
            staleAfter: .at { note in
                Int(note.text).map { ManualClock.Instant(offset: .seconds($0)) }
            }
        )
        for (id, text) in ["5", "20", "never"].enumerated() {
            cache.set(Note(id: id, text: text))
        }
        clock.advance(by: .seconds(10))
        cache.set(Note(id: 3, text: "7"))
        cache.expireValues()
        #expect(
            (0...3).map { cache.freshness(of: Note.self, id: $0) } == [
                .stale(since: instant(5)), .fresh(since: instant(0)), .fresh(since: instant(0)),
                .stale(since: instant(7)),
            ]
        )
        cache.set(Note(id: 0, text: "60"))
        #expect(cache.freshness(of: Note.self, id: 0) == .fresh(since: instant(10)))
        cache.core.checkInvariants()
    }

    @Test func staleValuesExpireLater() {
        let cache = cache(staleAfter: .seconds(10), expires: .afterWrite(.seconds(60)))
        cache.set(contentsOf: [Note(id: 1, text: ""), Note(id: 2, text: "")])
        let pin = cache.pin(Note.self, id: 2)
        clock.advance(by: .seconds(10))
        cache.expireValues()
        #expect(cache.count(of: Note.self) == 2)
        #expect(cache.freshness(of: Note.self, id: 1).isStale)
        clock.advance(by: .seconds(49))
        cache.expireValues()
        #expect(cache.count(of: Note.self) == 2)
        clock.advance(by: .seconds(1))
        cache.expireValues()
        #expect(cache.ids(of: Note.self) == [2])
        #expect(cache.freshness(of: Note.self, id: 2) == .stale(since: instant(10)))
        pin.dispose()
        cache.core.doDeferredWorkIfIdle()
        cache.expireValues()
        #expect(cache.count(of: Note.self) == 0)
    }

    @Test("An unused stale value that hasn't expired stays")
    func unusedStaleValue() {
        let cache = cache(staleAfter: .seconds(10), expires: .afterWrite(.seconds(60)))
        let token = cache.cached(Note.self, id: 1).observe { _ in }
        cache.set(Note(id: 1, text: ""))
        clock.advance(by: .seconds(20))
        cache.expireValues()
        token.dispose()
        cache.core.doDeferredWorkIfIdle()
        cache.expireValues()
        #expect(cache.freshness(of: Note.self, id: 1) == .stale(since: instant(10)))
    }

    @Test func readsKeepAStaleValueThatExpiresByAccess() {
        let cache = cache(staleAfter: .seconds(10), expires: .afterAccess(.seconds(16)))
        cache.set(Note(id: 1, text: ""))
        for _ in 0..<10 {
            clock.advance(by: .seconds(8))
            cache.expireValues()
            #expect(cache.get(Note.self, id: 1) != nil)
        }
        #expect(cache.freshness(of: Note.self, id: 1) == .stale(since: instant(10)))
        // Access times are recorded in intervals.
        for _ in 0..<2 {
            clock.advance(by: .seconds(18))
            cache.expireValues()
        }
        #expect(cache.freshness(of: Note.self, id: 1) == .missing)
        cache.core.checkInvariants()
    }

    @Test func typeWithoutLifetimesIsFreshAndReadsNoClock() {
        let clock = SleeplessClock(step: .seconds(1))
        let cache = Cache(configuration: CacheConfiguration(clock: clock))
        let before = clock.now
        cache.set(Station(id: 1))
        #expect(cache.freshness(of: Station.self, id: 1) == .fresh(since: nil))
        #expect(cache.withSnapshot { $0.freshness(of: Station.self, id: 1) } == .fresh(since: nil))
        #expect(clock.now == before.advanced(by: .seconds(1)))
    }

    @Test(arguments: [false, true])
    func observersLearnOnceThatAValueBecameStale(isObservedAsAWhole: Bool) {
        let cache = cache(staleAfter: .seconds(10))
        cache.set(Note(id: 1, text: ""))
        let kinds = Recorder<EntityChange<Note>.Kind>()
        let token =
            isObservedAsAWhole
            ? cache.observeAll(Note.self) { for change in $0.changes { kinds.append(change.kind) } }
            : cache.cached(Note.self, id: 1).observeChanges { kinds.append($0.kind) }
        clock.advance(by: .seconds(10))
        cache.expireValues()
        cache.invalidate(Note.self, id: 1)
        cache.invalidate(Note.self)
        clock.advance(by: .seconds(10))
        cache.expireValues()
        #expect(kinds.all == [.becameStale])
        token.dispose()
    }

    @Test func listIsAsFreshAsItsOldestElement() {
        let cache = cache(staleAfter: .seconds(10))
        let list = cache.list("notes", of: Note.self)
        #expect(list.freshness == .missing)
        list.ids = [9]
        list.ids = []
        #expect(list.freshness == .fresh(since: nil))
        list.ids = [1, 2, 3]
        #expect(list.freshness == .missing)
        cache.set(Note(id: 2, text: ""))
        clock.advance(by: .seconds(6))
        cache.set(Note(id: 1, text: ""))
        #expect(list.freshness == .fresh(since: instant(0)))
        clock.advance(by: .seconds(6))
        #expect(list.freshness == .stale(since: instant(10)))
        #expect(cache.withSnapshot { list.freshness(in: $0) } == .stale(since: instant(10)))
        cache.performBatchUpdates { batch in
            batch.set(Note(id: 2, text: "new"))
            #expect(batch.list("notes", of: Note.self).freshness == .fresh(since: instant(6)))
        }
        #expect(list.freshness == .fresh(since: instant(6)))
        clock.advance(by: .seconds(100))
        #expect(list.freshness == .stale(since: instant(16)))
    }

    @Test func anotherLifetimeCountsFromWhenValuesWereStored() {
        let cache = cache()
        cache.set(Note(id: 1, text: ""))
        clock.advance(by: .seconds(5))
        // The time of the value is unknown, so its lifetime counts from now.
        cache.limit(Note.self, staleAfter: .seconds(10))
        #expect(cache.freshness(of: Note.self, id: 1) == .fresh(since: instant(5)))
        clock.advance(by: .seconds(4))
        cache.limit(Note.self, staleAfter: .seconds(4))
        #expect(cache.freshness(of: Note.self, id: 1) == .stale(since: instant(9)))
        cache.limit(Note.self, staleAfter: .seconds(100))
        #expect(cache.freshness(of: Note.self, id: 1) == .stale(since: instant(9)))
    }

    @Test func clockThatJumpsBackMakesNothingFresher() {
        let cache = cache(staleAfter: .seconds(10))
        cache.set(Note(id: 1, text: ""))
        clock.advance(by: .seconds(10))
        #expect(cache.freshness(of: Note.self, id: 1).isStale)
        clock.advance(by: .seconds(-1_000))
        #expect(cache.freshness(of: Note.self, id: 1) == .stale(since: instant(10)))
        clock.advance(by: .seconds(5))
        cache.set(Note(id: 2, text: ""))
        clock.advance(by: .seconds(-1_000))
        #expect(cache.freshness(of: Note.self, id: 2) == .fresh(since: instant(15)))
        clock.advance(by: .seconds(10))
        #expect(cache.freshness(of: Note.self, id: 2).isStale)
    }
}

// Tests values that contain the end of their lifetime.
extension CacheFreshnessTests {
    /// A value whose equality ignores the end of its lifetime.
    private struct Dated: Identifiable, Equatable, Sendable {
        let id: Int
        var end: Int

        static func == (left: Dated, right: Dated) -> Bool { left.id == right.id }
    }

    @Test("An equal value brings a lifetime of its own", arguments: [false, true])
    func lifetimeOfAnEqualValue(isObserved: Bool) {
        let clock = SleeplessClock()
        let cache = Cache(configuration: CacheConfiguration(clock: clock))
        cache.limit(Dated.self, staleAfter: .at { ManualClock.Instant(offset: .seconds($0.end)) })
        let token = isObserved ? cache.cached(Dated.self, id: 1).observe { _ in } : nil
        cache.set(Dated(id: 1, end: 10))
        cache.set(Dated(id: 1, end: 100))
        clock.advance(by: .seconds(50))
        #expect(cache.freshness(of: Dated.self, id: 1).isFresh)
        clock.advance(by: .seconds(50))
        #expect(cache.freshness(of: Dated.self, id: 1).isStale)
        token?.dispose()
    }

    @Test func clockThatWasSetBackDecidesWhenALaterValueBecomesStale() {
        let clock = SleeplessClock()
        let cache = Cache(configuration: CacheConfiguration(clock: clock))
        cache.limit(Dated.self, staleAfter: .at { ManualClock.Instant(offset: .seconds($0.end)) })
        clock.advance(by: .seconds(100))
        cache.set(Dated(id: 1, end: 110))
        clock.advance(by: .seconds(20))
        #expect(cache.freshness(of: Dated.self, id: 1).isStale)
        clock.advance(by: .seconds(-110))
        #expect(cache.freshness(of: Dated.self, id: 1).isStale)
        // The clock shows 10 seconds.
        cache.set(Dated(id: 2, end: 20))
        #expect(cache.freshness(of: Dated.self, id: 2).isFresh)
        clock.advance(by: .seconds(10))
        #expect(cache.freshness(of: Dated.self, id: 2).isStale)
    }

    /// A value without equality.
    private struct Forecast: Identifiable, Sendable {
        let id: Int
        var end: Int
    }

    @Test("A value never has the freshness of another one while its lifetime is asked for")
    func freshnessDuringAnExchange() {
        let clock = SleeplessClock()
        let cache = Cache(configuration: CacheConfiguration(clock: clock))
        let wrong = Recorder<Freshness>()
        cache.limit(
            Forecast.self,
            staleAfter: .at { [weak cache] value in
                if let stored = cache?.get(Forecast.self, id: 1), stored.end == value.end {
                    wrong.append(.missing)
                }
                return ManualClock.Instant(offset: .seconds(value.end))
            }
        )
        cache.set(Forecast(id: 1, end: 10))
        clock.advance(by: .seconds(20))
        cache.replace(Forecast(id: 1, end: 30))
        #expect(wrong.all == [])
    }

    @Test func newLifetimeKeepsWhatAnOpenSnapshotShows() {
        let clock = SleeplessClock()
        let cache = Cache(configuration: CacheConfiguration(clock: clock))
        cache.limit(Station.self, staleAfter: .seconds(10))
        cache.set(Station(id: 1))
        clock.advance(by: .seconds(20))
        cache.withSnapshot { snapshot in
            let before = snapshot.freshness(of: Station.self, id: 1)
            #expect(before.isStale)
            cache.limit(Station.self)
            #expect(snapshot.freshness(of: Station.self, id: 1) == before)
            #expect(cache.freshness(of: Station.self, id: 1) == before)
        }
    }
}
