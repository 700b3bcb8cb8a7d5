#if canImport(Combine) || OpenCombine

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif
import FlatCache
import FlatCacheCombine
import Testing

struct CachedListPublisherTests {
    let cache = Cache()
    let received = Locked<[[Int]]>([])

    var all: [[Int]] { received.withLock { $0 } }

    @Test func orderAndTheElementsAreFollowed() {
        let list = cache.list("bestsellers", of: Book.self)
        let subscription = list.publisher.sink { books in
            received.withLock { $0.append(books.map { $0.id * 10 + $0.revision }) }
        }
        list.replace(with: [Book(id: 1), Book(id: 2)])
        list.move(2, to: 0)
        cache.set(Book(id: 1, revision: 1))
        cache.remove(Book.self, id: 2)
        #expect(all == [[], [10, 20], [20, 10], [20, 11], [11]])
        subscription.cancel()
        #expect(cache.watchedCount == 0)
    }

    @Test func followingLimitsTheReach() {
        let list = cache.list("bestsellers", of: Book.self)
        list.replace(with: [Book(id: 1, author: Related("le-guin"))])
        let all = list.publisher.sink { _ in received.withLock { $0.append([0]) } }
        let none = list.following(.none).publisher
            .sink { _ in received.withLock { $0.append([1]) } }
        #expect(self.all == [[0], [1]])
        cache.set(Author(id: "le-guin"))
        #expect(self.all == [[0], [1], [0]])
        cache.set(Book(id: 1, revision: 1, author: Related("le-guin")))
        #expect(self.all == [[0], [1], [0], [0], [1]])
        all.cancel()
        none.cancel()
    }

    @Test func elementsAreReadWhenTheyAreSent() {
        let list = cache.list("bestsellers", of: Book.self)
        let subscriber = ManualSubscriber<[Book]>()
        list.publisher.subscribe(subscriber)
        list.replace(with: [Book(id: 1)])
        list.append(contentsOf: [Book(id: 2)])
        subscriber.request(.max(1))
        #expect(subscriber.inputs == [[Book(id: 1), Book(id: 2)]])
        subscriber.request(.max(1))
        #expect(subscriber.inputs.count == 1)
        subscriber.cancel()
    }

    @Test func itFinishesWithTheCache() {
        var cache: Cache? = Cache()
        let list = cache?.list("bestsellers", of: Book.self)
        let subscriber = ManualSubscriber<[Book]>()
        list?.publisher.subscribe(subscriber)
        subscriber.request(.max(1))
        #expect(subscriber.inputs == [[]])
        cache = nil
        #expect(subscriber.hasFinished)
        #expect(subscriber.breaches == [])
    }

    @Test func elementsReleasedWithTheCacheAreNotSent() {
        var cache: Cache? = Cache()
        let list = cache?.list("bestsellers", of: Book.self)
        list?.replace(with: [Book(id: 1)])
        let subscriber = ManualSubscriber<[Book]>()
        list?.publisher.subscribe(subscriber)
        cache = nil
        subscriber.request(.max(1))
        #expect(subscriber.inputs == [])
        #expect(subscriber.hasFinished)
        #expect(subscriber.breaches == [])
    }
}

#endif
