#if canImport(Combine) || OpenCombine

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif
import FlatCache
import FlatCacheCombine
import Testing

extension Cache {
    fileprivate var bookOfTheDay: CachedAlias<Book> { alias("bookOfTheDay", of: Book.self) }
}

struct CacheAliasPublisherTests {
    let cache = Cache()
    let received = Locked<[Int?]>([])

    var all: [Int?] { received.withLock { $0 } }

    @Test func nameIsFollowed() {
        let subscription = cache.bookOfTheDay.publisher.sink { book in
            received.withLock { $0.append(book.map { $0.id * 10 + $0.revision }) }
        }
        cache.bookOfTheDay.set(Book(id: 1))
        cache.set(Book(id: 2))
        cache.bookOfTheDay.target = 2
        cache.set(Book(id: 1, revision: 1))
        cache.set(Book(id: 2, revision: 3))
        cache.bookOfTheDay.target = nil
        #expect(all == [nil, 10, 20, 23, nil])
        subscription.cancel()
        #expect(cache.watchedCount == 0)
    }

    @Test func followingLimitsTheReach() {
        cache.bookOfTheDay.set(Book(id: 1, author: Related("le-guin")))
        let alias = cache.bookOfTheDay
        let all = alias.publisher.sink { _ in received.withLock { $0.append(0) } }
        let none = alias.following(.none).publisher
            .sink { _ in received.withLock { $0.append(1) } }
        cache.set(Author(id: "le-guin"))
        #expect(self.all == [0, 1, 0])
        all.cancel()
        none.cancel()
    }

    @Test func laterValuesArePublished() {
        // The cache hasn't stored a value of this type before.
        let alias = cache.alias("currentLoan", of: Loan.self)
        let subscription = alias.publisher
            .sink { loan in received.withLock { $0.append(loan?.id) } }
        alias.target = 4
        cache.set(Loan(id: 4))
        #expect(all.last == 4)
        subscription.cancel()
    }
}

#endif
