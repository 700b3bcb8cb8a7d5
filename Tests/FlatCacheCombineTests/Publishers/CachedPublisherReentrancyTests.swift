#if canImport(Combine) || OpenCombine

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif
import FlatCache
import FlatCacheCombine
import Testing

@Suite(.timeLimit(.minutes(15)))
struct CachedPublisherReentrancyTests {
    let cache = Cache()
    var publisher: CachedPublisher<Book?> { cache.cached(Book.self, id: 1).publisher }

    func set(_ revision: Int) { cache.set(Book(id: 1, revision: revision)) }

    @Test func subscribersWritesArriveAfterItsCall() {
        let subscriber = ManualSubscriber<Book?> { [cache] subscriber, book in
            let next = (book?.revision ?? 0) + 1
            let count = subscriber.inputs.count
            if next <= 1000 { set(next) }
            #expect(cache.get(Book.self, id: 1)?.revision == min(next, 1000))
            #expect(subscriber.inputs.count == count)
            return .none
        }
        publisher.subscribe(subscriber)
        subscriber.request(.unlimited)
        #expect(subscriber.revisions == [nil] + Array(1...1000))
        #expect(subscriber.breaches == [])
        subscriber.cancel()
    }

    @Test func severalWritesInOneCallAreSeenByTheirNewest() {
        let subscriber = ManualSubscriber<Book?> { _, book in
            if book == nil { for revision in 1...5 { set(revision) } }
            return .none
        }
        publisher.subscribe(subscriber)
        // The request comes outside of a delivery, so the writes deliver while the call runs.
        subscriber.request(.unlimited)
        #expect(subscriber.revisions == [nil, 5])
        #expect(subscriber.breaches == [])
        subscriber.cancel()
    }

    @Test func subscriberMayRunABatch() {
        let subscriber = ManualSubscriber<Book?> { [cache] _, book in
            guard let book, book.revision < 3 else { return .none }
            cache.performBatchUpdates { batch in
                batch.set(Book(id: 2, revision: book.revision))
                batch.set(Book(id: 1, revision: book.revision + 1))
            }
            return .none
        }
        publisher.subscribe(subscriber)
        subscriber.request(.unlimited)
        set(1)
        #expect(subscriber.revisions == [nil, 1, 2, 3])
        #expect(cache.get(Book.self, id: 2)?.revision == 2)
        subscriber.cancel()
    }

    @Test func subscriberMaySubscribe() {
        let inner = ManualSubscriber<Book?>(onSubscription: { $0.request(.unlimited) })
        let publisher = publisher
        let outer = ManualSubscriber<Book?> { _, book in
            if book?.revision == 1 { publisher.subscribe(inner) }
            return .none
        }
        publisher.subscribe(outer)
        outer.request(.unlimited)
        set(1)
        set(2)
        #expect(outer.revisions == [nil, 1, 2])
        #expect(inner.revisions == [1, 2])
        outer.cancel()
        inner.cancel()
    }

    @Test func subscriberMayWriteInItsCompletion() {
        var cache: Cache? = Cache()
        let other = self.cache
        let handle = cache?.cached(Book.self, id: 1)
        let subscriber = ManualSubscriber<Book?>(onCompletion: {
            handle?.value = Book(id: 1)
            other.set(Book(id: 1))
        })
        handle?.publisher.subscribe(subscriber)
        subscriber.request(.unlimited)
        cache = nil
        #expect(subscriber.hasFinished)
        #expect(other.contains(Book.self, id: 1))
    }
}

#endif
