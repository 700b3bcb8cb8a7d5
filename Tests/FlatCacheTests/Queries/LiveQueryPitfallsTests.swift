import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests of cases in which other implementations of live queries have failed.
struct LiveQueryPitfallsTests {
    let cache = Cache()
    let changes = Recorder<QueryChange<Book>>()

    private func observe(_ query: CachedQuery<Book>) -> Disposable {
        query.observeChanges { [changes] in changes.append($0) }
    }

    @Test("A row moves without a change of membership")
    func move() throws {
        cache.set(contentsOf: (1...3).map { Book(id: $0, year: $0) })
        let observation = observe(cache.query(Book.self).sorted(by: \.year))
        cache.replace(Book(id: 1, year: 9))
        let change = try #require(changes.all.last)
        #expect(change.oldIDs == [1, 2, 3])
        #expect(change.ids == [2, 3, 1])
        #expect(change.difference.count == 2)
        // A new key at the same place changes the row, but not the order.
        cache.replace(Book(id: 1, year: 10))
        #expect(changes.all.last?.hasNewOrder == false)
        #expect(changes.all.last?.changedIDs == [1])
        withExtendedLifetime(observation) {}
    }

    @Test("A condition may be an alternative of two indexed keys")
    func alternatives() {
        cache.set(contentsOf: [
            Book(id: 1, year: 1, author: "a"), Book(id: 2, year: 2, author: "b"),
            Book(id: 3, year: 2, author: "a"), Book(id: 4, year: 3, author: "c"),
        ])
        let query = cache.query(Book.self)
        let either = query.where(Book.byAuthor, in: [Related("a"), Related("b")])
        let both = either.where(Book.byYear, equals: 2)
        let closure = query.where { $0.author == Related("a") || $0.year == 2 }
        let sorted = either.sorted(by: \.year)
        let tokens = [either, both, closure, sorted].map { $0.keepCurrent() }
        #expect(either.ids == [1, 2, 3])
        #expect(both.ids == [2, 3])
        #expect(closure.ids == [1, 2, 3])
        cache.replace(Book(id: 4, year: 2, author: "b"))
        #expect(either.ids == [1, 2, 3, 4])
        #expect(both.ids == [2, 3, 4])
        #expect(closure.ids == [1, 2, 3, 4])
        // The old and the new value have different keys of the condition.
        cache.replace(Book(id: 1, year: 9, author: "b"))
        #expect(sorted.ids == [2, 3, 4, 1])
        #expect(sorted.count == 4)
        withExtendedLifetime(tokens) {}
    }

    @Test("NaN comes before missing keys, at the end, in both directions")
    func missingNumbers() {
        struct Item: CacheEntity {
            let id: Int
            let number: Double?
        }
        let numbers: [Double?] = [nil, .nan, 0, -0.0, .infinity, -.infinity, -1, 2, .nan, nil]
        for (id, number) in numbers.enumerated() { cache.set(Item(id: id, number: number)) }
        let query = cache.query(Item.self)
        #expect(query.sorted(by: \.number).ids == [5, 6, 2, 3, 7, 4, 1, 8, 0, 9])
        #expect(query.sorted(by: \.number, .descending).ids == [4, 7, 2, 3, 6, 5, 1, 8, 0, 9])
        let token = query.sorted(by: \.number).keepCurrent()
        for id in numbers.indices { cache.remove(Item.self, id: id) }
        #expect(query.sorted(by: \.number).ids == [])
        withExtendedLifetime(token) {}
    }

    #if !(os(macOS) && arch(x86_64))
    @Test("Numbers of a type that the library doesn't know may not be numbers")
    func missingNumbersOfOtherType() {
        struct Item: CacheEntity {
            let id: Int
            let number: Float16
        }
        let numbers: [Float16] = [.nan, 3, .nan, 1, -.infinity, .nan, 2, .infinity, .nan, 0]
        for (id, number) in numbers.enumerated() { cache.set(Item(id: id, number: number)) }
        let query = cache.query(Item.self)
        #expect(query.sorted(by: \.number).ids == [4, 9, 3, 6, 1, 7, 0, 2, 5, 8])
        let descending = query.sorted(by: \.number, .descending)
        #expect(descending.ids == [7, 1, 6, 3, 9, 4, 0, 2, 5, 8])
        let byNumber = CacheIndex("number", \Item.number)
        #expect(query.where(byNumber, in: 1...2).ids == [3, 6])
    }
    #endif

    @Test("The greatest integer comes before a missing one")
    func greatestInteger() {
        struct Item: CacheEntity {
            let id: Int
            let number: Int?
        }
        cache.set(contentsOf: [
            Item(id: 1, number: nil), Item(id: 2, number: .max), Item(id: 3, number: .min),
        ])
        let query = cache.query(Item.self)
        #expect(query.sorted(by: \.number).ids == [3, 2, 1])
        #expect(query.sorted(by: \.number, .descending).ids == [2, 3, 1])
    }

    @Test("A window that empties shows the rows that follow")
    func emptyWindow() {
        cache.set(contentsOf: (1...6).map { Book(id: $0, year: $0) })
        let query = cache.query(Book.self).sorted(by: \.year).limit(2)
        let observation = observe(query)
        cache.performBatchUpdates { batch in
            batch.remove(Book.self, id: 1)
            batch.remove(Book.self, id: 2)
        }
        #expect(changes.all.last?.ids == [3, 4])
        cache.set(contentsOf: [Book(id: 3, title: "A"), Book(id: 5, title: "A")])
        #expect(changes.all.last?.changedIDs == [3])
        changes.removeAll()
        // A change outside the window isn't one.
        cache.remove(Book.self, id: 6)
        #expect(changes.count == 0)
        cache.removeAll(Book.self)
        #expect(changes.all.last?.ids == [])
        cache.set(Book(id: 9, year: 1))
        #expect(changes.all.last?.ids == [9])
        withExtendedLifetime(observation) {}
    }

    @Test("Two updates of an entity in a batch are one change")
    func twoUpdates() {
        cache.set(contentsOf: [Book(id: 1, year: 1), Book(id: 2, year: 2)])
        let query = cache.query(Book.self).where { $0.year != 5 }.sorted(by: \.year)
        let observation = observe(query)
        cache.performBatchUpdates { batch in
            batch.replace(Book(id: 1, year: 5))
            batch.replace(Book(id: 1, year: 3))
        }
        #expect(changes.all.map(\.ids) == [[2, 1]])
        #expect(query.ids == [2, 1])
        withExtendedLifetime(observation) {}
    }

    @Test("A row isn't evaluated for an entity that it no longer reads")
    func formerReads() {
        let evaluations = Recorder<Int>()
        let query = cache.query(Book.self).where { book, cache in
            evaluations.append(book.id)
            return book.author.flatMap { cache[$0] } != nil
        }
        cache.set(contentsOf: [Author(id: "a", name: "A"), Author(id: "b", name: "B")])
        cache.set(Book(id: 1, author: "a"))
        let token = query.keepCurrent()
        cache.replace(Book(id: 1, author: "b"))
        evaluations.removeAll()
        cache.remove(Author.self, id: "a")
        #expect(evaluations.all == [])
        cache.remove(Author.self, id: "b")
        #expect(evaluations.all == [1, 1])
        #expect(query.ids == [])
        withExtendedLifetime(token) {}
    }

    @Test("An entity outside of the result follows the entities that its new value reads")
    func newReads() {
        let query = cache.query(Book.self).where { book, cache in
            book.author.flatMap { cache[$0] }?.name == "Lem"
        }
        cache.set(contentsOf: [Author(id: "a", name: "A"), Author(id: "b", name: "B")])
        cache.set(Book(id: 1, author: "a"))
        let token = query.keepCurrent()
        cache.replace(Book(id: 1, author: "b"))
        cache.set(Author(id: "b", name: "Lem"))
        #expect(query.ids == [1])
        withExtendedLifetime(token) {}
    }

    @Test("A projection that wasn't current for a while computes its value again")
    func interruptedProjection() {
        let query = cache.query(Book.self)
        let titles = query.map { book, _ in book.title ?? "" }
        let sections = query.sections(by: \.year)
        cache.set(Book(id: 1, title: "A", year: 1))
        for title in ["A", "B"] {
            cache.set(Book(id: 1, title: title))
            let tokens = [titles.keepCurrent(), sections.keepCurrent()]
            #expect(titles.value == [title])
            #expect(sections[1].map(\.title) == [title])
            #expect(sections.value.map { $0.elements.map(\.title) } == [[title]])
            for token in tokens { token.dispose() }
        }
    }

    @Test("A write that concerns a result doesn't keep later ones from being exchanged in place")
    func exchanges() {
        let query = cache.query(Book.self).where { $0.year != nil }
        let token = query.keepCurrent()
        cache.core.withWriterLock("a test") { _ in
            let reading = QueryReaders(inOpenTransactionOf: cache.core, recordsReads: true)
            func isConcerned(by old: Int?, _ new: Int?) -> Bool {
                query.live.isConcerned(by: Book(id: 1, year: old), Book(id: 1, year: new), reading)
            }
            #expect(!isConcerned(by: nil, nil))
            #expect(isConcerned(by: nil, 1))
            #expect(!isConcerned(by: nil, nil))
        }
        withExtendedLifetime(token) {}
    }

    @Test("A query may begin and end in one batch")
    func beginningAndEndingInABatch() {
        let query = cache.query(Book.self)
        cache.performBatchUpdates { batch in
            let token = query.keepCurrent()
            batch.set(Book(id: 1))
            token.dispose()
        }
        cache.core.checkInvariants()
        #expect(query.ids == [1])
        #expect(cache.count(of: QueryState<Book, NoPayload>.self) == 0)
        let token = query.keepCurrent()
        cache.set(Book(id: 2))
        #expect(query.ids == [1, 2])
        token.dispose()
    }

    @Test("A query that begins in a batch that is rolled back is kept current")
    func beginningInARolledBackBatch() {
        let query = cache.query(Book.self)
        let tokens = Recorder<Disposable>()
        try? cache.performBatchUpdates { batch in
            batch.set(Book(id: 1))
            tokens.append(query.keepCurrent())
            throw CancellationError()
        }
        #expect(cache.count(of: QueryState<Book, NoPayload>.self) == 1)
        #expect(query.ids == [])
        cache.set(Book(id: 2))
        #expect(query.ids == [2])
    }

    @Test("Different identifiers with equal hash values and descriptions have a total order")
    func indistinguishableIdentifiers() {
        let ids = (0..<60).shuffled().map(Label.ID.init)
        let token = cache.query(Label.self).keepCurrent()
        for id in ids { cache.set(Label(id: id)) }
        for id in ids.shuffled().prefix(40) { cache.remove(Label.self, id: id) }
        let rest = Set(cache.ids(of: Label.self))
        let query = cache.query(Label.self)
        #expect(rest.count == 20)
        #expect(Set(query.ids) == rest)
        #expect(query.ids.map { query.index(ofID: $0) } == Array(0..<20))
        for first in rest {
            for second in rest where first != second {
                let orders = [(first, second), (second, first)].map(IdentifierOrder.compare)
                #expect(Set(orders) == [-1, 1])
            }
        }
        withExtendedLifetime(token) {}
    }
}

/// An entity whose identifiers have equal hash values and descriptions.
private struct Label: Identifiable, Sendable, Equatable {
    struct ID: Hashable, Sendable, CustomDebugStringConvertible {
        let number: Int

        var debugDescription: String { "a label" }

        func hash(into hasher: inout Hasher) {}
    }

    let id: ID
}
