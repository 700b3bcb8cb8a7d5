import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct CachedQueryTests {
    let cache = Cache()

    init() {
        cache.set(contentsOf: [
            Book(id: 1, title: "B", year: 1968, author: "le-guin"),
            Book(id: 2, title: "A", year: 1974, author: "le-guin"),
            Book(id: 3, title: "C", year: 1968, author: "lem"),
            Book(id: 4, title: "D"),
        ])
    }

    @Test("Without conditions and order, the elements are in the order of their identifiers")
    func everything() {
        #expect(cache.query(Book.self).ids == [1, 2, 3, 4])
    }

    @Test("Key paths and closures narrow and order; nil comes last in both directions")
    func keyPaths() {
        let query = cache.query(Book.self)
        #expect(query.where(\.isUndated).ids == [4])
        #expect(query.sorted(by: \.year).then(by: \.title, .descending).ids == [3, 1, 2, 4])
        #expect(query.sorted(by: \.year, .descending).then(by: \.title).ids == [2, 1, 3, 4])
        #expect(query.sorted { $0.title }.ids == [2, 1, 3, 4])
        #expect(query.sorted(by: \.title).sorted(by: \.year).ids == [1, 3, 2, 4])
    }

    @Test("A window shows a part of the ordered result")
    func windows() {
        let query = cache.query(Book.self).sorted(by: \.title)
        #expect(query.limit(2).ids == [2, 1])
        #expect(query.offset(1).limit(2).ids == [1, 3])
        #expect(query.offset(9).ids == [])
        #expect(query.limit(0).count == 0)
        #expect(query.offset(1)[0...].map(\.id) == [1, 3, 4])
        #expect(query.offset(1).limit(2)[1..<9].map(\.id) == [3])
        #expect(query.offset(1).index(ofID: 2) == nil)
        #expect(query.offset(1).index(ofID: 1) == 0)
    }

    @Test("Each kind of range leaves out positions beyond the end")
    func rangesBeyondTheEnd() {
        let query = cache.query(Book.self)
        #expect(query[0..<9].count == 4)
        #expect(query[0...9].count == 4)
        #expect(query[...9].count == 4)
        #expect(query[..<9].count == 4)
        #expect(query[3...].map(\.id) == [4])
        #expect(query[9...] == [])
        #expect(query[7...9] == [])
        #expect(query[1...2].map(\.id) == [2, 3])
        #expect(query[2...Int.max].count == 2)
        #expect(query[...Int.max].count == 4)
        #expect(query[..<0] == [])
    }

    @Test("Identifiers that can't be compared have an order, too")
    func incomparableIdentifiers() throws {
        struct ID: Hashable, Sendable { let number: Int }
        struct Item: CacheEntity { let id: ID }
        cache.set(contentsOf: (0..<50).map { Item(id: ID(number: $0)) })
        let query = cache.query(Item.self)
        let token = query.keepCurrent()
        let ids = query.ids
        try #require(Set(ids).count == 50)
        cache.remove(Item.self, id: ids[20])
        #expect(query.ids == Array(ids[..<20] + ids[21...]))
        withExtendedLifetime(token) {}
    }

    @Test("A query costs nothing unless it's held")
    func unheldQueryKeepsNoState() {
        let query = cache.query(Book.self)
        #expect(query.count == 4)
        #expect(cache.core.writer.participants.derivers.isEmpty)
        let tokens = [query.keepCurrent(), query.observe { _ in }]
        #expect(cache.count(of: QueryState<Book, NoPayload>.self) == 1)
        tokens[0].dispose()
        #expect(cache.count(of: QueryState<Book, NoPayload>.self) == 1)
        tokens[1].dispose()
        #expect(cache.count(of: QueryState<Book, NoPayload>.self) == 0)
        #expect(query.live.rows.count == 0)
        let version = cache.version
        cache.set(Book(id: 1, title: "E"))
        #expect(cache.version == version + 1)
        #expect(query.elements.first?.title == "E")
        let again = query.keepCurrent()
        #expect(cache.count(of: QueryState<Book, NoPayload>.self) == 1)
        again.dispose()
    }

    @Test("Neither pruning nor removing everything removes the result of a query")
    func hiddenState() {
        let query = cache.query(Book.self)
        let token = query.keepCurrent()
        cache.pruneUnobservedValues()
        #expect(query.ids == [])
        cache.set(Book(id: 7))
        cache.removeAll()
        cache.set(Book(id: 8))
        #expect(query.ids == [8])
        #expect(cache.count(of: QueryState<Book, NoPayload>.self) == 1)
        withExtendedLifetime(token) {}
    }

    @Test("A query pins its elements if it was created to")
    func pinning() {
        var configuration = CacheConfiguration(clock: SleeplessClock())
        configuration.limit(Book.self, .count(2))
        let cache = Cache(configuration: configuration)
        let query = cache.query(Book.self, pinsElements: true).where { $0.year == 1968 }
        let token = query.keepCurrent()
        cache.set(contentsOf: [Book(id: 1, year: 1968), Book(id: 2, year: 1968)])
        for id in 5...9 { cache.set(Book(id: id)) }
        #expect(query.ids == [1, 2])
        token.dispose()
        for id in 5...9 { cache.set(Book(id: id)) }
        #expect(query.ids == [])
    }

    @Test("A query with a limit pins the elements that it shows, and no others")
    func pinningAWindow() {
        let query = cache.query(Book.self, pinsElements: true).sorted(by: \.year)
        let token = query.limit(2).keepCurrent()
        cache.removeAll(Book.self)
        cache.set(contentsOf: (1...8).map { Book(id: $0, year: 2000 + $0) })
        cache.trim(to: .count(0))
        #expect(query.ids == [1, 2])
        // The element that enters the window is pinned, and the one that leaves it isn't.
        cache.set(Book(id: 9, year: 2000))
        cache.trim(to: .count(0))
        #expect(query.ids == [9, 1])
        token.dispose()
        cache.trim(to: .count(0))
        #expect(query.ids == [])
        cache.core.checkInvariants()
    }

    @Test("Pruning keeps the elements that a query pins, until it's no longer kept current")
    func pruningPinnedElements() {
        let query = cache.query(Book.self, pinsElements: true).sorted(by: \.year)
        let window = query.limit(1)
        let other = cache.query(Book.self)
        let tokens = [window.keepCurrent(), other.keepCurrent()]
        let shown = window.ids
        #expect(cache.pruneUnobservedValues() == 3)
        #expect(query.ids == shown)
        #expect(shown.count == 1)
        for token in tokens { token.dispose() }
        #expect(cache.pruneUnobservedValues() == 1)
        #expect(query.ids == [])
    }

    @Test(
        "A commit of thousands of values reaches the results in parts"
    )
    func largeCommits() {
        let cache = Cache()
        let query = cache.query(Book.self).where { $0.year != 3 }.sorted(by: \.year)
        let counts = query.aggregate(.count, by: \.year)
        let tokens = [query.keepCurrent(), counts.keepCurrent()]
        cache.set(contentsOf: (0..<3_000).map { Book(id: $0, year: $0 * 7 % 1_000) })
        #expect(query.elements.map(\.year) == (0..<3_000).map { $0 / 3 }.filter { $0 != 3 })
        #expect(counts.value.count == 999)
        cache.performBatchUpdates { batch in
            for id in 0..<1_500 { batch.replace(Book(id: id, year: 3_000 - id)) }
            for id in 1_500..<2_500 { batch.remove(Book.self, id: id) }
        }
        let books = cache.values(of: Book.self).sorted {
            ($0.year ?? 0, $0.id) < ($1.year ?? 0, $1.id)
        }
        #expect(query.count == 2_000)
        #expect(query.ids == books.map(\.id))
        #expect(counts.value == Dictionary(grouping: books) { $0.year ?? 0 }.mapValues(\.count))
        withExtendedLifetime(tokens) {}
    }

    @Test("After its cache has been deallocated, a query is empty")
    func deallocatedCache() {
        var other: Cache? = Cache()
        other?.set(Book(id: 1))
        let query = other?.query(Book.self)
        let calls = Recorder<[Int]>()
        let token = query?.observe { calls.append($0.map(\.id)) }
        weak let core = other?.core
        other = nil
        #expect(query?.ids == [])
        #expect(query?.count == 0)
        #expect(calls.count == 0)
        #expect(core?.writer.participants.derivers.isEmpty == true)
        withExtendedLifetime(token) {}
    }

    @Test("Queries keep nothing alive after their cache and their tokens")
    func releasing() {
        weak var core: CacheCore?
        do {
            let cache = Cache()
            core = cache.core
            let query = cache.query(Book.self, sharingKey: 1).where { book, cache in
                book.author.map { cache[$0] != nil } ?? true
            }
            let token = query.keepCurrent()
            cache.set(Book(id: 1, author: "le-guin"))
            token.dispose()
        }
        #expect(core == nil)
    }
}

extension Book {
    var isUndated: Bool { year == nil }
}
