import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests values that are made stale on request.
@Suite(.exclusive)
struct CacheInvalidationTests {
    let clock = SleeplessClock()
    let cache: Cache

    init() { cache = Cache(configuration: CacheConfiguration(clock: clock)) }

    func instant(_ seconds: Int) -> CacheInstant { CacheInstant(offset: .seconds(seconds)) }

    private func isStale(_ id: Int) -> Bool { cache.freshness(of: Station.self, id: id).isStale }

    @Test func entityOfATypeWithoutLifetimesBecomesStale() {
        cache.set(contentsOf: [Station(id: 1), Station(id: 2)])
        clock.advance(by: .seconds(3))
        cache.invalidate(Station.self, id: 1)
        #expect(cache.freshness(of: Station.self, id: 1) == .stale(since: instant(3)))
        #expect(cache.freshness(of: Station.self, id: 2) == .fresh(since: nil))
        #expect(cache[Station.self, 1] != nil)
        clock.advance(by: .seconds(1_000))
        cache.expireValues()
        #expect(cache.count(of: Station.self) == 2)
        cache.core.checkInvariants()
    }

    @Test(
        "Times are recorded from the first invalidation on, whether or not there is a value",
        arguments: ["entity", "otherEntity", "type", "condition", "rollback", "batch", "limited"]
    )
    func timesAfterTheFirstInvalidation(kind: String) throws {
        struct Failure: Error {}
        clock.advance(by: .seconds(3))
        switch kind {
        case "entity": cache.invalidate(Station.self, id: 1)
        case "otherEntity":
            cache.set(Station(id: 2))
            cache.invalidate(Station.self, id: 1)
        case "type": cache.invalidate(Station.self)
        case "condition": cache.invalidate(Station.self, where: { _ in true })
        case "rollback":
            cache.invalidate(Station.self)
            #expect(throws: Failure.self) {
                try cache.performBatchUpdates { batch in
                    batch.set(Station(id: 1))
                    batch.invalidate(Station.self)
                    throw Failure()
                }
            }
        case "batch":
            cache.performBatchUpdates { batch in
                batch.set(Station(id: 1))
                batch.remove(Station.self, id: 1)
                batch.invalidate(Station.self, id: 1)
            }
        default:
            cache.limit(Station.self, .count(5))
            cache.invalidate(Station.self, id: 1)
        }
        clock.advance(by: .seconds(2))
        cache.set(Station(id: 1))
        #expect(cache.freshness(of: Station.self, id: 1) == .fresh(since: instant(5)))
        cache.core.checkInvariants()
    }

    @Test("The first invalidation of a type without limits visits no values, a later limit all")
    func firstInvalidation() throws {
        cache.set(contentsOf: (0..<100).map { Station(id: $0) })
        clock.advance(by: .seconds(3))
        cache.invalidate(Station.self)
        let table = cache.core.tables.table(of: Station.self)
        #expect(try #require(table.limits).state.entries.isEmpty)
        var hasRecords = false
        table.forEachSegment { _, segment in
            hasRecords = hasRecords || segment.header.pointee.records != nil
        }
        #expect(!hasRecords)
        cache.set(contentsOf: [Station(id: 98), Station(id: 99)])
        cache.remove(Station.self, id: 97)
        clock.advance(by: .seconds(2))
        cache.invalidate(Station.self, id: 99)
        let pins = [98, 99].map { cache.pin(Station.self, id: $0) }
        #expect(cache.trim(to: .count(90)) == 9)
        cache.core.checkInvariants()
        cache.limit(Station.self, .count(20))
        #expect(table.limits?.state.count == 90)
        for id in cache.ids(of: Station.self) where id < 98 {
            #expect(cache.freshness(of: Station.self, id: id) == .stale(since: instant(3)))
        }
        #expect(cache.freshness(of: Station.self, id: 98) == .fresh(since: instant(3)))
        #expect(cache.freshness(of: Station.self, id: 99) == .stale(since: instant(5)))
        for pin in pins { pin.dispose() }
        for id in 100..<200 { cache.set(Station(id: id)) }
        #expect(cache.count(of: Station.self) == 20)
        cache.core.checkInvariants()
    }

    @Test("Storing an equal value makes an unobserved value fresh, too")
    func unobservedEqualValue() {
        cache.set(Station(id: 1))
        cache.invalidate(Station.self, id: 1)
        cache.set(Station(id: 1))
        #expect(!isStale(1))
        cache.invalidate(Station.self)
        #expect(isStale(1))
        cache.set(Station(id: 1))
        #expect(!isStale(1))
    }

    @Test func absentEntityAndTypeStayMissing() {
        let version = cache.version
        cache.invalidate(Station.self, id: 1)
        cache.invalidate(Station.self)
        cache.invalidate(Station.self) { _ in true }
        #expect(cache.version == version)
        cache.set(Station(id: 1))
        #expect(!isStale(1))
        cache.remove(Station.self, id: 1)
        cache.invalidate(Station.self, id: 1)
        cache.set(Station(id: 1))
        #expect(!isStale(1))
    }

    @Test func wholeTypeIsOneCommit() {
        cache.set(contentsOf: (0..<1_000).map { Station(id: $0, revision: $0) })
        let kinds = Recorder<EntityChange<Station>.Kind>()
        let token = cache.cached(Station.self, id: 7).observeChanges { kinds.append($0.kind) }
        let version = cache.version
        cache.invalidate(Station.self)
        #expect(cache.version == version + 1)
        #expect((0..<1_000).allSatisfy(isStale))
        #expect(kinds.all == [.becameStale])
        cache.set(Station(id: 3))
        #expect(!isStale(3) && isStale(4))
        token.dispose()
        cache.core.checkInvariants()
    }

    @Test func conditionSelectsTheValues() {
        struct Failure: Error {}
        cache.set(contentsOf: (0..<10).map { Station(id: $0) })
        cache.invalidate(Station.self) { $0.id % 2 == 0 }
        #expect((0..<10).filter(isStale) == [0, 2, 4, 6, 8])
        #expect(throws: Failure.self) {
            try cache.invalidate(Station.self) { if $0.id == 5 { throw Failure() } else { true } }
        }
        #expect((0..<10).filter(isStale) == [0, 2, 4, 6, 8])
    }

    @Test func batchRollsBackItsInvalidations() {
        struct Failure: Error {}
        cache.set(contentsOf: (0..<3).map { Station(id: $0) })
        let reported = Recorder<Int>()
        let token = cache.observeAll(Station.self) { commit in
            for change in commit.changes { reported.append(change.id) }
        }
        #expect(throws: Failure.self) {
            try cache.performBatchUpdates { batch in
                batch.invalidate(Station.self, id: 1)
                batch.invalidate(Station.self)
                #expect(batch.freshness(of: Station.self, id: 2).isStale)
                #expect(!isStale(2))
                throw Failure()
            }
        }
        #expect((0..<3).filter(isStale) == [])
        #expect(reported.all == [])
        token.dispose()
        cache.core.checkInvariants()
    }

    @Test("In a batch, the later of a write and an invalidation counts", arguments: [false, true])
    func orderInBatch(isWholeType: Bool) {
        cache.set(contentsOf: [Station(id: 1), Station(id: 2)])
        cache.performBatchUpdates { batch in
            batch.set(Station(id: 1, revision: 1))
            if isWholeType {
                batch.invalidate(Station.self)
            } else {
                batch.invalidate(Station.self, id: 1)
                batch.invalidate(Station.self, id: 2)
            }
            batch.set(Station(id: 2))
            batch.set(Station(id: 3))
        }
        #expect((1...3).filter(isStale) == [1])
        #expect(cache[Station.self, 1]?.revision == 1)
    }

    @Test func invalidatedValuesCanBeEvicted() {
        cache.limit(Station.self, .count(2))
        cache.set(contentsOf: [Station(id: 1), Station(id: 2)])
        cache.invalidate(Station.self)
        _ = cache.get(Station.self, id: 1)
        cache.set(Station(id: 3))
        #expect(cache.count(of: Station.self) == 2)
        #expect(!isStale(3))
        cache.core.checkInvariants()
    }

    @Test func pinsCountAfterAnInvalidation() {
        cache.list("list", of: Station.self).ids = [1]
        cache.set(contentsOf: [Station(id: 1), Station(id: 2)])
        cache.invalidate(Station.self, id: 2)
        cache.limit(Station.self, .count(0))
        cache.trim(to: .fraction(0))
        #expect(cache.ids(of: Station.self) == [1])
        cache.list("list", of: Station.self).ids = []
        cache.trim(to: .fraction(0))
        #expect(cache.count(of: Station.self) == 0)
    }

    @Test("Freshness on several threads only ever follows whole commits")
    func threads() {
        let cache = cache
        cache.set(contentsOf: [Station(id: 1), Station(id: 2)])
        let wrong = Recorder<String>()
        let isDone = Locked(false)
        let ended = onThreads(3) { thread in
            if thread == 0 {
                for _ in 0..<2_000 {
                    cache.invalidate(Station.self)
                    cache.performBatchUpdates { batch in
                        batch.set(Station(id: 1))
                        batch.set(Station(id: 2))
                    }
                }
                isDone.withLock { $0 = true }
                return
            }
            while !isDone.withLock({ $0 }) {
                let both = cache.withSnapshot { snapshot in
                    (1...2).map { snapshot.freshness(of: Station.self, id: $0).isStale }
                }
                if both[0] != both[1] { wrong.append("\(both)") }
            }
        }
        #expect(ended)
        #expect(wrong.all == [])
        cache.core.checkInvariants()
    }

    @Test("The first invalidation keeps a changed limit and the order of eviction")
    func limitStays() {
        let cache = Cache()
        cache.limit(Station.self, .count(10))
        cache.limit(Station.self, .count(1_000))
        cache.set(contentsOf: (0..<500).map { Station(id: $0) })
        cache.invalidate(Station.self, id: 1)
        for id in 500..<1_000 { cache.set(Station(id: id)) }
        #expect(cache.count(of: Station.self) == 1_000)
        for id in 0..<400 { _ = cache.get(Station.self, id: id) }
        let other = Cache()
        other.limit(Station.self, .count(100))
        other.set(contentsOf: (0..<100).map { Station(id: $0) })
        for id in 0..<50 { _ = other.get(Station.self, id: id) }
        other.invalidate(Station.self, id: 99)
        for id in 100..<140 { other.set(Station(id: id)) }
        #expect((0..<50).allSatisfy { other.contains(Station.self, id: $0) })
        other.core.checkInvariants()
    }

    @Test("A condition that writes traps")
    func writingCondition() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
        {
            let cache = Cache()
            cache.set(Station(id: 1))
            cache.invalidate(Station.self) { station in
                cache.set(Station(id: station.id + 1))
                return true
            }
        }
        let message = try #require(result?.message)
        #expect(message.contains("the condition of Station"))
    }
}
