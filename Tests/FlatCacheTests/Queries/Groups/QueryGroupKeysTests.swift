import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct QueryKeysTests {
    /// An entity with any number of keys, which may be equal or no numbers.
    struct Item: CacheEntity, Equatable {
        let id: Int
        var weight = 1
        var tags: [String] = []
        var numbers: [Double] = []
        var author: Related<Author>?
    }

    let cache = Cache()

    init() {
        cache.set(contentsOf: [
            Item(id: 1, weight: 1, tags: ["a", "b", "a"], author: Related("lem")),
            Item(id: 2, weight: 2, tags: ["b"]), Item(id: 3, weight: 4),
        ])
        cache.set(Author(id: "lem", name: "Lem", books: [Related(1), Related(2)]))
    }

    private func counts(in cache: Cache) -> [String: Int] {
        cache.values(of: Item.self).reduce(into: [:]) { counts, item in
            for tag in Set(item.tags) { counts[tag, default: 0] += 1 }
        }
    }

    @Test("An element counts once under each of its keys")
    func counts() {
        let counts = cache.query(Item.self).aggregate(.count, by: .each(\.tags))
        for token in [nil, counts.keepCurrent()] {
            #expect(counts.value == ["a": 1, "b": 2])
            #expect(counts["b"] == 2)
            #expect(counts["c"] == nil)
            withExtendedLifetime(token) {}
        }
        let sums = cache.query(Item.self).aggregate(.sum(of: \.weight), by: .each(\.tags))
        #expect(sums.value == ["a": 1, "b": 3])
    }

    @Test("A change contains the groups that an element has entered or left")
    func changes() throws {
        let counts = cache.query(Item.self).aggregate(.count, by: .each(\.tags))
        let changes = Recorder<QueryGroupsChange<String, Int>>()
        let observation = counts.observeChanges { changes.append($0) }
        cache.set(Item(id: 2, weight: 2, tags: ["c", "b", "a"]))
        let change = try #require(changes.all.first)
        #expect(change.changedKeys == ["a", "c"])
        #expect(["a", "b", "c"].map { change.value(of: $0) } == [2, 2, 1])
        #expect(["a", "b", "c"].map { change.oldValue(of: $0) } == [1, 2, nil])
        // The same keys in another order and number.
        cache.set(Item(id: 2, weight: 9, tags: ["a", "a", "b", "c"]))
        #expect(changes.count == 1)
        // One element takes the place of another in a group.
        cache.performBatchUpdates { batch in
            batch.set(Item(id: 1, tags: []))
            batch.set(Item(id: 3, tags: ["b", "a"]))
        }
        #expect(changes.count == 1)
        cache.remove(Item.self, id: 2)
        #expect(changes.all.last?.changedKeys == ["a", "b", "c"])
        #expect(counts.value == ["a": 1, "b": 1])
        withExtendedLifetime(observation) {}
    }

    @Test("Groups of an order combine the values in this order")
    func order() {
        let names = QueryAggregate<Item, String>(of: { "\($0.id)" }, combining: +)
        let groups = cache.query(Item.self).sorted(by: \.weight, .descending)
            .aggregate(names, by: .each(\.tags))
        let token = groups.keepCurrent()
        #expect(groups.value == ["a": "1", "b": "21"])
        cache.set(Item(id: 1, weight: 7, tags: ["a", "b"]))
        #expect(groups.value == ["a": "1", "b": "12"])
        withExtendedLifetime(token) {}
    }

    @Test("A window contains elements, each with all of its keys")
    func windows() {
        let query = cache.query(Item.self).sorted(by: \.weight).limit(2)
        let counts = query.aggregate(.count, by: .each(\.tags))
        let changes = Recorder<Set<String>>()
        let observation = counts.observeChanges { changes.append($0.changedKeys) }
        #expect(counts.value == ["a": 1, "b": 2])
        #expect(counts["b"] == 2)
        cache.set(Item(id: 3, weight: 0, tags: ["d", "d"]))
        #expect(counts.value == ["d": 1, "a": 1, "b": 1])
        cache.set(Item(id: 2, weight: 2, tags: ["e"]))
        #expect(changes.all == [["d", "b"]])
        withExtendedLifetime(observation) {}
    }

    @Test("Keys that read other entities follow these")
    func joins() {
        let counts = cache.query(Item.self).aggregate(
            .count,
            by: .each { item, cache in item.author.flatMap { cache[$0] }?.books ?? [] }
        )
        let calls = Recorder<[Related<Book>: Int]>()
        let observation = counts.observe { calls.append($0) }
        #expect(counts.value == [Related(1): 1, Related(2): 1])
        cache.set(Author(id: "lem", name: "Lem", books: [Related(2), Related(3)]))
        cache.set(Author(id: "other", name: "Other", books: [Related(1)]))
        cache.remove(Author.self, id: "lem")
        #expect(calls.all == [[Related(2): 1, Related(3): 1], [:]])
        withExtendedLifetime(observation) {}
    }

    @Test("Keys that aren't numbers belong to no group")
    func missingNumbers() {
        cache.set(Item(id: 3, numbers: [.nan, 0, -0.0, .nan]))
        let query = cache.query(Item.self)
        for counts in [query, query.limit(9)].map({ $0.aggregate(.count, by: .each(\.numbers)) }) {
            #expect(counts.value == [0: 1])
            #expect(counts[.nan] == nil)
        }
    }

    @Test("An element may have many keys")
    func manyKeys() {
        let counts = cache.query(Item.self).aggregate(.count, by: .each(\.tags))
        let token = counts.keepCurrent()
        for length in [0, 5, 8, 9, 40, 3] {
            let tags = (0..<length).map { "\($0)" }
            cache.set(Item(id: 1, tags: tags + tags.reversed()))
            cache.set(Item(id: 3, tags: tags))
            #expect(counts.value == self.counts(in: cache))
        }
        withExtendedLifetime(token) {}
    }
}
