#if canImport(Combine) || OpenCombine

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif
import FlatCache
import FlatCacheCombine
import Testing

extension CachedAlias where Value == Book {
    fileprivate static var bookOfTheDay: CachedAlias { CachedAlias("bookOfTheDay") }
}

struct CacheAliasPublisherTests {
    let cache = Cache()
    let received = Locked<[Int?]>([])

    var all: [Int?] { received.withLock { $0 } }

    @Test func nameIsFollowed() {
        let subscription = cache.publisher(for: .bookOfTheDay).sink { (book: Book?) in
            received.withLock { $0.append(book.map { $0.id * 10 + $0.revision }) }
        }
        cache.set(Book(id: 1), as: .bookOfTheDay)
        cache.set(Book(id: 2))
        cache.point(.bookOfTheDay, to: 2)
        cache.set(Book(id: 1, revision: 1))
        cache.set(Book(id: 2, revision: 3))
        cache.point(CachedAlias<Book>.bookOfTheDay, to: nil)
        #expect(all == [nil, 10, 20, 23, nil])
        subscription.cancel()
        #expect(cache.watchedCount == 0)
    }

    @Test func followingLimitsTheReach() {
        cache.set(Book(id: 1, author: Related("le-guin")), as: .bookOfTheDay)
        let alias = CachedAlias<Book>.bookOfTheDay
        let all = cache.publisher(for: alias).sink { _ in received.withLock { $0.append(0) } }
        let none = cache.publisher(for: alias, following: .none)
            .sink { _ in received.withLock { $0.append(1) } }
        cache.set(Author(id: "le-guin"))
        #expect(self.all == [0, 1, 0])
        all.cancel()
        none.cancel()
    }

    @Test func laterValuesArePublished() {
        // The cache hasn't stored a value of this type before.
        let alias = CachedAlias<Loan>("currentLoan")
        let subscription = cache.publisher(for: alias)
            .sink { loan in received.withLock { $0.append(loan?.id) } }
        cache.point(alias, to: 4)
        cache.set(Loan(id: 4))
        #expect(all.last == 4)
        subscription.cancel()
    }
}

#endif
