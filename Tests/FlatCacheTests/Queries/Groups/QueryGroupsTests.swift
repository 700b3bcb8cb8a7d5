import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct QueryGroupsTests {
    let cache = Cache()
    let counts: QueryGroups<Int, Int>
    let changes = Recorder<QueryGroupsChange<Int, Int>>()

    init() {
        counts = cache.query(Book.self).aggregate(.count, by: \.year)
        cache.set(contentsOf: [
            Book(id: 1, year: 1, author: "lem"), Book(id: 2, year: 1), Book(id: 3, year: 2),
            Book(id: 4, author: "lem"),
        ])
        cache.set(Author(id: "lem", name: "Lem"))
    }

    @Test("A group can be read alone")
    func reading() {
        #expect(counts[1] == 2)
        #expect(counts[3] == nil)
        let token = counts.keepCurrent()
        #expect(counts[1] == 2)
        #expect(counts[3] == nil)
        cache.set(Book(id: 5, year: 3))
        #expect(counts[3] == 1)
        let first = cache.query(Book.self).limit(1).aggregate(.count, by: \.year)
        #expect(first[1] == 1)
        #expect(first[2] == nil)
        token.dispose()
    }

    @Test("A change contains the changed groups, and empty groups vanish")
    func changedGroups() throws {
        let observation = counts.observeChanges { [changes] in changes.append($0) }
        cache.performBatchUpdates { batch in
            batch.replace(Book(id: 3, year: 1))
            batch.set(Book(id: 5, year: 3))
            batch.remove(Book.self, id: 4)
        }
        let change = try #require(changes.all.first)
        #expect(change.changedKeys == [1, 2, 3])
        #expect([1, 2, 3].map { change.oldValue(of: $0) } == [2, 1, nil])
        #expect([1, 2, 3].map { change.value(of: $0) } == [3, nil, 1])
        #expect(change.version == cache.version)
        #expect(counts.value == [1: 3, 3: 1])
        // The number of each group stays the same.
        cache.performBatchUpdates { batch in
            batch.replace(Book(id: 5, year: 1))
            batch.replace(Book(id: 3, year: 3))
        }
        cache.set(Book(id: 1, title: "A"))
        #expect(changes.count == 1)
        withExtendedLifetime(observation) {}
    }

    @Test("The first change includes the commits during the first run")
    func firstChange() {
        let observations = Recorder<Disposable>()
        cache.performBatchUpdates { batch in
            observations.append(counts.observeChanges { [changes] in changes.append($0) })
            batch.set(Book(id: 5, year: 3))
        }
        #expect(changes.all.map(\.changedKeys) == [[3]])
        #expect(changes.all.map { $0.value(of: 3) } == [1])
    }

    @Test("Groups whose keys and values read other entities follow these")
    func joins() {
        let query = cache.query(Book.self)
        let names = query.aggregate(.count) { book, cache in
            book.author.flatMap { cache[$0] }?.name
        }
        let lengths = query.aggregate(
            QueryAggregate(
                of: { book, cache in book.author.flatMap { cache[$0] }?.name.count },
                combining: { $0 + $1 }
            ),
            by: \.year
        )
        let greatest = query.aggregate(
            QueryAggregate(
                of: { book, cache in book.author.flatMap { cache[$0] }?.name },
                combining: { max($0, $1) }
            )
        )
        let least = query.aggregate(
            QueryAggregate(
                of: { book, cache in book.author.flatMap { cache[$0] }?.name.count },
                combining: { min($0, $1) }
            )
        )
        let calls = Recorder<[String: Int]>()
        let tokens = [
            names.observe { calls.append($0) }, lengths.keepCurrent(), greatest.keepCurrent(),
            least.keepCurrent(),
        ]
        #expect(names.value == ["Lem": 2])
        #expect(lengths.value == [1: 3])
        cache.set(Author(id: "lem", name: "S. Lem"))
        #expect(calls.all == [["S. Lem": 2]])
        #expect(lengths.value == [1: 6])
        #expect(greatest.value == "S. Lem")
        #expect(least.value == 6)
        cache.set(Author(id: "other", name: "Other"))
        #expect(calls.count == 1)
        cache.remove(Author.self, id: "lem")
        #expect(calls.all.last == [:])
        #expect(lengths.value == [:])
        #expect(greatest.value == nil)
        withExtendedLifetime(tokens) {}
    }

    @Test("Keys may be optional, and elements whose key is NaN belong to no group")
    func unusualKeys() {
        let query = cache.query(Book.self)
        let optional = query.aggregate(.count) { book -> Int?? in .some(book.year) }
        #expect(optional.value == [1: 2, 2: 1, nil: 1])
        struct Item: CacheEntity {
            let id: Int
            let number: Double
        }
        cache.set(contentsOf: [1, .nan, 0, -0.0].enumerated().map { Item(id: $0, number: $1) })
        let numbers = cache.query(Item.self).aggregate(.count, by: \.number)
        let calls = Recorder<[Double: Int]>()
        let observation = numbers.observe { calls.append($0) }
        #expect(numbers.value == [1: 1, 0: 2])
        cache.replace(Item(id: 0, number: .nan))
        #expect(calls.all == [[0: 2]])
        #expect(numbers[.nan] == nil)
        withExtendedLifetime(observation) {}
    }

    @Test("A sum that isn't a number changes once")
    func sumsThatAreNotNumbers() {
        struct Item: CacheEntity {
            let id: Int
            let number: Double
        }
        cache.set(contentsOf: [Item(id: 1, number: .nan), Item(id: 2, number: 1)])
        let query = cache.query(Item.self)
        let calls = Recorder<Double?>()
        let observations = [
            query.aggregate(.sum(of: \.number)).observe { calls.append($0) },
            query.aggregate(.sum(of: \.number)) { $0.id / 8 }.observe { calls.append($0[0]) },
        ]
        cache.replace(Item(id: 2, number: 5))
        #expect(calls.count == 0)
        cache.remove(Item.self, id: 1)
        #expect(calls.all == [5, 5])
        withExtendedLifetime(observations) {}
    }

    @Test("An aggregate with a part that isn't a number changes with its other parts")
    func partsThatAreNotNumbers() {
        struct Item: CacheEntity {
            let id: Int
            var weight = 1
            let number: Double
        }
        struct Totals: Equatable {
            var weight: Int
            var number: Double
        }
        cache.set(contentsOf: [Item(id: 1, number: .nan), Item(id: 2, number: 1)])
        let totals = QueryAggregate<Item, Totals>(
            of: { Totals(weight: $0.weight, number: $0.number) },
            combining: { Totals(weight: $0.weight + $1.weight, number: $0.number + $1.number) }
        )
        let all = cache.query(Item.self).aggregate(totals)
        let groups = cache.query(Item.self).aggregate(totals) { $0.id / 8 }
        let calls = Recorder<Int?>()
        let observations = [
            all.observe { calls.append($0?.weight) },
            groups.observe { calls.append($0[0]?.weight) },
        ]
        _ = groups.value
        cache.set(Item(id: 3, number: 5))
        cache.set(Item(id: 1, weight: 100, number: .nan))
        #expect(calls.all == [3, 3, 102, 102])
        #expect(all.value?.weight == 102)
        #expect(groups.value[0]?.weight == 102)
        withExtendedLifetime(observations) {}
    }

    @Test("A dictionary that was read before a commit stays as it is")
    func readDictionaries() {
        let token = counts.keepCurrent()
        let old = counts.value
        cache.set(Book(id: 5, year: 3))
        let values = cache.withSnapshot { snapshot in
            cache.remove(Book.self, id: 3)
            return [counts.value, counts.value(in: snapshot), counts.value]
        }
        #expect(old == [1: 2, 2: 1])
        #expect(values == [[1: 2, 3: 1], [1: 2, 2: 1, 3: 1], [1: 2, 3: 1]])
        cache.set(Book(id: 6, year: 6))
        cache.set(Book(id: 7, year: 7))
        #expect(counts.value == [1: 2, 3: 1, 6: 1, 7: 1])
        token.dispose()
        cache.removeAll(Book.self)
        #expect(counts.value == [:])
        let again = counts.keepCurrent()
        #expect(counts.value == [:])
        cache.set(Book(id: 1, year: 1))
        #expect(counts.value == [1: 1])
        again.dispose()
    }

    @Test("A commit combines only the groups that it changes")
    func changedGroupsOnly() {
        let combined = Recorder<Int>()
        let highest = QueryAggregate<Book, Int>(of: \.id) { left, right in
            combined.append(left)
            return max(left, right)
        }
        // A hundred groups of ten books.
        cache.set(contentsOf: (0..<1_000).map { Book(id: $0, year: $0 / 10) })
        let groups = cache.query(Book.self).aggregate(highest, by: \.year)
        let observation = groups.observe { [combined] in combined.append($0.count) }
        let first = groups.value
        combined.removeAll()
        cache.set(Book(id: 1_000, year: 99))
        #expect(groups.value[99] == 1_000)
        // Reading all groups combines 900 times.
        #expect(combined.count < 250)
        #expect(first[99] == 999)
        withExtendedLifetime(observation) {}
    }

    @Test("Changes are a sequence, and can be delivered to an actor")
    @MainActor
    func faces() async {
        var sequence = counts.changes.makeAsyncIterator()
        let keys = Recorder<Set<Int>>()
        let observation = counts.observeChanges(isolation: #isolation) {
            MainActor.preconditionIsolated()
            keys.append($0.changedKeys)
        }
        cache.set(Book(id: 7, year: 7))
        #expect(await sequence.next()?.changedKeys == [7])
        #expect(await until { keys.count > 0 })
        #expect(keys.all == [[7]])
        withExtendedLifetime(observation) {}
    }
}
