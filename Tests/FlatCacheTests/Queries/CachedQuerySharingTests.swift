import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct CachedQuerySharingTests {
    let cache = Cache()

    /// The number of results that the cache keeps current.
    private var resultCount: Int { cache.count(of: QueryState<Book, NoPayload>.self) }

    init() {
        cache.set(contentsOf: [
            Book(id: 1, title: "B", year: 1968, author: "le-guin"),
            Book(id: 2, title: "A", year: 1974, author: "le-guin"),
            Book(id: 3, title: "C", year: 1968, author: "lem"),
            Book(id: 4, title: "D"),
        ])
    }

    private func books(of year: Int) -> CachedQuery<Book> {
        cache.query(Book.self, sharingKey: year).where { $0.year == year }
    }

    @Test("Equal values of one call share a result, other queries don't")
    func sharing() {
        let tokens = [
            books(of: 1968).keepCurrent(), books(of: 1968).keepCurrent(),
            books(of: 1974).keepCurrent(),
        ]
        #expect(resultCount == 2)
        #expect(books(of: 1968).ids == [1, 3])
        #expect(books(of: 1974).ids == [2])
        #expect(books(of: 1968).limit(1).ids == [1])
        #expect(books(of: 1968).sorted(by: \.title, .descending).ids == [3, 1])
        for token in tokens { token.dispose() }
        #expect(resultCount == 0)
    }

    @Test("Queries that pin their elements don't share a result with others")
    func sharingAmongPinningQueries() {
        func books(pinned: Bool) -> CachedQuery<Book> {
            cache.query(Book.self, sharingKey: 1968, pinsElements: pinned).where { $0.year == 1968 }
        }
        let tokens = [books(pinned: false).keepCurrent(), books(pinned: true).keepCurrent()]
        #expect(resultCount == 2)
        cache.trim(to: .count(0))
        #expect(books(pinned: true).ids == [1, 3])
        withExtendedLifetime(tokens) {}
    }

    @Test("Values of different types don't share a result, even if they're equal")
    func sharingByType() {
        func books<Value: Hashable & Sendable>(of year: Int, _ value: Value) -> CachedQuery<Book> {
            cache.query(Book.self, sharingKey: value).where { $0.year == year }
        }
        let byInteger = books(of: 1968, 1)
        let byNumber = books(of: 1974, 1.0)
        let tokens = [byInteger.keepCurrent(), byNumber.keepCurrent()]
        #expect(byInteger.ids == [1, 3])
        #expect(byNumber.ids == [2])
        withExtendedLifetime(tokens) {}
    }

    @Test("Equal values of different calls don't share a result, even on one line")
    func sharingByCall() {
        let classics = cache.query(Book.self, sharingKey: "shelf").where { $0.year == 1968 }
        let others = cache.query(Book.self, sharingKey: "shelf").where { $0.year != 1968 }
        func books(dated: Bool) -> CachedQuery<Book> {
            let all = (cache.query(Book.self, sharingKey: 1), cache.query(Book.self, sharingKey: 1))
            return dated ? all.0.where { $0.year != nil } : all.1.where { $0.year == nil }
        }
        let queries = [classics, others, books(dated: true), books(dated: false)]
        let tokens = queries.map { $0.keepCurrent() }
        #expect(resultCount == 4)
        #expect(queries.map(\.ids) == [[1, 3], [2, 4], [1, 2, 3], [4]])
        withExtendedLifetime(tokens) {}
    }

    @Test("A function that passes its caller's position on shares a result for each caller")
    func sharingByPositionOfTheCaller() {
        func books(
            line: Int = #line,
            _ condition: @escaping @Sendable (Book) -> Bool
        ) -> CachedQuery<Book> {
            cache.query(Book.self, sharingKey: "books", line: line).where(condition)
        }
        let tokens = (0..<2).flatMap { _ in
            [
                books { $0.year == 1968 }.keepCurrent(),
                books { $0.year == 1974 }.keepCurrent(),
            ]
        }
        #expect(resultCount == 2)
        withExtendedLifetime(tokens) {}
    }
}
