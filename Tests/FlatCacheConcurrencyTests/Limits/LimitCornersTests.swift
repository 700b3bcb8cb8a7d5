import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests combinations of limits, expirations and other features.
struct LimitCornersTests {
    private struct Failure: Error {}

    private struct Order: Identifiable, OwnsCachedValues, Sendable {
        let id: Int
        var lines: [Int] = []

        var ownedCacheKeys: Set<CacheKey> { Set(lines.map { CacheKey(Station.self, id: $0) }) }
    }

    private func note(_ id: Int, _ text: String = "") -> Note { Note(id: id, text: text) }

    private func cache<Value: Identifiable & Sendable>(
        _ clock: any Clock<Duration>,
        _ type: Value.Type,
        _ expires: CacheExpiration<Value>,
        _ limit: CacheLimit<Value> = .unlimited
    ) -> Cache where Value.ID: Sendable {
        var configuration = CacheConfiguration(clock: clock)
        configuration.limit(type, limit, expires: expires)
        return Cache(configuration: configuration)
    }

    @Test func tableGrowsAfterARolledBackPrune() {
        let cache = Cache()
        cache.performBatchUpdates { batch in
            try? cache.performBatchUpdates { inner in
                inner.set(contentsOf: (0..<20).map { Note(id: $0, text: "") })
                _ = cache.pruneUnobservedValues()
                throw Failure()
            }
            batch.set(contentsOf: (1_000..<5_000).map { Note(id: $0, text: "") })
        }
        #expect(cache.count(of: Note.self) == 4_000)
        cache.core.checkInvariants()
    }

    @Test func tableGrowsStepByStepAfterARolledBackPrune() {
        let cache = Cache()
        cache.performBatchUpdates { batch in
            try? cache.performBatchUpdates { inner in
                inner.set(Note(id: 0, text: ""))
                _ = cache.pruneUnobservedValues()
                throw Failure()
            }
            for id in 1_000..<5_000 { batch.set(Note(id: id, text: "")) }
        }
    }

    @Test(arguments: [40, 64, 65, 80, 128])
    func valuesUnreadForManyLifetimesAreRemoved(seconds: Int) {
        let clock = SleeplessClock()
        let cache = cache(clock, Note.self, .afterAccess(.seconds(16)))
        cache.set(note(1))
        clock.advance(by: .seconds(seconds))
        cache.expireValues()
        #expect(cache.count(of: Note.self) == 0)
    }

    @Test func valuesReadDuringALongBatchKeepTheirLifetime() {
        let clock = SleeplessClock()
        let cache = cache(clock, Note.self, .afterAccess(.seconds(16)))
        cache.set(note(1))
        cache.performBatchUpdates { _ in
            clock.advance(by: .seconds(15))
            _ = cache.get(Note.self, id: 1)
        }
        clock.advance(by: .seconds(3))
        cache.expireValues()
        #expect(cache.count(of: Note.self) == 1)
    }

    @Test func valuesReadBeforeTheTimerFiresStay() {
        let clock = SleeplessClock()
        let cache = cache(clock, Note.self, .afterAccess(.seconds(16)))
        cache.set(note(1))
        clock.advance(by: .seconds(30))
        #expect(cache.get(Note.self, id: 1) != nil)
        cache.expireValues()
        #expect(cache.count(of: Note.self) == 1)
    }

    @Test func pruningInABatchLeavesOwnedThatTheBatchMakesReached() {
        let cache = Cache()
        cache.set(Station(id: 1))
        cache.set(Station(id: 7))
        cache.set(Order(id: 1, lines: [7]))
        let token = cache.cached(Station.self, id: 1).observe { _ in }
        cache.performBatchUpdates { batch in
            batch.set(Station(id: 1, next: [7]))
            cache.pruneUnobservedValues()
        }
        #expect(cache.ids(of: Station.self).sorted() == [1, 7])
        token.dispose()
    }

    @Test func snapshotKeepsShowingAStaleValue() {
        let clock = SleeplessClock()
        let cache = cache(clock, Note.self, .afterWrite(.seconds(10)))
        let pin = cache.pin(Note.self, id: 1)
        cache.set(note(1, "old"))
        clock.advance(by: .seconds(10))
        cache.expireValues()
        let stale = cache.freshness(of: Note.self, id: 1)
        #expect(stale.isStale)
        cache.withSnapshot { snapshot in
            #expect(snapshot.get(Note.self, id: 1)?.text == "old")
            #expect(snapshot.freshness(of: Note.self, id: 1) == stale)
            cache.remove(Note.self, id: 1)
            #expect(snapshot.get(Note.self, id: 1)?.text == "old")
            #expect(snapshot.freshness(of: Note.self, id: 1) == stale)
            cache.set(note(1, "new"))
            #expect(snapshot.get(Note.self, id: 1)?.text == "old")
            #expect(snapshot.freshness(of: Note.self, id: 1) == stale)
        }
        pin.dispose()
    }

    @Test(arguments: [false, true])
    func storingAnEqualValueCountsAsStoredAgain(isInBatch: Bool) {
        let cache = cache(SleeplessClock(), Station.self, .never, .count(2))
        cache.set(contentsOf: [Station(id: 1), Station(id: 2)])
        if isInBatch {
            cache.set(contentsOf: [Station(id: 1)])
        } else {
            cache.set(Station(id: 1))
        }
        cache.set(Station(id: 3))
        #expect(cache.ids(of: Station.self).sorted() == [1, 3])
    }

    @Test func staleValuesStayStaleWhileTheLimitChanges() {
        let clock = SleeplessClock()
        let cache = cache(clock, Note.self, .afterWrite(.seconds(10)))
        let pins = (0..<2).map { cache.pin(Note.self, id: $0) }
        cache.set(contentsOf: [note(0), note(1)])
        clock.advance(by: .seconds(10))
        cache.expireValues()
        let seen = Recorder<Bool>()
        cache.limit(
            Note.self,
            .cost(
                100,
                of: { [weak cache] _ in
                    seen.append(cache?.freshness(of: Note.self, id: 1).isFresh ?? true)
                    return 1
                }
            ),
            expires: .afterWrite(.seconds(10))
        )
        #expect(!seen.all.contains(true))
        withExtendedLifetime(pins) {}
    }

    @Test func overdueValuesAreRemovedByTheRuleAt() {
        let clock = SleeplessClock()
        let cache = cache(clock, Note.self, .afterWrite(.seconds(10)))
        let pin = cache.pin(Note.self, id: 1)
        cache.set(note(1))
        clock.advance(by: .seconds(10))
        cache.expireValues()
        let later = clock.now.advanced(by: .seconds(100))
        cache.limit(Note.self, .unlimited, expires: .at { _ in later })
        // The value stays stale under the new rule.
        #expect(cache.freshness(of: Note.self, id: 1).isStale)
        pin.dispose()
    }

    @Test("After a sleep that fails, the next write makes the timer sleep", arguments: 1...2)
    func failedSleep(id: Int) async {
        let clock = FailingClock()
        let cache = cache(clock, Note.self, .afterWrite(.seconds(10)))
        cache.set(note(1))
        #expect(await until { !clock.fails.withLock { $0 } })
        // The timer may detect the failure only after the first of these writes. The others renew
        // the lifetime of an equal value, and add no deadline.
        #expect(
            await until {
                cache.set(note(id))
                return clock.base.sleeperCount == 1
            }
        )
    }

    @Test func trimmingEndsEvenIfAnObserverStoresAgain() {
        let cache = cache(SleeplessClock(), Note.self, .never, .count(1_000_000))
        cache.set(contentsOf: (0..<3_000).map { note($0) })
        let again = Locked(0)
        let token = cache.observeAll(Note.self) { [weak cache] commit in
            let evicted = commit.removed.compactMap(\.old)
            let mayGoOn = again.withLock { count in
                count += evicted.count
                return count < 50_000
            }
            if mayGoOn, !evicted.isEmpty { cache?.set(contentsOf: evicted) }
        }
        let trimmed = cache.trim(to: .fraction(0))
        #expect(trimmed <= 3_000)
        token.dispose()
    }

    @Test(.timeLimit(.minutes(15)))
    func expiringEndsEvenIfManyValuesAreInUse() {
        // So much time passes meanwhile that the first values are due again before the last ones
        // have been visited.
        let clock = SleeplessClock(step: .seconds(1))
        let cache = cache(clock, Note.self, .afterAccess(.seconds(3)))
        let count = 5_000
        let pins = (0..<count).map { cache.pin(Note.self, id: $0) }
        cache.set(contentsOf: (0..<count).map { note($0) })
        clock.advance(by: .seconds(10))
        cache.expireValues()
        #expect(cache.count(of: Note.self) == count)
        withExtendedLifetime(pins) {}
    }

    @Test func releasedCacheLeavesNothingBehind() async {
        let core: Weak<CacheCore>
        do {
            let cache = cache(ContinuousClock(), Note.self, .afterWrite(.seconds(1_000)))
            cache.set(note(1))
            core = Weak(cache.core)
            let token = cache.pin(Note.self, id: 1)
            token.dispose()
        }
        #expect(await until { core.object == nil })
    }

    @Test func trimmingGivesBackTheMemoryOfTheState() {
        let cache = cache(
            SleeplessClock(),
            Note.self,
            .afterWrite(.seconds(10)),
            .count(10_000)
        )
        cache.set(contentsOf: (0..<10_000).map { note($0) })
        let pin = cache.pin(Note.self, id: 7)
        cache.trim(to: .fraction(0))
        #expect(cache.ids(of: Note.self) == [7])
        let state = cache.core.tables.table(of: Note.self).limits?.state
        #expect((state?.entries.storage.chunks.count ?? .max) <= 2)
        cache.core.checkInvariants()
        pin.dispose()
    }

    @Test func staleValuesStayStaleUnderANewRule() {
        let clock = SleeplessClock()
        let cache = cache(clock, Note.self, .afterWrite(.seconds(10)))
        let pin = cache.pin(Note.self, id: 1)
        cache.set(note(1))
        clock.advance(by: .seconds(10))
        cache.expireValues()
        let freshness = cache.freshness(of: Note.self, id: 1)
        #expect(freshness.isStale)
        for expiration: CacheExpiration<Note> in [
            .afterAccess(.seconds(10)), .never, .afterWrite(.seconds(60)),
        ] {
            cache.limit(Note.self, .unlimited, expires: expiration)
            #expect(cache.freshness(of: Note.self, id: 1) == freshness)
            cache.core.checkInvariants()
        }
        cache.limit(Note.self, .unlimited)
        cache.set(note(1, "again"))
        #expect(cache.get(Note.self, id: 1)?.text == "again")
        pin.dispose()
        cache.core.checkInvariants()
    }

    final class FailingClock: Clock, Sendable {
        let base = ManualClock()
        let fails = Locked(true)
        var now: ManualClock.Instant { base.now }
        var minimumResolution: Duration { .zero }
        func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
            let fails = fails.withLock { fails in
                defer { fails = false }
                return fails
            }
            if fails { throw Failure() }
            try await base.sleep(until: deadline, tolerance: tolerance)
        }
    }
}
