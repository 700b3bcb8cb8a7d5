#if canImport(Combine) || OpenCombine

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif
import FlatCache
import FlatCacheCombine
import Testing

struct CachedQueryPublisherTests {
    @Test("The elements are followed until the subscription is cancelled")
    func following() {
        let cache = Cache()
        let received = Locked<[[Int]]>([])
        let query = cache.query(Book.self).where { $0.revision > 0 }
        let subscription = query.publisher.sink { books in
            received.withLock { $0.append(books.map(\.id)) }
        }
        cache.set(Book(id: 2, revision: 1))
        cache.set(Book(id: 1, revision: 1))
        cache.set(Book(id: 3))
        #expect(received.withLock { $0 } == [[], [2], [1, 2]])
        subscription.cancel()
        cache.set(Book(id: 4, revision: 1))
        #expect(received.withLock { $0.count } == 3)
        #expect(cache.watchedCount == 0)
    }
}

#endif
