import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests the elements of a sequence when a related entity changes.
@MainActor
@Suite(.timeLimit(.minutes(15)))
struct CachedSequencesRelationshipsTests {
    let cache = Cache()

    private func begin(_ following: RelationshipDepth) async -> Consumer<Station?> {
        let values = cache.cached(Station.self, id: 0).following(following).values
        let consumer = await Consumer.begun(values)
        _ = await consumer.elements(1)
        return consumer
    }

    @Test func valueIsSentAgainWhenItsAuthorChanges() async {
        cache.set(Book(id: 1, title: "A", author: "le-guin"))
        var iterator = cache.cached(Book.self, id: 1).values.makeAsyncIterator()
        var titles = await iterator.next(1).map { $0?.title }
        // The author doesn't exist before the first of these writes.
        for name in ["Le Guin", "Ursula K. Le Guin"] {
            cache.set(Author(id: "le-guin", name: name))
            titles += await iterator.next(1).map { $0?.title }
        }
        cache.remove(Author.self, id: "le-guin")
        titles += await iterator.next(1).map { $0?.title }
        #expect(titles == ["A", "A", "A", "A"])
    }

    @Test func laterRelationshipsAreFollowed() async {
        cache.set(contentsOf: [Station(id: 0), Station(id: 1)])
        let consumer = await begin(.allRelationships)
        cache.touch(1)
        cache.set(Station(id: 0, revision: 1, next: [1]))
        #expect(await consumer.elements(2).map { $0?.revision } == [0, 1])
        cache.touch(1)
        #expect(await consumer.elements(3).map { $0?.revision } == [0, 1, 1])
        cache.set(Station(id: 0, revision: 2))
        #expect(await consumer.elements(4).map { $0?.revision } == [0, 1, 1, 2])
        cache.touch(1)
        cache.touch(0)
        #expect(await consumer.elements(5).map { $0?.revision } == [0, 1, 1, 2, 3])
    }

    @Test(
        arguments: [
            (RelationshipDepth.allRelationships, 5), (.levels(.max), 5), (.levels(2), 3),
            (.levels(1), 2),
            (.levels(0), 1), (.none, 1),
        ]
    )
    func relationshipsAreFollowedToTheGivenDepth(following: RelationshipDepth, reach: Int) async {
        cache.set(contentsOf: Station.chain(5))
        let values = await begin(following)
        let changes = await Consumer.begun(
            cache.cached(Station.self, id: 0).following(following).changes
        )
        // The consumer takes each element before the next commit.
        var expected = 1
        for id in (0..<5).reversed() {
            cache.touch(id)
            if id < reach { expected += 1 }
            #expect(await values.elements(expected).count == expected)
        }
        #expect(await changes.elements(reach).map(\.causes) == (0..<reach).reversed().map(key))
    }

    private func key(_ id: Station.ID) -> Set<CacheKey> { [CacheKey(Station.self, id: id)] }

    @Test func batchOfRelatedChangesGivesOneChangeWithAllCauses() async {
        cache.set(contentsOf: Station.chain(4))
        var changes = cache.cached(Station.self, id: 0).changes.makeAsyncIterator()
        cache.performBatchUpdates { batch in
            batch.touch(3)
            batch.touch(2)
        }
        cache.performBatchUpdates { batch in
            batch.touch(1)
            batch.touch(0)
        }
        let all = await changes.next(2)
        #expect(all.map(\.kind) == [.related, .updated])
        #expect(all.map(\.causes) == [key(2).union(key(3)), key(0).union(key(1))])
        #expect(all.first?.old == all.first?.new)
    }
}
