import FlatCacheTesting
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests how projections share, load and keep the entities from which they are computed.
struct ProjectionSourcesTests {
    let cache: Cache
    /// The identifiers of the books for which a closure has run.
    let computed = Recorder<Int>()

    /// The identifiers in their order, since a run visits the books in any order.
    private var computedIDs: [Int] { computed.all.sorted() }

    init() {
        cache = Cache(configuration: CacheConfiguration(clock: ManualClock()))
        cache.setLoader(for: Station.self, gathering: .zero) { ids in
            ids.map { Station(id: $0, revision: 5) }
        }
        cache.set(contentsOf: [
            Book(id: 1, title: "A", author: "le-guin"), Book(id: 2, title: "B", author: "lem"),
        ])
        cache.set(contentsOf: [
            Author(id: "le-guin", name: "Le Guin"), Author(id: "lem", name: "Lem"),
        ])
    }

    // MARK: Sharing

    @Test("Observable objects of one projection share its rows")
    func sharedProjection() {
        let rows = cache.query(Book.self).map { [computed] book in
            computed.append(book.id)
            return book.title
        }
        let first = rows.observable
        #expect(computedIDs == [1, 2])
        let second = rows.observable
        #expect(second.value == ["A", "B"])
        #expect(computedIDs == [1, 2])
        withExtendedLifetime(first) {}
    }

    @Test("A projection of a current query runs the query once, for all of its observers")
    func projectionOfACurrentQuery() {
        let query = cache.query(Book.self).where { [computed] book in
            computed.append(book.id)
            return true
        }
        let current = query.keepCurrent()
        #expect(computedIDs == [1, 2])
        let titles = query.map { $0.title }
        let rows = [titles.observable, titles.observable]
        #expect(rows.map(\.value) == [["A", "B"], ["A", "B"]])
        #expect(computedIDs == [1, 1, 2, 2])
        withExtendedLifetime(current) {}
    }

    @Test("Projections of a shared query share the query's result, but not their rows")
    func secondProjectionOfASharedQuery() {
        func rows() -> Observed<MappedQuery<Book, String?>> {
            cache.query(Book.self, sharingKey: "all").map { [computed] book in
                computed.append(book.id)
                return book.title
            }.observable
        }
        let first = rows()
        #expect(computedIDs == [1, 2])
        let second = rows()
        #expect(second.value == ["A", "B"])
        #expect(computedIDs == [1, 1, 2, 2])
        withExtendedLifetime(first) {}
    }

    // MARK: Loading

    @Test("Observing a projection of a loading handle loads the entity")
    func loading() async {
        let handle = cache.cached(Station.self, id: 1).loading()
        let revision = handle.map { $0.revision }
        let revisions = Recorder<Int?>()
        let observation = revision.observe { revisions.append($0) }
        #expect(await until { revisions.all == [5] })
        observation.dispose()
        cache.invalidate(Station.self, id: 1)
        let changes = revision.observeChanges { revisions.append($0.new) }
        #expect(await until { cache.freshness(of: Station.self, id: 1).isFresh })
        #expect(revisions.all == [5])
        withExtendedLifetime(changes) {}
    }

    // MARK: Pruning

    @Test("Pruning keeps the entities that an observed projection of a handle reads")
    func pruningWithAProjectionOfAHandle() {
        let line = cache.cached(Book.self, id: 1).map { book, cache in
            "\(book.title ?? "") by \(book.author.flatMap { cache[$0] }?.name ?? "someone")"
        }
        let observation = line.observe { _ in }
        cache.pruneUnobservedValues()
        #expect(line.value == "A by Le Guin")
        observation.dispose()
        cache.pruneUnobservedValues()
        #expect(line.value == nil)
    }

    @Test("Pruning keeps the entities that a row reads after a change that doesn't change the row")
    func pruningAfterAnotherRead() {
        cache.set(Author(id: "ursula", name: "Le Guin"))
        let line = cache.cached(Book.self, id: 1).map { book, cache in
            book.author.flatMap { cache[$0] }?.name
        }
        let observation = line.observe { _ in }
        cache.set(Book(id: 1, author: "ursula"))
        cache.pruneUnobservedValues()
        #expect(line.value == "Le Guin")
        #expect(cache.get(Author.self, id: "le-guin") == nil)
        withExtendedLifetime(observation) {}
    }

    @Test("Pruning keeps the entities that the rows of a pinning query read")
    func pruningWithRows() {
        let rows = cache.query(Book.self, pinsElements: true).sorted(by: \.title).map {
            book,
            cache in
            "\(book.title ?? "") by \(book.author.flatMap { cache[$0] }?.name ?? "someone")"
        }
        let observation = rows.observe { _ in }
        cache.pruneUnobservedValues()
        #expect(rows.ids == [1, 2])
        #expect(rows.value == ["A by Le Guin", "B by Lem"])
        observation.dispose()
        cache.pruneUnobservedValues()
        #expect(rows.value == [])
    }
}
