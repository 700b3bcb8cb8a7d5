import Observation
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct MappedQueryTests {
    let cache = Cache()
    let rows: MappedQuery<Book, String>
    let changes = Recorder<MappedQueryChange<Book, String>>()

    init() {
        cache.set(contentsOf: [
            Book(id: 1, title: "A", year: 1, author: "lem"), Book(id: 2, title: "B", year: 2),
            Book(id: 3, title: "C", year: 3, author: "lem"),
        ])
        cache.set(Author(id: "lem", name: "Lem"))
        rows = cache.query(Book.self).sorted(by: \.title).map { book, cache in
            "\(book.title ?? "") by \(book.author.flatMap { cache[$0] }?.name ?? "someone")"
        }
    }

    private func observe(_ rows: MappedQuery<Book, String>) -> Disposable {
        rows.observeChanges { [changes] in changes.append($0) }
    }

    @Test("Rows can be read by their positions and by their identifiers, current or not")
    func reading() {
        for token in [nil, rows.keepCurrent()] {
            #expect(rows.ids == [1, 2, 3])
            #expect(rows.count == 3)
            #expect(rows[1...] == ["B by someone", "C by Lem"])
            #expect(rows[2..<9] == ["C by Lem"])
            #expect(rows.index(ofID: 3) == 2)
            #expect(rows.index(ofID: 4) == nil)
            #expect(rows.row(ofID: 1) == "A by Lem")
            #expect(rows.row(ofID: 4) == nil)
            withExtendedLifetime(token) {}
        }
        let window = cache.query(Book.self).sorted(by: \.title).offset(1).limit(1).map { book, _ in
            book.id
        }
        #expect(window[0...] == [2])
        #expect(window.row(ofID: 2) == 2)
        #expect(window.row(ofID: 3) == nil)
    }

    @Test("A closure of one argument, or a key path, computes rows of the elements alone")
    func closuresOfOneArgument() {
        let query = cache.query(Book.self).sorted(by: \.title)
        let years = query.map { $0.year }
        let titles = query.map(\.title)
        let sections = query.sections(by: \.year).map { book in book.title ?? "" }
        let title = cache.cached(Book.self, id: 1).map { $0.title }
        let calls = Recorder<[String?]>()
        let observation = titles.observe { calls.append($0) }
        let other = title.observe { calls.append([$0 ?? nil]) }
        cache.set(Author(id: "lem", name: "S. Lem"))
        #expect(calls.all == [])
        cache.set(Book(id: 1, title: "D"))
        #expect(calls.all == [["B", "C", "D"], ["D"]])
        #expect(years.value == [2, 3, 1])
        #expect(sections[1] == ["D"])
        withExtendedLifetime([observation, other]) {}
    }

    @Test("A change contains the difference of the rows, and the rows before and after it")
    func differences() throws {
        let observation = observe(rows)
        cache.performBatchUpdates { batch in
            batch.set(Book(id: 1, title: "D"))
            batch.remove(Book.self, id: 2)
            batch.set(Book(id: 4, title: "B"))
        }
        let change = try #require(changes.all.first)
        #expect(change.oldIDs == [1, 2, 3])
        #expect(change.ids == [4, 3, 1])
        #expect(change.rows == ["B by someone", "C by Lem", "D by Lem"])
        #expect(change[1..<2] == ["C by Lem"])
        #expect(change.oldIDs.applying(change.difference) == change.ids)
        #expect(change.changedIDs == [1])
        #expect(change.hasNewOrder)
        #expect(change.version == cache.version)
        let moves = change.difference.inferringMoves().insertions.filter {
            if case .insert(2, 1, associatedWith: 0) = $0 { true } else { false }
        }
        #expect(moves.count == 1)
        #expect(changes.count == 1)
        withExtendedLifetime(observation) {}
    }

    @Test("A change of a read entity changes its rows, and equal rows aren't a change")
    func updates() throws {
        let observation = observe(rows)
        cache.set(Author(id: "lem", name: "S. Lem"))
        let change = try #require(changes.all.first)
        #expect(change.changedIDs == [1, 3])
        #expect(!change.hasNewOrder)
        #expect(change.difference.isEmpty)
        #expect(change.rows == ["A by S. Lem", "B by someone", "C by S. Lem"])
        cache.set(Book(id: 1, year: 7))
        cache.set(Author(id: "other", name: "Other"))
        #expect(changes.count == 1)
        withExtendedLifetime(observation) {}
    }

    @Test("A row that moves but stays equal isn't a changed row")
    func moves() throws {
        let ids = cache.query(Book.self).sorted(by: \.year).map { book, _ in "\(book.id)" }
        let observation = observe(ids)
        cache.set(Book(id: 1, year: 9))
        let change = try #require(changes.all.first)
        #expect(change.changedIDs.isEmpty)
        #expect(change.hasNewOrder)
        #expect(change.rows == ["2", "3", "1"])
        withExtendedLifetime(observation) {}
    }

    @Test("A window shows the differences of the rows inside it")
    func windows() throws {
        let observation = observe(
            cache.query(Book.self).sorted(by: \.title).limit(2).map { book, _ in
                "\(book.title ?? "") \(book.year ?? 0)"
            }
        )
        cache.set(Book(id: 3, year: 9))
        #expect(changes.count == 0)
        cache.set(Book(id: 4, title: "AA", year: 4))
        let change = try #require(changes.all.first)
        #expect(change.ids == [1, 4])
        #expect(change.rows == ["A 1", "AA 4"])
        #expect([1, 2].applying(change.difference) == [1, 4])
        withExtendedLifetime(observation) {}
    }

    @Test("The first change includes the commits during the first run")
    func firstChange() {
        let observations = Recorder<Disposable>()
        cache.performBatchUpdates { batch in
            observations.append(observe(rows))
            batch.set(Book(id: 4, title: "D"))
        }
        #expect(changes.all.map(\.ids) == [[1, 2, 3, 4]])
        #expect(changes.all.map { $0[3...] } == [["D by someone"]])
    }

    @Test("Changes are a sequence, and can be delivered to an actor")
    @MainActor
    func faces() async {
        var sequence = rows.changes.makeAsyncIterator()
        let found = Recorder<Set<Int>>()
        let observation = rows.observeChanges(isolation: #isolation) {
            MainActor.preconditionIsolated()
            found.append($0.changedIDs)
        }
        cache.set(Author(id: "lem", name: "S. Lem"))
        #expect(await sequence.next()?.changedIDs == [1, 3])
        #expect(await until { found.count > 0 })
        #expect(found.all == [[1, 3]])
        withExtendedLifetime(observation) {}
    }

    @Test("The observable object notifies the trackers of each of its members")
    func observable() {
        let observable = Observed(rows, delivery: .inline)
        let reads: [@Sendable () -> Void] = [
            { _ = observable.value }, { _ = observable.ids }, { _ = observable.count },
            { _ = observable[0..<1] }, { _ = observable.read { $0.index(ofID: 1) } },
            { _ = observable.read { $0.row(ofID: 1) } },
        ]
        let notices = Recorder<Int>()
        for (index, read) in reads.enumerated() {
            withObservationTracking(read) { notices.append(index) }
        }
        cache.set(Book(id: 1, title: "Z"))
        #expect(notices.all.sorted() == Array(0..<reads.count))
        #expect(observable.ids == [2, 3, 1])
        #expect(observable.count == 3)
        #expect(observable[2...] == ["Z by Lem"])
        #expect(observable.read { $0.index(ofID: 1) } == 2)
        #expect(observable.read { $0.row(ofID: 1) } == "Z by Lem")
        let main: Observed<MappedQuery<Book, String>> = rows.observable
        #expect(main.value.count == 3)
    }
}
