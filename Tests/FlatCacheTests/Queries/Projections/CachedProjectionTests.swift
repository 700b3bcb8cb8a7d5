import Observation
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct CachedProjectionTests {
    let cache = Cache()

    init() {
        cache.set(contentsOf: [
            Book(id: 1, title: "A", year: 1, author: "le-guin"),
            Book(id: 2, title: "B", year: 2, author: "le-guin"),
            Book(id: 3, title: "C", year: 1, author: "lem"),
        ])
        cache.set(contentsOf: [
            Author(id: "le-guin", name: "Le Guin"), Author(id: "lem", name: "L"),
        ])
    }

    @Test("A row is computed again only when it may have changed")
    func rowsOneByOne() {
        let computed = Recorder<Int>()
        let rows = cache.query(Book.self).map { book, cache in
            computed.append(book.id)
            return "\(book.title ?? "") by \(book.author.flatMap { cache[$0] }?.name ?? "")"
        }
        let calls = Recorder<[String]>()
        let observation = rows.observe { calls.append($0) }
        computed.removeAll()
        cache.set(Author(id: "lem", name: "Lem"))
        #expect(calls.all == [["A by Le Guin", "B by Le Guin", "C by Lem"]])
        // Before and after the commit.
        #expect(computed.all == [3, 3])
        // A change that leaves the row equal isn't a change of the row.
        cache.set(Book(id: 3, year: 7))
        #expect(calls.count == 1)
        #expect(rows.value == calls.all.last)
        withExtendedLifetime(observation) {}
    }

    @Test("An entity whose output is nil counts as no entity")
    func missingOutputs() {
        let author = cache.cached(Book.self, id: 4).map { $0.author }
        let values = Recorder<Related<Author>?>()
        let changes = Recorder<ValueChange<Related<Author>?>>()
        let observations = [
            author.observe { values.append($0) }, author.observeChanges { changes.append($0) },
        ]
        cache.set(Book(id: 4))
        cache.remove(Book.self, id: 4)
        #expect(values.all == [] && changes.count == 0)
        cache.set(Book(id: 4, author: "lem"))
        cache.remove(Book.self, id: 4)
        #expect(values.all == [Related("lem"), nil] && changes.count == 2)
        withExtendedLifetime(observations) {}
    }

    @Test("An aggregate's observers are called only if the value changes")
    func aggregates() {
        let counts = cache.query(Book.self).aggregate(.count, by: \.author)
        let latest = cache.query(Book.self).aggregate(.max(of: \.year))
        let calls = Recorder<String>()
        let observations = [
            counts.observe { calls.append("\($0.count) authors") },
            latest.observe { calls.append("\($0 ?? 0)") },
        ]
        cache.set(Book(id: 1, title: "D"))
        #expect(calls.all == [])
        cache.replace(Book(id: 3, year: 9))
        #expect(calls.all == ["1 authors", "9"])
        cache.performBatchUpdates { batch in
            batch.replace(Book(id: 4, year: 9, author: "le-guin"))
            batch.remove(Book.self, id: 2)
        }
        #expect(calls.count == 2)
        cache.removeAll()
        #expect(calls.all.suffix(2) == ["0 authors", "0"])
        withExtendedLifetime(observations) {}
    }

    @Test("Sums and custom aggregates follow the elements")
    func sums() {
        let query = cache.query(Book.self)
        #expect(query.aggregate(.sum(of: \.year)).value == 4)
        #expect(query.aggregate(.min(of: \.year)).value == 1)
        #expect(query.aggregate(.count).value == 3)
        #expect(query.where { $0.id > 9 }.aggregate(.count).value == nil)
        let sums = query.aggregate(.sum(of: \.year), by: \.author).value
        #expect(sums == [Related("le-guin"): 3, Related("lem"): 1])
        let titles = QueryAggregate<Book, String>(of: \.title) { $0 + $1 }
        #expect(query.sorted(by: \.title, .descending).aggregate(titles).value == "CBA")
    }

    @Test("Groups of any size are combined in the order of their elements")
    func groupSizes() {
        let cache = Cache()
        // As many books of each year as its number, and some of no year.
        let years = (1...40).flatMap { Array(repeating: Int?($0), count: $0) } + [nil, nil]
        cache.set(contentsOf: years.enumerated().map { Book(id: $0, year: $1) })
        func expected() -> [Int: String] {
            let books = cache.values(of: Book.self).sorted { $0.id > $1.id }
            let known = Dictionary(grouping: books.filter { $0.year != nil }) { $0.year ?? 0 }
            return known.mapValues { $0.map { "\($0.id) " }.joined() }
        }
        let join = QueryAggregate<Book, String>(of: { "\($0.id) " }, combining: +)
        let query = cache.query(Book.self).sorted(by: \.id, .descending)
        let groups = query.aggregate(join, by: \.year)
        #expect(groups.value == expected())
        let calls = Recorder<[Int: String]>()
        let observation = groups.observe { calls.append($0) }
        for id in stride(from: 0, to: years.count, by: 7) {
            cache.replace(Book(id: id, year: id % 50))
            #expect(calls.all.last == expected())
        }
        let count = calls.count
        cache.set(Book(id: 5, title: "New"))
        cache.replace(Book(id: years.count))
        #expect(calls.count == count)
        withExtendedLifetime(observation) {}
    }

    @Test("Groups whose keys have equal hash values stay apart")
    func collisions() {
        struct Key: Hashable, Sendable {
            let number: Int
            func hash(into hasher: inout Hasher) {}
        }
        let counts = cache.query(Book.self).aggregate(.count) { $0.year.map(Key.init) }
        let token = counts.keepCurrent()
        #expect(counts.value == [Key(number: 1): 2, Key(number: 2): 1])
        cache.replace(Book(id: 3, year: 2))
        #expect(counts.value == [Key(number: 1): 1, Key(number: 2): 2])
        token.dispose()
    }

    @Test("A projection of a handle follows its entity and those that it reads, and no other")
    func handles() {
        let computed = Recorder<Int>()
        let line = cache.cached(Book.self, id: 1).map { book, cache in
            computed.append(book.id)
            return book.author.flatMap { cache[$0] }?.name
        }
        let calls = Recorder<String?>()
        let observation = line.observe(initial: true) { calls.append($0) }
        computed.removeAll()
        cache.set(Book(id: 2, title: "D"))
        #expect(computed.all == [])
        cache.set(Author(id: "le-guin", name: "Ursula"))
        cache.remove(Book.self, id: 1)
        #expect(calls.all == ["Le Guin", "Ursula", nil])
        withExtendedLifetime(observation) {}
    }

    @Test("A projection is an observable object and a sequence, too")
    func faces() async {
        let counts = cache.query(Book.self).aggregate(.count, by: \.author)
        let observable = Observed(counts, delivery: .inline)
        let notices = Recorder<Int>()
        withObservationTracking {
            #expect(observable.value[Related("lem")] == 1)
        } onChange: {
            notices.append(1)
        }
        var values = counts.values.makeAsyncIterator()
        #expect(await values.next()?[Related("lem")] == 1)
        cache.remove(Book.self, id: 3)
        #expect(notices.count == 1)
        #expect(await values.next() == [Related("le-guin"): 2])
    }

    @Test("A change of freshness alone computes no row again")
    func freshnessOfReadEntities() {
        let computed = Recorder<Int>()
        let rows = cache.query(Book.self).map { book, cache in
            computed.append(book.id)
            return book.author.flatMap { cache[$0] }?.name
        }
        let token = rows.keepCurrent()
        computed.removeAll()
        cache.invalidate(Author.self, id: "le-guin")
        cache.set(Author(id: "le-guin", name: "Le Guin"))
        cache.invalidate(Author.self)
        cache.set(Author(id: "le-guin", name: "Le Guin"))
        #expect(computed.all == [])
        cache.set(Author(id: "le-guin", name: "Ursula K. Le Guin"))
        #expect(Set(computed.all) == [1, 2])
        cache.invalidate(Author.self)
        cache.remove(Author.self, id: "lem")
        #expect(rows.value == ["Ursula K. Le Guin", "Ursula K. Le Guin", nil])
        withExtendedLifetime(token) {}
    }

    @Test("The least and the greatest value are numbers if there are any, wherever others are")
    func extremesAmongValuesThatAreNotNumbers() {
        struct Item: CacheEntity {
            let id: Int
            let number: Double
        }
        let query = cache.query(Item.self)
        let least = query.aggregate(.min(of: \.number))
        let greatest = query.aggregate(.max(of: \.number))
        let tokens = [least.keepCurrent(), greatest.keepCurrent()]
        cache.set(contentsOf: (0..<300).map { Item(id: $0, number: .nan) })
        #expect(least.value?.isNaN == true)
        for id in (0..<300).map({ $0 * 7 % 300 }) {
            cache.set(Item(id: id, number: id % 3 == 0 ? .nan : Double(id)))
            let numbers = cache.values(of: Item.self).map(\.number).filter { !$0.isNaN }
            guard let expected = numbers.min(), let last = numbers.max() else { continue }
            #expect(least.value == expected)
            #expect(greatest.value == last)
        }
        #expect(query.aggregate(.min(of: \.number)).value == 1)
        withExtendedLifetime(tokens) {}
    }

    @MainActor
    @Test("The observing method with an isolation calls on the actor")
    func isolation() async {
        let values = Recorder<Int?>()
        let latest = cache.query(Book.self).aggregate(.max(of: \.year))
        let observation = latest.observe(isolation: #isolation, initial: true) {
            MainActor.preconditionIsolated()
            values.append($0)
        }
        #expect(await until { values.count >= 1 })
        cache.set(Book(id: 9, year: 10))
        #expect(await until { values.count >= 2 })
        #expect(values.all == [2, 10])
        withExtendedLifetime(observation) {}
    }
}
