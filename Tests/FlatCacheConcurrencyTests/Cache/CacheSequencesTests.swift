import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests the sequences of the changes of a type.
@MainActor
@Suite(.timeLimit(.minutes(15)))
struct CacheSequencesTests {
    let cache = Cache()

    @Test func changesOfATypeAreInCommitOrder() async {
        var iterator = cache.changes(of: Station.self).makeAsyncIterator()
        cache.set(Station(id: 1))
        cache.set(Note(id: 1, text: "of another type"))
        cache.set(Station(id: 2))
        cache.touch(1)
        cache.remove(Station.self, id: 1)
        let changes = await iterator.next(4)
        #expect(changes.map(\.id) == [1, 2, 1, 1])
        #expect(changes.map(\.kind) == [.inserted, .inserted, .updated, .removed(.explicit)])
        #expect(changes.map(\.old?.revision) == [nil, nil, 0, 1])
        #expect(changes.map(\.new?.revision) == [0, 0, 1, nil])
        #expect(changes.map(\.version) == [1, 3, 4, 5])
    }

    @Test func changesOfABatchAreInTheOrderOfFirstWrites() async {
        cache.set(Station(id: 3))
        var iterator = cache.changes(of: Station.self).makeAsyncIterator()
        cache.performBatchUpdates { batch in
            batch.set(Station(id: 2))
            batch.remove(Station.self, id: 3)
            batch.set(Station(id: 9))
            batch.set(Station(id: 1))
            batch.touch(2)
            batch.remove(Station.self, id: 9)
        }
        cache.set(Station(id: 4))
        let changes = await iterator.next(4)
        #expect(changes.map(\.id) == [2, 3, 1, 4])
        #expect(changes.map(\.kind) == [.inserted, .removed(.explicit), .inserted, .inserted])
        #expect(changes.map(\.new?.revision) == [1, nil, 0, 0])
        #expect(changes.map(\.version) == [2, 2, 2, 3])
    }

    @Test func removingAllGivesEachOfThem() async {
        cache.set(contentsOf: Station.chain(100))
        var iterator = cache.changes(of: Station.self).makeAsyncIterator()
        cache.removeAll()
        let changes = await iterator.next(100)
        #expect(Set(changes.map(\.id)) == Set(0..<100))
        #expect(changes.allSatisfy { $0.kind == .removed(.explicit) && $0.version == 2 })
    }

    @Test func relatedChangesAreNotChangesOfAType() async {
        cache.set(Book(id: 1, author: "le-guin"))
        var iterator = cache.changes(of: Book.self).makeAsyncIterator()
        cache.set(Author(id: "le-guin", name: "Ursula K. Le Guin"))
        cache.set(Book(id: 2))
        let changes = await iterator.next(1)
        #expect(changes.map(\.id) == [2])
    }

    @Test func iteratorMadeInABatchReceivesTheWholeBatch() async {
        var iterator = cache.performBatchUpdates { batch in
            batch.set(Station(id: 1))
            let iterator = cache.changes(of: Station.self).makeAsyncIterator()
            batch.set(Station(id: 2))
            return iterator
        }
        let changes = await iterator.next(2)
        #expect(changes.map(\.id) == [1, 2])
    }

    @Test(arguments: [BufferingPolicy.newest(3), .oldest(3)])
    func largeCommitFillsTheBufferLikeSeveralCommits(policy: BufferingPolicy) async {
        var iterator = cache.changes(of: Station.self, buffering: policy).makeAsyncIterator()
        cache.set(contentsOf: Station.chain(10))
        let kept = await iterator.next(3).map(\.id)
        #expect(kept == (policy == .newest(3) ? [7, 8, 9] : [0, 1, 2]))
        cache.touch(5)
        let next = await iterator.next(1).map(\.id)
        #expect(next == [5])
    }

    @Test func waitingConsumerReceivesTheFirstChangeOfALargeCommit() async {
        let consumer = await Consumer.begun(
            cache.changes(of: Station.self, buffering: .newest(2))
        )
        cache.set(contentsOf: Station.chain(10))
        #expect(await consumer.elements(3).map(\.id) == [0, 8, 9])
    }
}
