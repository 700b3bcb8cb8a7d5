import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests of the descriptions of the public types, and of `dump`.
struct DescriptionsTests {
    private let cache = Cache()

    init() {
        let books = (1...500).map { Book(id: $0, title: "Book \($0)", author: "a") }
        cache.set(contentsOf: books)
        cache.set(Author(id: "a", name: "A"))
        cache.list("best", of: Book.self).replace(withIDs: 1...300)
    }

    private func lines(ofDump value: Any) -> [Substring] {
        var text = ""
        dump(value, to: &text)
        return text.split(separator: "\n")
    }

    @Test func descriptionOfACacheShowsVersionObserversAndCounts() {
        #expect(
            "\(cache)"
                == "Cache (version: 3, observers: 0, Author: 1, Book: 500, lists of Book: 1)"
        )
        let first = cache.cached(Book.self, id: 1).observe { _ in }
        let second = cache.observeAll(Author.self) { _ in }
        let query = cache.query(Book.self).where { $0.id > 10 }
        let third = query.observe { _ in }
        #expect("\(cache)".contains("observers: 3,"))
        cache.removeAll()
        cache.alias("newest", of: Book.self).target = 7
        #expect("\(cache)".hasSuffix(", observers: 3, aliases for Book: 1)"))
        for token in [first, second, third] { token.dispose() }
        first.dispose()
        #expect("\(cache)".contains("observers: 0,"))
        #expect("\(Cache())" == "Cache (version: 0, observers: 0)")
    }

    @Test func descriptionWorksInsideCommitsAndObservers() {
        var inside: [String] = []
        cache.performBatchUpdates { batch in
            batch.set(Author(id: "b", name: "B"))
            inside.append("\(cache)")
            inside.append("\(batch)")
        }
        // The batch isn't visible yet.
        #expect(inside.first?.contains("version: 3") == true)
        let seen = Recorder<String>()
        let observation = cache.cached(Author.self, id: "b").observe { [cache] _ in
            seen.append("\(cache)")
        }
        cache.set(Author(id: "b", name: "C"))
        #expect(seen.all.first?.contains("Author: 2") == true)
        observation.dispose()
    }

    @Test func dumpsOfHandlesAreOneLine() {
        let query = cache.query(Book.self).sorted(by: \.id)
        let list = cache.list("best", of: Book.self)
        let handle = cache.cached(Book.self, id: 1)
        let titles = query.map { book, _ in book.title ?? "" }
        let title = handle.map { book, _ in book.title ?? "" }
        let counts = query.aggregate(.count, by: \.year)
        let index = CacheIndex<Book, Int>("year") { $0.year }
        let observation = handle.observe { _ in }
        let handles: [Any] = [
            cache, handle, handle.observable, handle.loading(), list, list.observable,
            cache.alias("newest", of: Book.self), query, query.observable,
            titles, titles.observable, counts, counts.observable, title, title.observable,
            query.values, query.values.makeAsyncIterator(), handle.values, index, observation,
            CacheConfiguration(), CacheDelivery.inline,
            ListPage(cache.values(of: Book.self), next: "b"),
        ]
        for handle in handles {
            #expect(lines(ofDump: handle).count == 1, "\(handle)")
            #expect(!"\(handle)".contains("\n"))
        }
        observation.dispose()
    }

    @Test func dumpsOfSectionsAreOneLine() {
        let sections = cache.query(Book.self).sections(by: { $0.id / 100 })
        #expect(lines(ofDump: sections).count == 1)
        #expect(lines(ofDump: sections.observable).count == 1)
    }

    @Test func dumpsOfSnapshotsAndChangesAreOneLine() {
        var dumps: [[Substring]] = []
        cache.withSnapshot { dumps.append(lines(ofDump: $0)) }
        cache.performBatchUpdates { dumps.append(lines(ofDump: $0)) }
        #expect(dumps.map(\.count) == [1, 1])
        let changes = Recorder<String>()
        let record = { @Sendable (change: any Sendable) in
            var text = ""
            dump(change, to: &text)
            changes.append(text)
        }
        let query = cache.query(Book.self).sorted(by: \.id)
        let tokens = [
            query.observeChanges { record($0) },
            query.map { book, _ in book.title ?? "" }.observeChanges { record($0) },
            query.sections(by: { $0.id / 100 }).observeChanges { record($0) },
            query.aggregate(.count, by: \.year).observeChanges { record($0) },
        ]
        cache.set(Book(id: 1, title: "New", year: 1974))
        #expect(changes.count == tokens.count)
        for text in changes.all { #expect(text.split(separator: "\n").count == 1, "\(text)") }
        #expect(changes.all.contains("- QueryChange<Book> (version: \(cache.version))\n"))
        for token in tokens { token.dispose() }
    }

    /// The internals of a cache don't appear in the properties of a client's types, either.
    @Test func dumpOfAModelWithACacheIsShort() {
        struct Model {
            let cache: Cache
            let books: CachedQuery<Book>
            let best: CachedList<Book>
        }
        let model = Model(
            cache: cache,
            books: cache.query(Book.self),
            best: cache.list("best", of: Book.self)
        )
        #expect(lines(ofDump: model).count == 4)
    }

    @Test func descriptionsNameTheSubject() {
        #expect("\(cache.cached(Book.self, id: 1).observable)" == "Observed Cached Book(1)")
        #expect(
            "\(cache.list("best", of: Book.self).observable)"
                == "Observed CachedList \"best\" of Book"
        )
        #expect("\(CacheIndex<Book, Int>("year") { $0.year })" == "CacheIndex \"year\" of Book")
        #expect("\(cache.query(Book.self))" == "CachedQuery<Book>")
        #expect(
            "\(ListPage([Book(id: 1)], next: "b"))" == "ListPage of Book (count: 1, next: \"b\")"
        )
        cache.withSnapshot { #expect("\($0)" == "CacheSnapshot (version: 3)") }
    }
}
