import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests the sequence of an entity's changes.
@MainActor
@Suite(.timeLimit(.minutes(15)))
struct CachedSequencesChangesTests {
    let cache = Cache()
    let station: Cached<Station>

    init() {
        station = cache.cached(Station.self, id: 1)
    }

    /// Makes a number of commits, whose revisions begin with `first`.
    private func commit(_ count: Int, from first: Int = 1) {
        for revision in first..<first + count { cache.set(Station(id: 1, revision: revision)) }
    }

    @Test func changesAreInCommitOrder() async {
        cache.set(Station(id: 1))
        var iterator = station.changes.makeAsyncIterator()
        cache.touch(1)
        cache.set(Station(id: 2))
        cache.remove(Station.self, id: 1)
        cache.performBatchUpdates { batch in
            batch.set(Station(id: 1, revision: 5))
            batch.touch(1)
        }
        let changes = await iterator.next(3)
        #expect(changes.map(\.kind) == [.updated, .removed(.explicit), .inserted])
        #expect(changes.map(\.old?.revision) == [0, 1, nil])
        #expect(changes.map(\.new?.revision) == [1, nil, 6])
        #expect(changes.map(\.version) == [2, 4, 5])
        #expect(changes.map(\.id) == [1, 1, 1])
    }

    @Test func slowConsumerMissesNone() async {
        var iterator = station.changes.makeAsyncIterator()
        commit(3000)
        let changes = await iterator.next(3000)
        #expect(changes.map(\.new?.revision) == Array(1...3000))
        #expect(changes.map(\.version) == Array(1...3000))
    }

    @Test func intermittentConsumerMissesNoChange() async {
        var iterator = station.changes.makeAsyncIterator()
        var revisions: [Int?] = []
        var generator = SplitMix64(seed: 1)
        var (committed, taken) = (0, 0)
        while committed < 2000 {
            let count = generator.below(20)
            commit(count, from: committed + 1)
            committed += count
            let takes = generator.below(committed - taken + 1)
            taken += takes
            revisions += await iterator.next(takes).map(\.new?.revision)
        }
        revisions += await iterator.next(committed - taken).map(\.new?.revision)
        #expect(revisions == Array(1...committed))
    }

    @Test(arguments: [1, 2, 5, 100])
    func exactlyTheLimitOfNewestElementsIsKept(limit: Int) async {
        var iterator = station.changes(buffering: .newest(limit)).makeAsyncIterator()
        commit(50)
        let kept = await iterator.next(min(limit, 50)).map(\.new?.revision)
        #expect(kept == Array(max(1, 51 - limit)...50))
        commit(1, from: 51)
        let next = await iterator.next(1).map(\.new?.revision)
        #expect(next == [51])
    }

    @Test(arguments: [1, 2, 5, 100])
    func exactlyTheLimitOfOldestElementsIsKept(limit: Int) async {
        var iterator = station.changes(buffering: .oldest(limit)).makeAsyncIterator()
        commit(50)
        let first = await iterator.next(1).map(\.new?.revision)
        // The buffer has room for one element if it was full.
        commit(2, from: 51)
        let rest = await iterator.next(limit == 100 ? 51 : limit).map(\.new?.revision)
        let expected = limit == 100 ? Array(1...52) : Array(1...limit) + [51]
        #expect(first + rest == expected)
        commit(1, from: 53)
        let next = await iterator.next(1).map(\.new?.revision)
        #expect(next == [53])
    }

    @Test(arguments: [BufferingPolicy.newest(2), .oldest(2)])
    func consumerThatWaitsGetsTheNextBeforeAnyIsKept(policy: BufferingPolicy) async {
        let consumer = await Consumer.begun(station.changes(buffering: policy))
        commit(5)
        let revisions = await consumer.elements(3).map(\.new?.revision)
        #expect(revisions == (policy == .newest(2) ? [1, 4, 5] : [1, 2, 3]))
    }
}
