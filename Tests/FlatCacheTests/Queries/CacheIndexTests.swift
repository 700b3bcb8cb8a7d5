import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct CacheIndexTests {
    let cache = Cache()

    init() {
        cache.set(contentsOf: [
            Book(id: 1, title: "B", year: 1968, author: "le-guin"),
            Book(id: 2, title: "A", year: 1974, author: "le-guin"),
            Book(id: 3, title: "C", year: 1968, author: "lem"),
            Book(id: 4, title: "D"),
        ])
    }

    private func books(of author: String) -> CachedQuery<Book> {
        cache.query(Book.self).where(Book.byAuthor, equals: Related(author))
    }

    @Test("An index finds the entities with a key, in every state")
    func lookups() {
        #expect(books(of: "le-guin").ids == [1, 2])
        #expect(books(of: "nobody").ids == [])
        cache.withSnapshot { snapshot in
            cache.replace(Book(id: 2, author: "lem"))
            #expect(books(of: "le-guin").ids == [1])
            #expect(books(of: "lem").ids == [2, 3])
            #expect(books(of: "le-guin").ids(in: snapshot) == [1, 2])
        }
        cache.performBatchUpdates { batch in
            batch.set(Book(id: 5, author: "lem"))
            batch.remove(Book.self, id: 3)
            #expect(books(of: "lem").ids(in: batch) == [2, 5])
            #expect(books(of: "lem").ids == [2, 3])
        }
        #expect(books(of: "lem").ids == [2, 5])
    }

    @Test("A range of keys leaves out entities without a key")
    func ranges() {
        let query = cache.query(Book.self)
        #expect(query.where(Book.byYear, in: 1968..<1974).ids == [1, 3])
        #expect(query.where(Book.byYear, in: 1968...1974).ids == [1, 2, 3])
        #expect(query.where(Book.byYear, in: 1969...).ids == [2])
        #expect(query.where(Book.byYear, in: ...1968).ids == [1, 3])
        #expect(query.where(Book.byYear, in: ..<1968).ids == [])
        #expect(query.where(Book.byTitle, in: "B"..."C").ids == [1, 3])
    }

    @Test("A condition that reads entities may precede the condition of an index")
    func readingBeforeIndex() {
        cache.set(Author(id: "lem", name: "Lem"))
        let query = cache.query(Book.self)
            .where { book, cache in book.author.flatMap { cache[$0] }?.name == "Lem" }
            .where(Book.byYear, equals: 1969)
        let token = query.keepCurrent()
        cache.replace(Book(id: 3, year: 1969, author: "lem"))
        #expect(query.ids == [3])
        cache.set(Author(id: "lem", name: "Stanisław Lem"))
        #expect(query.ids == [])
        withExtendedLifetime(token) {}
    }

    @Test("An entity with several of the keys is one row")
    func severalKeys() {
        let query = cache.query(Book.self).where(Book.byDivisors, in: [2, 3])
        let changes = Recorder<[Int]>()
        let observation = query.observeChanges { changes.append($0.ids) }
        #expect(query.ids == [1, 2, 3])
        cache.replace(Book(id: 1, year: 6))
        cache.replace(Book(id: 1, year: 5))
        cache.replace(Book(id: 4, year: 9))
        #expect(changes.all == [[1, 2, 3], [2, 3], [2, 3, 4]])
        withExtendedLifetime(observation) {}
    }

    @Test("An index contains an entity once for each of its different keys")
    func differentKeys() {
        let query = cache.query(Book.self)
        // The divisors of both years are 2, 3, 3, 5 and 2.
        cache.set(Book(id: 30, year: 30))
        #expect(query.where(Book.byDivisors, equals: 7).ids == [])
        cache.set(Book(id: 60, year: 60))
        for divisor in [2, 3, 5] {
            #expect(query.where(Book.byDivisors, equals: divisor).ids.suffix(2) == [30, 60])
        }
        let rows = cache.core.existingIndex(Book.byDivisors)?.rows
        let ids = rows?.ids(in: 0..<(rows?.count ?? 0)) ?? []
        for id in [30, 60] { #expect(ids.filter { $0 == id }.count == 3) }
    }

    @Test("A query that has ended isn't retained by the index of its condition, nor by its reads")
    func endedQueries() {
        weak var indexed: AnyObject?
        weak var reading: AnyObject?
        do {
            let query = cache.query(Book.self).where(Book.byAuthor, equals: Related("lem"))
            indexed = query.live
            query.keepCurrent().dispose()
            let other = cache.query(Book.self).where { $1.get(Author.self, id: "lem") == nil }
            reading = other.live
            other.keepCurrent().dispose()
        }
        #expect(indexed == nil)
        #expect(reading == nil)
    }

    @Test("A query reads only the entities that its index finds")
    func narrowing() {
        let reads = Recorder<Int>()
        let index = CacheIndex<Book, Int>("year", \.year)
        func query() -> CachedQuery<Book> {
            cache.query(Book.self).where(index, in: 1970...).where { book in
                reads.append(book.id)
                return true
            }
        }
        #expect(query().ids == [2])
        // The first run makes the index, and uses it.
        #expect(reads.all == [2])
        let query = query().where(Book.byAuthor, equals: Related("le-guin"))
        #expect(query.ids == [2])
    }

    @Test("A write reaches only the queries whose keys it touches")
    func routing() {
        let reads = Recorder<Int>()
        let queries = (0..<100).map { number in
            cache.query(Book.self)
                .where { _ in
                    reads.append(number)
                    return true
                }
                .where(Book.byAuthor, equals: Related("\(number)"))
        }
        let tokens = queries.map { $0.keepCurrent() }
        cache.set(Book(id: 10, author: "7"))
        reads.removeAll()
        cache.replace(Book(id: 10, author: "8"))
        #expect(Set(reads.all) == [7, 8])
        #expect(queries[7].ids == [])
        #expect(queries[8].ids == [10])
        reads.removeAll()
        cache.set(Book(id: 11, author: "lem"))
        #expect(reads.all == [])
        // A query that has the keys of both values is evaluated once with each of these.
        let pair = cache.query(Book.self)
            .where { _ in
                reads.append(100)
                return true
            }
            .where(Book.byAuthor, in: [Related("lem"), Related("none")])
        let token = pair.keepCurrent()
        reads.removeAll()
        cache.replace(Book(id: 11, author: "none"))
        #expect(reads.all == [100, 100])
        withExtendedLifetime((tokens, token)) {}
    }

    @Test("A declared index exists before the first entity, and equal names share one")
    func declaring() {
        var configuration = CacheConfiguration()
        configuration.index(Book.byAuthor)
        let cache = Cache(configuration: configuration)
        #expect(cache.count(of: QueryState<Book, NoPayload>.self) == 1)
        cache.set(Book(id: 1, author: "lem"))
        let same = CacheIndex<Book, Related<Author>>("author") { $0.author }
        #expect(cache.query(Book.self).where(same, equals: Related("lem")).ids == [1])
        #expect(cache.count(of: QueryState<Book, NoPayload>.self) == 1)
    }

    @Test("An index of any name finds its queries beside projections of entities")
    func names() {
        struct Node: CacheEntity, Equatable {
            let id: Int
            var parent: Int?
            var title = ""
        }
        let index = CacheIndex("identifier", \Node.parent)
        for isQueryFirst in [true, false] {
            let cache = Cache()
            cache.set(Node(id: 1))
            let children = cache.query(Node.self).where(index, equals: 1)
            let title = cache.cached(Node.self, id: 1).map { node, _ in node.title }
            let first = isQueryFirst ? children.keepCurrent() : title.keepCurrent()
            let calls = Recorder<String?>()
            let observation = title.observe { calls.append($0) }
            let token = children.keepCurrent()
            cache.set(Node(id: 1, title: "root"))
            #expect(title.value == "root")
            #expect(calls.all == ["root"])
            cache.set(Node(id: 2, parent: 1))
            #expect(children.ids == [2])
            withExtendedLifetime((first, observation, token)) {}
        }
    }

    @Test("Keys that can't be compared are found although their hash values may be equal")
    func collisions() {
        struct Key: Hashable, Sendable {
            let number: Int
            func hash(into hasher: inout Hasher) { hasher.combine(number % 2) }
        }
        let index = CacheIndex<Book, Key>("key") { Key(number: $0.id) }
        for id in 1...4 {
            #expect(cache.query(Book.self).where(index, equals: Key(number: id)).ids == [id])
        }
    }

    @Test("An index made in a batch is used after it")
    func makingInABatch() {
        cache.performBatchUpdates { batch in
            batch.set(Book(id: 5, author: "lem"))
            #expect(books(of: "lem").ids(in: batch) == [3, 5])
        }
        cache.core.checkInvariants()
        #expect(books(of: "lem").ids == [3, 5])
        #expect(cache.count(of: QueryState<Book, NoPayload>.self) == 1)
    }

    @Test("A cache with an index is deallocated")
    func releasing() {
        weak var core: CacheCore?
        do {
            let cache = Cache()
            core = cache.core
            cache.set(Book(id: 1, author: "lem"))
            #expect(
                cache.query(Book.self).where(Book.byAuthor, equals: Related("lem")).ids == [1]
            )
        }
        #expect(core == nil)
    }
}
