import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests which values are evicted when a type exceeds its limit.
@Suite(.exclusive)
struct CacheEvictionTests {
    func cache(
        _ limit: CacheLimit<Note>,
        expires: CacheExpiration<Note> = .never
    ) -> Cache {
        var configuration = CacheConfiguration()
        configuration.limit(Note.self, limit, expires: expires)
        return Cache(configuration: configuration)
    }

    func note(_ id: Int, _ text: String = "") -> Note { Note(id: id, text: text) }

    func ids(_ cache: Cache) -> [Int] { cache.ids(of: Note.self).sorted() }

    @Test func thereIsNeverMoreThanTheLimit() {
        let cache = cache(.count(10))
        for id in 0..<100 {
            cache.set(note(id))
            #expect(cache.count(of: Note.self) == min(id + 1, 10))
            #expect(cache.contains(Note.self, id: id))
        }
        #expect(ids(cache) == Array(90..<100))
        cache.core.checkInvariants()
    }

    @Test func otherTypesAreKept() {
        let cache = cache(.count(1))
        for id in 0..<10 { cache.set(Station(id: id)) }
        #expect(cache.count(of: Station.self) == 10)
    }

    @Test(arguments: [true, false])
    func evictionPrefersUnreadValues(isThroughAHandle: Bool) {
        let cache = cache(.count(3))
        cache.set(contentsOf: [note(1), note(2), note(3)])
        let handle = cache.cached(Note.self, id: 1)
        _ = isThroughAHandle ? handle.value : cache.get(Note.self, id: 1)
        cache.set(note(4))
        #expect(ids(cache) == [1, 3, 4])
        cache.set(note(5))
        #expect(ids(cache) == [1, 4, 5])
    }

    @Test func evictionPrefersValuesWrittenOnce() {
        let cache = cache(.count(2))
        cache.set(contentsOf: [note(1), note(2)])
        cache.set(note(1, "again"))
        cache.set(note(3))
        #expect(ids(cache) == [1, 3])
    }

    @Test func evictionIsPartOfTheCommitAndSaysSo() {
        let cache = cache(.count(2))
        let commits = Recorder<TypeChanges<Note>>()
        let token = cache.observeAll(Note.self) { commits.append($0) }
        cache.set(contentsOf: [note(1), note(2)])
        let version = cache.version
        cache.set(note(3))
        #expect(cache.version == version + 1)
        #expect(commits.all.map(\.version) == [1, version + 1])
        let last = commits.all.last?.changes ?? []
        #expect(last.map(\.id) == [3, 1])
        #expect(last.map(\.kind) == [.inserted, .removed(.evicted)])
        #expect(last.last?.old?.id == 1)
        token.dispose()
    }

    @Test func batchAboveTheLimitIsEvictedDownToIt() {
        let cache = cache(.count(5))
        let commits = Recorder<TypeChanges<Note>>()
        let token = cache.observeAll(Note.self) { commits.append($0) }
        cache.set(contentsOf: (0..<50).map { note($0) })
        #expect(cache.count(of: Note.self) == 5)
        #expect(cache.version == 1)
        // A value that is stored and evicted in one commit doesn't appear in the changes.
        #expect(commits.all.map { $0.changes.count } == [5])
        #expect(commits.all.first?.changes.allSatisfy { $0.kind == .inserted } ?? false)
        cache.core.checkInvariants()
        token.dispose()
    }

    @Test func commitDoesntEvictItsOwnValues() {
        let cache = cache(.count(100))
        cache.set(contentsOf: (0..<100).map { note($0) })
        // With so many values, the hand doesn't pass all of them.
        cache.performBatchUpdates { batch in
            for id in 0..<80 { batch.set(note(id, "again")) }
            batch.set(note(100))
        }
        #expect(cache.count(of: Note.self) == 100)
        #expect(Set(ids(cache)).isSuperset(of: Array(0..<80) + [100]))
    }

    @Test func largeWriteIsStoredEvenIfAllValuesWereRead() {
        let cache = cache(.count(10_000))
        cache.set(contentsOf: (0..<10_000).map { note($0) })
        for id in 0..<10_000 { _ = cache.get(Note.self, id: id) }
        cache.set(contentsOf: (10_000..<10_100).map { note($0) })
        #expect(cache.count(of: Note.self) == 10_000)
    }

    @Test func costlyValueMakesManyCheapOnesGo() {
        let cache = cache(.cost(2_000, of: { Int($0.text) ?? 1 }))
        cache.set(contentsOf: (0..<2_000).map { note($0) })
        cache.set(note(5_000, "1000"))
        #expect(cache.count(of: Note.self) == 1_001)
        cache.core.checkInvariants()
    }

    @Test func limitOfZeroKeepsNothing() {
        let cache = cache(.count(0))
        #expect(cache.set(note(1, "a")).text == "a")
        #expect(cache.count(of: Note.self) == 0)
        #expect(cache.version == 0)
        cache.core.checkInvariants()
    }

    @Test func rolledBackBatchEvictsNothing() {
        struct Failure: Error {}
        let cache = cache(.count(2))
        cache.set(contentsOf: [note(1), note(2)])
        try? cache.performBatchUpdates { batch in
            batch.set(contentsOf: [note(3), note(4)])
            batch.remove(Note.self, id: 1)
            throw Failure()
        }
        #expect(ids(cache) == [1, 2])
        cache.core.checkInvariants()
        cache.set(note(3))
        #expect(cache.count(of: Note.self) == 2)
        cache.core.checkInvariants()
    }

    // MARK: Cost

    @Test func costsDontExceedTheTotal() {
        let cache = cache(.cost(10, of: { $0.text.count }))
        cache.set(contentsOf: [note(1, "1234"), note(2, "1234")])
        cache.set(note(3, "123"))
        #expect(ids(cache) == [2, 3])
        // A value whose cost grows makes others exceed the limit.
        cache.set(note(3, "1234567"))
        #expect(ids(cache) == [3])
        cache.set(note(3, ""))
        cache.set(contentsOf: (10..<20).map { note($0, "1") })
        #expect(cache.count(of: Note.self) == 11)
        cache.core.checkInvariants()
    }

    @Test func oversizedValueDoesntEvictAllOthers() {
        let cache = cache(.cost(10, of: { $0.text.count }))
        cache.set(contentsOf: [note(1, "1234"), note(2, "1234")])
        cache.set(note(3, "more than ten characters"))
        #expect(ids(cache) == [1, 2])
        cache.set(note(1, "more than ten characters"))
        #expect(ids(cache) == [2])
        cache.core.checkInvariants()
    }

    @Test func enormousCostsAreCounted() {
        let cache = cache(.cost(10, of: { Int($0.text) ?? 0 }))
        cache.set(contentsOf: [note(1, "\(Int.max)"), note(2, "\(Int.max)"), note(3, "3")])
        #expect(ids(cache) == [3])
        cache.core.checkInvariants()
    }

    // MARK: Other limits

    @Test func loweredLimitIsReachedLittleByLittle() {
        let cache = cache(.count(10_000))
        cache.set(contentsOf: (0..<10_000).map { note($0) })
        cache.limit(Note.self, .count(10))
        #expect(cache.count(of: Note.self) == 10_000)
        let commits = Recorder<TypeChanges<Note>>()
        let token = cache.observeAll(Note.self) { commits.append($0) }
        var writes = 0
        while cache.count(of: Note.self) > 10, writes < 1_000 {
            cache.set(note(100_000 + writes))
            writes += 1
        }
        #expect(cache.count(of: Note.self) == 10)
        // Each write evicts some values, and none evicts many.
        #expect(writes > 50)
        #expect(commits.all.allSatisfy { $0.removed.count <= 130 })
        token.dispose()
        cache.core.checkInvariants()
    }

    @Test func writesToStoredEntitiesReachALoweredLimit() {
        let cache = cache(.count(1_000))
        cache.set(contentsOf: (0..<1_000).map { note($0) })
        cache.limit(Note.self, .count(10))
        for round in 0..<100 { cache.set(note(5, "\(round)")) }
        #expect(cache.count(of: Note.self) == 10)
        #expect(cache.contains(Note.self, id: 5))
    }

    @Test func laterLimitCountsStoredValues() {
        let cache = Cache()
        cache.set(contentsOf: (0..<20).map { note($0) })
        let token = cache.cached(Note.self, id: 7).observe { _ in }
        let list = cache.list("kept", of: Note.self)
        list.ids = [3, 4]
        cache.limit(Note.self, .count(5))
        cache.set(note(100))
        #expect(cache.count(of: Note.self) == 5)
        #expect(Set(ids(cache)).isSuperset(of: [3, 4, 7]))
        cache.limit(Note.self, .unlimited)
        cache.set(contentsOf: (0..<20).map { note($0) })
        #expect(cache.count(of: Note.self) == 21)
        token.dispose()
        cache.core.checkInvariants()
    }

    // MARK: The table

    @Test func marksMoveWithTheirEntries() {
        let cache = cache(.count(2_000))
        for id in 0..<2_000 {
            cache.set(note(id))
            _ = cache.get(Note.self, id: id / 2)
        }
        cache.core.checkInvariants()
        for id in 0..<2_000 where id % 2 == 0 { cache.remove(Note.self, id: id) }
        cache.core.checkInvariants()
        for id in 5_000..<9_000 {
            cache.set(note(id))
            _ = cache.get(Note.self, id: id - 10)
        }
        #expect(cache.count(of: Note.self) == 2_000)
        cache.removeAll()
        cache.core.checkInvariants()
    }

    @Test func openSnapshotReadsEvictedValues() {
        let cache = cache(.count(2))
        cache.set(contentsOf: [note(1), note(2)])
        cache.withSnapshot { snapshot in
            for id in 3..<20 { cache.set(note(id)) }
            #expect(snapshot.ids(of: Note.self).sorted() == [1, 2])
            #expect(snapshot[Note.self, 1]?.id == 1)
            #expect(cache.count(of: Note.self) == 2)
        }
        cache.core.checkInvariants()
    }

    @Test func severalThreadsKeepTheLimit() {
        let cache = cache(.count(50))
        let ended = onThreads(4) { thread in
            for round in 0..<2_000 {
                let id = (round &* 31 + thread &* 17) % 400
                if round % 3 == 0 { cache.set(note(id)) } else { _ = cache.get(Note.self, id: id) }
            }
        }
        #expect(ended)
        #expect(cache.isSettled())
        #expect(cache.count(of: Note.self) == 50)
        cache.core.checkInvariants()
    }
}
