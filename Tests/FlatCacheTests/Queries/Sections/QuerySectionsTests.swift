import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct QuerySectionsTests {
    let cache = Cache()
    let changes = Recorder<QuerySectionsChange<Int, Book, Book>>()

    /// Years 1 and 2, and a book without a year.
    init() {
        cache.set(contentsOf: [
            Book(id: 1, title: "A", year: 1, author: "lem"), Book(id: 2, title: "B", year: 1),
            Book(id: 3, title: "C", year: 2, author: "lem"), Book(id: 4, title: "D"),
        ])
        cache.set(Author(id: "lem", name: "Lem"))
    }

    private func observe(_ sections: QuerySections<Int, Book, Book>) -> Disposable {
        sections.observeChanges { [changes] in changes.append($0) }
    }

    @Test("Sections are in the order of their keys, the one without a key at the end")
    func order() {
        let query = cache.query(Book.self).sorted(by: \.title, .descending)
        let years = query.sections(by: \.year)
        #expect(years.keys == [1, 2, nil])
        #expect(years.value.map { $0.elements.map(\.id) } == [[2, 1], [3], [4]])
        #expect(years[1].map(\.id) == [2, 1])
        #expect(years[nil].map(\.id) == [4])
        #expect(years[3].isEmpty)
        #expect(query.sections(by: \.year, .descending).keys == [2, 1, nil])
        #expect(query.sections(by: \.year, .descending)[2].map(\.id) == [3])
    }

    @Test("A change contains the differences of the sections and of the elements in each")
    func differences() throws {
        let observation = observe(cache.query(Book.self).sections(by: \.year))
        cache.performBatchUpdates { batch in
            batch.remove(Book.self, id: 2)
            batch.replace(Book(id: 3, title: "C", year: 1))
            batch.replace(Book(id: 4, title: "D", year: 0))
            batch.set(Book(id: 5))
        }
        let change = try #require(changes.all.first)
        #expect(change.oldKeys == [1, 2, nil])
        #expect(change.keys == [0, 1, nil])
        #expect(change.difference.count == 2)
        #expect([1, 2, nil].applying(change.difference) == [0, 1, nil])
        try #require(change.sections.map(\.key) == [1, nil])
        let (first, last) = (change.sections[0], change.sections[1])
        #expect([first.oldIndex, first.index, last.oldIndex, last.index] == [0, 1, 2, 2])
        #expect([1, 2].applying(first.difference) == [1, 3])
        #expect([4].applying(last.difference) == [5])
        #expect(change.ids(ofSection: 0) == [4])
        #expect(change.oldIDs(ofSection: 1) == [1, 2])
        #expect(change.hasNewOrder)
        #expect(change.changedIDs == [3, 4])
        withExtendedLifetime(observation) {}
    }

    @Test("An element that changes its section, but not its place among all, is a change")
    func sectionsWithoutMoves() throws {
        let observation = observe(cache.query(Book.self).sections(by: \.year))
        cache.set(Book(id: 2, year: 2))
        let change = try #require(changes.all.first)
        #expect(change.difference.isEmpty)
        try #require(change.sections.map(\.difference.count) == [1, 1])
        #expect([3].applying(change.sections[1].difference) == [2, 3])
        #expect(change.sections.allSatisfy { $0.changedIDs.isEmpty })
        withExtendedLifetime(observation) {}
    }

    @Test("A changed element of an unchanged order belongs to the changed elements of its section")
    func updates() throws {
        let observation = observe(cache.query(Book.self).sections(by: \.year))
        cache.set(Book(id: 3, title: "Z"))
        let change = try #require(changes.all.first)
        #expect(!change.hasNewOrder)
        #expect(change.sections.map(\.key) == [2])
        #expect(change.sections.map(\.changedIDs) == [[3]])
        withExtendedLifetime(observation) {}
    }

    @Test("Moves inside a section can be inferred from its difference")
    func moves() throws {
        let query = cache.query(Book.self).sorted(by: \.title)
        let observation = observe(query.sections(by: \.year))
        cache.set(Book(id: 1, title: "Z"))
        let section = try #require(changes.all.first?.sections.first)
        let moves = section.difference.inferringMoves()
        #expect(moves.removals.count == 1 && moves.insertions.count == 1)
        guard case .insert(1, 1, associatedWith: 0)? = moves.insertions.first else {
            Issue.record("\(moves)")
            return
        }
        withExtendedLifetime(observation) {}
    }

    @Test("Sections whose keys read other entities follow these")
    func joins() {
        let sections = cache.query(Book.self).sections { book, cache in
            book.author.flatMap { cache[$0] }?.name
        }
        let changes = Recorder<QuerySectionsChange<String, Book, Book>>()
        let values = Recorder<[String?]>()
        let observations = [
            sections.observeChanges { changes.append($0) },
            sections.observe { values.append($0.map(\.key)) },
        ]
        #expect(sections["Lem"].map(\.id) == [1, 3])
        // The order of all elements stays the same.
        cache.set(Author(id: "lem", name: "Stanisław Lem"))
        #expect(changes.all.map(\.keys) == [["Stanisław Lem", nil]])
        #expect(changes.all.map { $0.ids(ofSection: "Stanisław Lem") } == [[1, 3]])
        cache.remove(Author.self, id: "lem")
        #expect(values.all == [["Stanisław Lem", nil], [nil]])
        #expect(changes.all.last?.sections.map(\.index) == [0])
        cache.set(Author(id: "other", name: "Other"))
        #expect(changes.count == 2)
        withExtendedLifetime(observations) {}
    }

    @Test("Elements whose key is NaN have no key")
    func missingNumbers() {
        struct Item: CacheEntity {
            let id: Int
            let number: Double?
        }
        for (id, number) in [1, .nan, nil, -0.0, 0, .nan].enumerated() {
            cache.set(Item(id: id, number: number))
        }
        let sections = cache.query(Item.self).sections(by: \.number)
        #expect(sections.keys == [0, 1, nil])
        #expect(sections.value.map { $0.elements.map(\.id) } == [[3, 4], [0], [1, 2, 5]])
        #expect(sections[.nan].isEmpty)
        let token = sections.keepCurrent()
        cache.replace(Item(id: 0, number: .nan))
        #expect(sections.value.map { $0.elements.map(\.id) } == [[3, 4], [0, 1, 2, 5]])
        token.dispose()
    }

    @Test("A limit may divide a section")
    func windows() throws {
        let observation = observe(cache.query(Book.self).offset(1).limit(2).sections(by: \.year))
        cache.set(Book(id: 5, year: 0))
        let change = try #require(changes.all.first)
        #expect(change.oldIDs(ofSection: 1) == [2])
        #expect(change.ids(ofSection: 1) == [1, 2])
        #expect([1, 2].applying(change.difference) == [1])
        #expect(change.sections.map(\.key) == [1])
        cache.set(Book(id: 4, title: "E"))
        #expect(changes.count == 1)
        withExtendedLifetime(observation) {}
    }

    @Test("A value that was read before a commit stays as it is")
    func readValues() {
        let sections = cache.query(Book.self).sections(by: \.year)
        let token = sections.keepCurrent()
        let old = sections.value
        cache.set(Book(id: 6, year: 2))
        cache.set(Book(id: 1, title: "Z"))
        let values = cache.withSnapshot { snapshot in
            cache.remove(Book.self, id: 1)
            return [sections.value, sections.value(in: snapshot)]
        }
        #expect(old.map { $0.elements.map(\.id) } == [[1, 2], [3], [4]])
        #expect(values.map { $0.map { $0.elements.count } } == [[1, 2, 1], [2, 2, 1]])
        #expect(values[1].first?.elements.first?.title == "Z")
        token.dispose()
    }

    @Test("Changes are a sequence, and can be delivered to an actor")
    @MainActor
    func faces() async {
        let sections = cache.query(Book.self).sections(by: \.year)
        var sequence = sections.changes.makeAsyncIterator()
        let keys = Recorder<[Int?]>()
        let observation = sections.observeChanges(isolation: #isolation) {
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
