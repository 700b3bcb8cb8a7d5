import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests the expiration of values with manual clocks.
struct CacheExpirationTests {
    /// A clock with which values expire only when a test asks for it, never on another thread.
    let clock = SleeplessClock()

    func cache(
        _ limit: CacheLimit<Note> = .unlimited,
        expires: CacheExpiration<Note>
    ) -> Cache {
        cache(clock, limit, expires: expires)
    }

    func cache(
        _ clock: any Clock<Duration>,
        _ limit: CacheLimit<Note> = .unlimited,
        expires: CacheExpiration<Note>
    ) -> Cache {
        var configuration = CacheConfiguration(clock: clock)
        configuration.limit(Note.self, limit, expires: expires)
        return Cache(configuration: configuration)
    }

    func note(_ id: Int, _ text: String = "") -> Note { Note(id: id, text: text) }

    /// Advances the clock second by second, and expires values after each.
    private func pass(_ seconds: Int, _ cache: Cache) {
        for _ in 0..<seconds {
            clock.advance(by: .seconds(1))
            cache.expireValues()
        }
        cache.core.checkInvariants()
    }

    // MARK: Rules

    @Test func valuesExpireAfterTheirLastWrite() {
        let cache = cache(expires: .afterWrite(.seconds(10)))
        cache.set(note(1))
        pass(9, cache)
        #expect(cache.contains(Note.self, id: 1))
        cache.set(note(2))
        pass(1, cache)
        #expect(cache.ids(of: Note.self) == [2])
        pass(9, cache)
        #expect(cache.count(of: Note.self) == 0)
    }

    enum Way: CaseIterable {
        case set, contentsOf, replace, update, batch, handle, stamped

        func store(_ note: Note, in cache: Cache) {
            switch self {
            case .set: cache.set(note)
            case .contentsOf: cache.set(contentsOf: [note])
            case .replace: cache.replace(note)
            case .update: cache.update(Note.self, id: note.id) { $0 = note }
            case .batch: cache.performBatchUpdates { _ = $0.set(note) }
            case .handle: cache.cached(Note.self, id: note.id).value = note
            case .stamped: cache.set(note, modifiedAt: 1)
            }
        }
    }

    @Test(arguments: Way.allCases, [false, true])
    func writingAgainPutsItOff(way: Way, isObserved: Bool) {
        let cache = cache(expires: .afterWrite(.seconds(10)))
        let token = isObserved ? cache.cached(Note.self, id: 1).observe { _ in } : nil
        cache.set(note(1))
        for _ in 0..<5 {
            pass(9, cache)
            way.store(note(1), in: cache)
            #expect(cache.freshness(of: Note.self, id: 1).isFresh)
        }
        pass(10, cache)
        let freshness = cache.freshness(of: Note.self, id: 1)
        #expect(isObserved ? freshness.isStale : freshness.isMissing)
        token?.dispose()
    }

    @Test(arguments: [false, true])
    func equalWriteRenewsTheLifetimeWithoutNotifying(isInBatch: Bool) {
        var configuration = CacheConfiguration(clock: clock)
        configuration.limit(Station.self, .unlimited, expires: .afterWrite(.seconds(10)))
        let cache = Cache(configuration: configuration)
        let received = Recorder<Int>()
        let token = cache.cached(Station.self, id: 1).observe { received.append($0.id) }
        cache.set(contentsOf: [Station(id: 1), Station(id: 2)])
        let version = cache.version
        clock.advance(by: .seconds(9))
        if isInBatch {
            cache.performBatchUpdates {
                $0.set(Station(id: 1))
                $0.set(Station(id: 2))
            }
        } else {
            cache.set(Station(id: 1))
            cache.set(Station(id: 2))
        }
        pass(9, cache)
        #expect(cache.version == version)
        #expect(cache.contains(Station.self, id: 1))
        #expect(cache.contains(Station.self, id: 2))
        #expect(received.all == [1])
        token.dispose()
    }

    @Test(arguments: [false, true])
    func valuesExpireAfterTheirLastAccess(isThroughAHandle: Bool) {
        let cache = cache(expires: .afterAccess(.seconds(16)))
        cache.set(contentsOf: [note(1), note(2)])
        let handle = cache.cached(Note.self, id: 1)
        for _ in 0..<5 {
            pass(15, cache)
            _ = isThroughAHandle ? handle.value : cache.get(Note.self, id: 1)
        }
        #expect(cache.ids(of: Note.self) == [1])
        // The value never expires too early, and at most an eighth of the lifetime late.
        pass(15, cache)
        #expect(cache.count(of: Note.self) == 1)
        pass(3, cache)
        #expect(cache.count(of: Note.self) == 0)
    }

    @Test func valuesStayForTheirLifetimeAfterARead() {
        let cache = cache(expires: .afterAccess(.seconds(16)))
        cache.set(note(1))
        for milliseconds in stride(from: 100, to: 3_000, by: 370) {
            // The cache hasn't read the current time when the value is read.
            clock.advance(by: .milliseconds(milliseconds % 1_000))
            _ = cache.get(Note.self, id: 1)
            clock.advance(by: .milliseconds(15_900))
            cache.expireValues()
            #expect(cache.contains(Note.self, id: 1))
        }
    }

    @Test func lifetimeBeginsWhenTheLastUseEnds() {
        let cache = cache(expires: .afterAccess(.seconds(16)))
        cache.set(contentsOf: [note(1), note(2)])
        let observation = cache.cached(Note.self, id: 1).observe { _ in }
        let pin = cache.pin(Note.self, id: 2)
        // The time exceeds the period for which the cache records reads.
        for _ in 0..<13 { pass(7, cache) }
        observation.dispose()
        pin.dispose()
        pass(15, cache)
        #expect(cache.ids(of: Note.self).sorted() == [1, 2])
        pass(4, cache)
        #expect(cache.count(of: Note.self) == 0)
    }

    @Test func observedAndPinnedValuesAreInUse() {
        let cache = cache(expires: .afterAccess(.seconds(10)))
        cache.set(contentsOf: [note(1), note(2), note(3)])
        let tokens = [cache.cached(Note.self, id: 1).observe { _ in }, cache.pin(Note.self, id: 2)]
        for _ in 0..<10 { pass(10, cache) }
        #expect(cache.ids(of: Note.self).sorted() == [1, 2])
        #expect(cache.contains(Note.self, id: 1))
        for token in tokens { token.dispose() }
        pass(12, cache)
        #expect(cache.count(of: Note.self) == 0)
    }

    @Test func valueMaySayWhenItExpires() {
        let cache = cache(
            expires: .at { note in
                Int(note.text).map { ManualClock.Instant(offset: .seconds($0)) }
            }
        )
        cache.set(contentsOf: [note(1, "5"), note(2, "15"), note(3, "never"), note(4, "10")])
        pass(5, cache)
        #expect(cache.ids(of: Note.self).sorted() == [2, 3, 4])
        // The new times are earlier, later and never.
        cache.set(contentsOf: [note(2, "8"), note(4, "30")])
        pass(4, cache)
        #expect(cache.ids(of: Note.self).sorted() == [3, 4])
        cache.set(note(4, "never"))
        pass(1_000, cache)
        #expect(cache.ids(of: Note.self).sorted() == [3, 4])
        // A time in the past.
        cache.set(note(5, "1"))
        cache.expireValues()
        #expect(!cache.contains(Note.self, id: 5))
    }

    @Test func limitsAndTimesCombine() {
        let cache = cache(.count(3), expires: .afterWrite(.seconds(10)))
        for id in 0..<5 {
            cache.set(note(id))
            pass(1, cache)
        }
        #expect(cache.ids(of: Note.self).sorted() == [2, 3, 4])
        pass(8, cache)
        #expect(cache.ids(of: Note.self).sorted() == [4])
        pass(1, cache)
        #expect(cache.count(of: Note.self) == 0)
    }

    @Test func anotherTimeCountsFromWhenValuesWereStored() {
        let cache = cache(expires: .afterWrite(.seconds(10)))
        cache.set(contentsOf: [note(1), note(2)])
        let token = cache.cached(Note.self, id: 2).observe { _ in }
        pass(4, cache)
        cache.set(note(3))
        // Changing only the limit keeps the times.
        cache.limit(Note.self, .count(100), expires: .afterWrite(.seconds(10)))
        pass(2, cache)
        cache.limit(Note.self, .count(100), expires: .afterWrite(.seconds(6)))
        #expect(cache.ids(of: Note.self).sorted() == [2, 3])
        #expect(cache.freshness(of: Note.self, id: 2).isStale)
        // A stale value stays stale.
        cache.limit(Note.self, .count(100), expires: .afterWrite(.seconds(60)))
        #expect(cache.freshness(of: Note.self, id: 2).isStale)
        #expect(cache.contains(Note.self, id: 3))
        pass(53, cache)
        #expect(cache.contains(Note.self, id: 3))
        pass(5, cache)
        #expect(cache.ids(of: Note.self) == [2])
        token.dispose()
    }

    @Test func valuesThatDidNotExpireCountAsStoredWhenTheyBeginTo() {
        let cache = Cache(configuration: CacheConfiguration(clock: clock))
        cache.set(note(1))
        pass(100, cache)
        cache.limit(Note.self, .unlimited, expires: .afterWrite(.seconds(10)))
        pass(9, cache)
        #expect(cache.contains(Note.self, id: 1))
        pass(1, cache)
        #expect(!cache.contains(Note.self, id: 1))
    }
}
