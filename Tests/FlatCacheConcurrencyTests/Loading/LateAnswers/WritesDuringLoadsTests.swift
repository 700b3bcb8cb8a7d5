import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests that writes keep their other promises while a load is running and records them.
///
/// The model tests of caches, limits and freshness run with a load, too.
@Suite(.timeLimit(.minutes(15)))
struct WritesDuringLoadsTests {
    let cache = Cache()

    @Test func equalValueChangesNothing() {
        cache.set(MergedThing("old"))
        cache.beginEndlessLease()
        let notified = Recorder<Int>()
        let tokens = [
            cache.cached(MergedThing.self, id: 1).observe { notified.append($0.id) },
            cache.observeAll(MergedThing.self) { notified.append($0.changes.count) },
        ]
        let version = cache.version
        cache.set(MergedThing("old"))
        cache.set(MergedThing(nil))
        cache.replace(MergedThing("old"))
        cache.update(MergedThing.self, id: 1) { $0.text = "old" }
        cache.performBatchUpdates { $0.set(MergedThing("old")) }
        #expect(cache.version == version)
        #expect(cache.isSettled())
        #expect(notified.all.isEmpty)
        for token in tokens { token.dispose() }
    }

    @Test func eachWriteIsOneCommitThatNotifiesOnce() {
        cache.set(MergedThing("old"))
        cache.beginEndlessLease()
        let version = cache.version
        cache.set(MergedThing("unobserved"))
        #expect(cache.version == version + 1)
        let notified = Recorder<[String?]>()
        let token = cache.cached(MergedThing.self, id: 1).observe { notified.append($0.fields) }
        #expect(cache.set(MergedThing(nil, detail: "set")).fields == ["unobserved", "set"])
        cache.update(MergedThing.self, id: 1) { $0.text = "updated" }
        cache.set(MergedThing("set"))
        #expect(cache.version == version + 4)
        #expect(cache.isSettled())
        #expect(notified.all == [["unobserved", "set"], ["updated", "set"], ["set", "set"]])
        token.dispose()
    }

    @Test func snapshotsKeepTheirValues() {
        cache.set(PlainNote("old"))
        cache.beginEndlessLease()
        cache.withSnapshot { snapshot in
            cache.set(PlainNote("new"))
            cache.remove(PlainNote.self, id: 1)
            cache.set(PlainNote("newest"))
            #expect(snapshot.get(PlainNote.self, id: 1)?.text == "old")
        }
        #expect(cache.get(PlainNote.self, id: 1)?.text == "newest")
        cache.core.checkInvariants()
    }

    @Test func limitsEvictTheLeastRecentlyUsedValues() {
        let clock = SleeplessClock()
        let cache = Cache(configuration: CacheConfiguration(clock: clock))
        cache.limit(PlainThing.self, .count(10))
        cache.beginEndlessLease()
        for id in 0..<100 { cache.set(PlainThing(id: id, text: nil, detail: nil)) }
        // Equal values are stored again, which counts as a use.
        for _ in 0..<3 { cache.set(PlainThing(id: 99, text: nil, detail: nil)) }
        #expect(cache.count(of: PlainThing.self) <= 10)
        #expect(cache.contains(PlainThing.self, id: 99))
        cache.core.checkInvariants()
    }

    @Test func equalValueRenewsAStaleOne() {
        let clock = SleeplessClock()
        let cache = Cache(configuration: CacheConfiguration(clock: clock))
        cache.limit(PlainThing.self, staleAfter: .after(.seconds(10)))
        cache.set(PlainThing("old"))
        cache.beginEndlessLease()
        clock.advance(by: .seconds(20))
        #expect(cache.freshness(of: PlainThing.self, id: 1).isStale)
        cache.set(PlainThing("old"))
        #expect(cache.freshness(of: PlainThing.self, id: 1).isFresh)
    }
}
