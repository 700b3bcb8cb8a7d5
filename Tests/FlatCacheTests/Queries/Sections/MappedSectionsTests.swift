import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct MappedSectionsTests {
    let cache = Cache()
    let changes = Recorder<QuerySectionsChange<Int, Book, String>>()

    /// Years 1 and 2, and a book without a year.
    init() {
        cache.set(contentsOf: [
            Book(id: 1, title: "A", year: 1, author: "lem"), Book(id: 2, title: "B", year: 1),
            Book(id: 3, title: "C", year: 2, author: "lem"), Book(id: 4, title: "D"),
        ])
        cache.set(Author(id: "lem", name: "Lem"))
    }

    private func rows(
        _ query: (CachedQuery<Book>) -> CachedQuery<Book> = { $0 },
        _ direction: SortDirection = .ascending
    ) -> QuerySections<Int, Book, String> {
        query(cache.query(Book.self).sorted(by: \.title)).sections(by: \.year, direction).map {
            book,
            cache in
            "\(book.title ?? "") by \(book.author.flatMap { cache[$0] }?.name ?? "someone")"
        }
    }

    private func observe(_ rows: QuerySections<Int, Book, String>) -> Disposable {
        rows.observeChanges { [changes] in changes.append($0) }
    }

    @Test("Sections have rows in place of the elements, current or not")
    func reading() {
        let (rows, descending) = (rows(), rows({ $0 }, .descending))
        for tokens in [[], [rows.keepCurrent(), descending.keepCurrent()]] {
            #expect(rows.keys == [1, 2, nil])
            #expect(rows[1] == ["A by Lem", "B by someone"])
            #expect(rows[3].isEmpty)
            #expect(rows.value.map(\.key) == [1, 2, nil])
            #expect(rows.value.map(\.elements.count) == [2, 1, 1])
            #expect(descending.keys == [2, 1, nil])
            #expect(descending[nil] == ["D by someone"])
            withExtendedLifetime(tokens) {}
        }
    }

    @Test("A change contains the differences of the sections and the rows of each")
    func differences() throws {
        let rows = rows()
        let observation = observe(rows)
        #expect(rows.value.count == 3)
        cache.performBatchUpdates { batch in
            batch.remove(Book.self, id: 2)
            batch.set(Book(id: 3, year: 1))
            batch.set(Book(id: 4, year: 0))
        }
        let change = try #require(changes.all.first)
        #expect(change.oldKeys == [1, 2, nil])
        #expect(change.keys == [0, 1])
        #expect([1, 2, nil].applying(change.difference) == [0, 1])
        try #require(change.sections.map(\.key) == [1])
        #expect([1, 2].applying(change.sections[0].difference) == [1, 3])
        #expect(change.oldIDs(ofSection: 1) == [1, 2])
        #expect(change.ids(ofSection: 1) == [1, 3])
        #expect(change.rows(ofSection: 1) == ["A by Lem", "C by Lem"])
        #expect(change.rows(ofSection: 0) == ["D by someone"])
        #expect(change.hasNewOrder)
        #expect(change.changedIDs == [3, 4])
        #expect(change.version == cache.version)
        #expect(rows.value.map(\.elements) == [["D by someone"], ["A by Lem", "C by Lem"]])
        withExtendedLifetime(observation) {}
    }

    @Test("A change of a read entity changes its rows, and equal rows aren't a change")
    func updates() throws {
        let rows = rows()
        let observation = observe(rows)
        cache.set(Author(id: "lem", name: "S. Lem"))
        let change = try #require(changes.all.first)
        #expect(!change.hasNewOrder)
        #expect(change.changedIDs == [1, 3])
        #expect(change.sections.map(\.key) == [1, 2])
        #expect(change.sections.map(\.changedIDs) == [[1], [3]])
        #expect(change.rows(ofSection: 2) == ["C by S. Lem"])
        cache.set(Book(id: 1, sequel: 2))
        cache.set(Author(id: "other", name: "Other"))
        #expect(changes.count == 1)
        withExtendedLifetime(observation) {}
    }

    @Test("The section's key and a limit may divide the rows")
    func windows() throws {
        let rows = rows { $0.limit(2) }
        let observation = observe(rows)
        cache.set(Book(id: 5, title: "AA", year: 1))
        let change = try #require(changes.all.first)
        #expect(change.rows(ofSection: 1) == ["A by Lem", "AA by someone"])
        #expect(rows.value.map(\.elements.count) == [2])
        withExtendedLifetime(observation) {}
    }

    @Test("Keys that read other entities place the rows in the same commit")
    func joins() {
        let names = cache.query(Book.self)
            .sections { book, cache in book.author.flatMap { cache[$0] }?.name }
            .map { book, _ in book.id }
        let token = names.keepCurrent()
        #expect(names["Lem"] == [1, 3])
        cache.set(Author(id: "lem", name: "S. Lem"))
        #expect(names.keys == ["S. Lem", nil])
        #expect(names["S. Lem"] == [1, 3])
        withExtendedLifetime(token) {}
    }

    @Test("Changes are a sequence, and can be delivered to an actor")
    @MainActor
    func faces() async {
        let rows = rows()
        var sequence = rows.changes.makeAsyncIterator()
        let keys = Recorder<[Int?]>()
        let observation = rows.observeChanges(isolation: #isolation) {
            MainActor.preconditionIsolated()
            keys.append($0.keys)
        }
        cache.set(Book(id: 7, year: 7))
        #expect(await sequence.next()?.keys == [1, 2, 7, nil])
        #expect(await until { keys.count > 0 })
        #expect(keys.all == [[1, 2, 7, nil]])
        withExtendedLifetime(observation) {}
    }
}
