import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests the notifications of expired values, and values that become stale because they are in use.
struct CacheStalenessTests {
    /// A clock with which values expire only when a test asks for it.
    ///
    /// A timer could expire them on another thread, which then would call the observers, perhaps
    /// after the test has compared their calls.
    let clock = SleeplessClock()

    private func cache(expires: CacheExpiration<Note>) -> Cache { cache(clock, expires: expires) }

    private func cache(_ clock: any Clock<Duration>, expires: CacheExpiration<Note>) -> Cache {
        var configuration = CacheConfiguration(clock: clock)
        configuration.limit(Note.self, .unlimited, expires: expires)
        return Cache(configuration: configuration)
    }

    private func note(_ id: Int, _ text: String = "") -> Note { Note(id: id, text: text) }

    /// Advances the clock and expires values.
    private func pass(_ seconds: Int, _ cache: Cache) {
        clock.advance(by: .seconds(seconds))
        cache.expireValues()
        cache.core.checkInvariants()
    }

    @Test func expiryIsACommitWithAReason() {
        let cache = cache(expires: .afterWrite(.seconds(10)))
        let commits = Recorder<TypeChanges<Note>>()
        let token = cache.observeAll(Note.self) { commits.append($0) }
        cache.set(contentsOf: [note(1), note(2)])
        pass(10, cache)
        #expect(cache.version == 2)
        #expect(commits.all.last?.version == 2)
        #expect(commits.all.last?.changes.map(\.kind) == [.removed(.expired), .removed(.expired)])
        cache.expireValues()
        #expect(cache.version == 2)
        token.dispose()
    }

    @Test func observedValuesBecomeStale() {
        let cache = cache(expires: .afterWrite(.seconds(10)))
        let kinds = Recorder<EntityChange<Note>.Kind>()
        let token = cache.cached(Note.self, id: 1).observeChanges { kinds.append($0.kind) }
        let handle = cache.cached(Note.self, id: 1)
        #expect(handle.freshness == .missing)
        clock.advance(by: .seconds(1))
        cache.set(note(1, "a"))
        #expect(handle.freshness == .fresh(since: instant(1)))
        pass(10, cache)
        #expect(handle.freshness == .stale(since: instant(11)))
        #expect(cache.freshness(of: Note.self, id: 1) == handle.freshness)
        #expect(cache.get(Note.self, id: 1)?.text == "a")
        #expect(cache[Note.self, 1] != nil)
        #expect(cache.contains(Note.self, id: 1))
        #expect(cache.withSnapshot { $0[Note.self, 1] } != nil)
        #expect(cache.performBatchUpdates { $0[Note.self, 1] } != nil)
        #expect(handle.value?.text == "a")
        #expect(cache.count(of: Note.self) == 1)
        #expect(kinds.all == [.inserted, .becameStale])
        pass(100, cache)
        #expect(kinds.all == [.inserted, .becameStale])
        cache.set(note(1, "b"))
        #expect(handle.freshness == .fresh(since: instant(111)))
        #expect(cache[Note.self, 1]?.text == "b")
        #expect(kinds.all == [.inserted, .becameStale, .updated])
        pass(10, cache)
        #expect(kinds.all == [.inserted, .becameStale, .updated, .becameStale])
        token.dispose()
        cache.expireValues()
        #expect(handle.freshness == .missing)
        #expect(handle.value == nil)
    }

    private func instant(_ seconds: Int) -> CacheInstant { CacheInstant(offset: .seconds(seconds)) }

    @Test func expirationNotifiesDependents() {
        var configuration = CacheConfiguration(clock: clock)
        configuration.limit(Author.self, .unlimited, expires: .afterWrite(.seconds(10)))
        let cache = Cache(configuration: configuration)
        cache.set(Author(id: "a", name: ""))
        cache.set(Book(id: 1, author: "a"))
        let changes = Recorder<EntityChange<Book>>()
        let values = Recorder<Int>()
        let tokens = [
            cache.cached(Book.self, id: 1).observeChanges { changes.append($0) },
            cache.cached(Book.self, id: 1).observe { values.append($0.id) },
        ]
        pass(10, cache)
        #expect(changes.all.map(\.kind) == [.related])
        #expect(changes.all.first?.causes == [CacheKey(Author.self, id: "a")])
        #expect(values.all == [1])
        for token in tokens { token.dispose() }
    }

    @Test(arguments: [false, true])
    func storingAnEqualValueMakesAStaleOneFreshAndSaysSo(isInBatch: Bool) {
        var configuration = CacheConfiguration(clock: clock)
        configuration.limit(Station.self, .unlimited, expires: .afterWrite(.seconds(10)))
        let cache = Cache(configuration: configuration)
        cache.set(Station(id: 1))
        let kinds = Recorder<EntityChange<Station>.Kind>()
        let token = cache.cached(Station.self, id: 1).observeChanges { kinds.append($0.kind) }
        pass(10, cache)
        #expect(cache.freshness(of: Station.self, id: 1).isStale)
        if isInBatch {
            cache.performBatchUpdates {
                $0.set(Station(id: 1))
                #expect($0.freshness(of: Station.self, id: 1).isFresh)
                #expect(cache.freshness(of: Station.self, id: 1).isStale)
            }
        } else {
            cache.set(Station(id: 1))
        }
        #expect(cache.freshness(of: Station.self, id: 1) == .fresh(since: instant(10)))
        #expect(kinds.all == [.becameStale, .updated])
        cache.core.checkInvariants()
        token.dispose()
    }

    @Test func rolledBackBatchKeepsStaleValuesStale() {
        struct Failure: Error {}
        let cache = cache(expires: .afterWrite(.seconds(10)))
        cache.set(note(1))
        let token = cache.cached(Note.self, id: 1).observe { _ in }
        pass(10, cache)
        try? cache.performBatchUpdates { batch in
            batch.set(note(1, "new"))
            throw Failure()
        }
        #expect(cache.cached(Note.self, id: 1).freshness == .stale(since: instant(10)))
        cache.core.checkInvariants()
        token.dispose()
    }

    @Test func openSnapshotShowsTheFreshValuesOfItsVersion() {
        let cache = cache(expires: .afterWrite(.seconds(10)))
        cache.set(contentsOf: [note(1), note(2)])
        let token = cache.cached(Note.self, id: 1).observe { _ in }
        cache.withSnapshot { snapshot in
            clock.advance(by: .seconds(10))
            cache.expireValues()
            #expect(snapshot.freshness(of: Note.self, id: 1) == .fresh(since: instant(0)))
            #expect(snapshot.freshness(of: Note.self, id: 2) == .fresh(since: instant(0)))
            #expect(snapshot[Note.self, 2] != nil)
            #expect(cache.freshness(of: Note.self, id: 1) == .stale(since: instant(10)))
            #expect(cache[Note.self, 2] == nil)
        }
        cache.core.checkInvariants()
        token.dispose()
    }

    @Test func staleValuesAreRemovedWhenTheirUseEnds() async {
        let clock = ManualClock()
        let cache = cache(clock, expires: .afterWrite(.seconds(10)))
        cache.set(contentsOf: [note(1), note(2)])
        let observation = cache.cached(Note.self, id: 1).observe { _ in }
        let pin = cache.pin(Note.self, id: 2)
        clock.advance(by: .seconds(10))
        cache.expireValues()
        #expect(cache.count(of: Note.self) == 2)
        clock.advance(by: .seconds(1))
        #expect(await until { clock.sleeperCount == 0 })
        observation.dispose()
        pin.dispose()
        // The value expires without further time or calls.
        #expect(await until { cache.count(of: Note.self) == 0 })
        cache.core.checkInvariants()
    }

    @Test(arguments: [false, true])
    func endOfUseOfAStaleValueWakesTheCacheAtOnce(isPinned: Bool) async {
        let clock = ManualClock()
        let cache = cache(clock, expires: .afterWrite(.seconds(10)))
        cache.set(note(1))
        let token =
            isPinned ? cache.pin(Note.self, id: 1) : cache.cached(Note.self, id: 1).observe { _ in }
        clock.advance(by: .seconds(10))
        cache.expireValues()
        token.dispose()
        #expect(await until { cache.count(of: Note.self) == 0 })
    }

    @Test func manyThatExpireAtOnceGoInSeveralCommits() {
        let cache = cache(expires: .afterWrite(.seconds(10)))
        cache.set(contentsOf: (0..<2_000).map { note($0) })
        let commits = Recorder<Int>()
        let token = cache.observeAll(Note.self) { commits.append($0.changes.count) }
        pass(10, cache)
        #expect(cache.count(of: Note.self) == 0)
        #expect(commits.all.reduce(0, +) == 2_000)
        #expect((commits.all.max() ?? 0) <= 256)
        token.dispose()
    }
}
