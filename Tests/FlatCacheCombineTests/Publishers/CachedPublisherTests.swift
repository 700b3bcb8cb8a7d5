#if canImport(Combine) || OpenCombine

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif
import FlatCache
import FlatCacheCombine
import Testing

struct CachedPublisherTests {
    let cache = Cache()
    let received = Locked<[Int?]>([])

    var all: [Int?] { received.withLock { $0 } }

    /// Records the revisions that a publisher emits.
    func note(_ publisher: CachedPublisher<Book?>) -> AnyCancellable {
        publisher.sink { book in received.withLock { $0.append(book?.revision) } }
    }

    @Test func currentValueIsSentFirstAndAtOnce() {
        cache.set(Book(id: 1, revision: 7))
        let subscription = note(cache.cached(Book.self, id: 1).publisher)
        #expect(all == [7])
        cache.set(Book(id: 1, revision: 8))
        #expect(all == [7, 8])
        subscription.cancel()
    }

    @Test func missingEntityGivesNil() {
        let subscription = note(cache.cached(Book.self, id: 1).publisher)
        cache.set(Book(id: 1))
        cache.remove(Book.self, id: 1)
        #expect(all == [nil, 0, nil])
        subscription.cancel()
    }

    @Test func valuesAreSentOncePerCommitInOrder() {
        let subscription = note(cache.cached(Book.self, id: 1).publisher)
        for revision in 1...20 {
            cache.performBatchUpdates { batch in
                batch.set(Book(id: 1, revision: -1))
                batch.set(Book(id: 1, revision: revision))
            }
        }
        cache.set(Book(id: 1, revision: 20))
        cache.set(Book(id: 2))
        #expect(all == [nil] + Array(1...20))
        subscription.cancel()
    }

    @Test func currentValueIsThatOfTheSubscription() {
        let publisher = cache.cached(Book.self, id: 1).publisher
        #expect(cache.watchedCount == 0)
        cache.set(Book(id: 1, revision: 5))
        let subscription = note(publisher)
        #expect(all == [5])
        #expect(cache.watchedCount == 1)
        subscription.cancel()
    }

    @Test func changesToRelatedEntitiesAreSent() {
        cache.set(Book(id: 1, author: Related("le-guin")))
        let subscription = note(cache.cached(Book.self, id: 1).publisher)
        cache.set(Author(id: "le-guin"))
        #expect(all == [0, 0])
        subscription.cancel()
    }

    @Test func followingLimitsTheReach() {
        cache.set(Book(id: 1, author: Related("le-guin")))
        let handle = cache.cached(Book.self, id: 1)
        let first = note(handle.following(.none).publisher)
        let second = note(cache.cached(Book.self, id: 1).following(.none).publisher)
        cache.set(Author(id: "le-guin"))
        #expect(all == [0, 0])
        cache.set(Book(id: 1, revision: 1))
        #expect(all == [0, 0, 1, 1])
        first.cancel()
        second.cancel()
    }

    @Test func cachePublishesTheValuesOfAHandle() {
        let subscription = note(cache.cached(Book.self, id: 1).publisher)
        cache.set(Book(id: 1, revision: 3))
        #expect(all == [nil, 3])
        subscription.cancel()
        #expect(cache.watchedCount == 0)
    }

    @Test func eachSubscriberObservesForItself() {
        let publisher = cache.cached(Book.self, id: 1).publisher
        let first = note(publisher)
        cache.set(Book(id: 1, revision: 1))
        let second = note(publisher)
        #expect(all == [nil, 1, 1])
        first.cancel()
        #expect(cache.watchedCount == 1)
        cache.set(Book(id: 1, revision: 2))
        #expect(all == [nil, 1, 1, 2])
        second.cancel()
        #expect(cache.watchedCount == 0)
    }

    @Test func operatorsApply() {
        let subscription = cache.cached(Book.self, id: 1).publisher
            .compactMap { $0 }
            .map { $0.revision / 10 }
            .removeDuplicates()
            .sink { tens in received.withLock { $0.append(tens) } }
        for revision in 0..<40 { cache.set(Book(id: 1, revision: revision)) }
        #expect(all == [0, 1, 2, 3])
        subscription.cancel()
        #expect(cache.watchedCount == 0)
    }

    @Test func firstOneEndsTheObservation() {
        let hasFinished = Locked(false)
        let subscription = cache.cached(Book.self, id: 1).publisher
            .compactMap { $0 }
            .first()
            .sink { _ in
                hasFinished.withLock { $0 = true }
            } receiveValue: { book in
                received.withLock { $0.append(book.revision) }
            }
        #expect(cache.watchedCount == 1)
        cache.set(Book(id: 1, revision: 1))
        #expect(hasFinished.withLock { $0 })
        #expect(cache.watchedCount == 0)
        cache.set(Book(id: 1, revision: 2))
        #expect(all == [1])
        subscription.cancel()
    }

    @Test func publisherMayLeadToAnother() {
        cache.set(Book(id: 1, author: Related("le-guin")))
        cache.set(Author(id: "lem", name: "Lem"))
        let subscription = cache.cached(Book.self, id: 1).following(.none).publisher
            .compactMap { $0?.author }
            .map { [cache] author in cache.cached(Author.self, id: author.id).publisher }
            .switchToLatest()
            .sink { author in received.withLock { $0.append(author?.name.count) } }
        cache.set(Author(id: "le-guin", name: "Le Guin"))
        cache.set(Book(id: 1, author: Related("lem")))
        cache.set(Author(id: "le-guin", name: "Ursula K. Le Guin"))
        #expect(all == [nil, 7, 3])
        subscription.cancel()
        #expect(cache.watchedCount == 0)
    }

    @Test func subscriberReadsTheValueThatItReceives() {
        let handle = cache.cached(Book.self, id: 1)
        let subscription = handle.publisher.sink { [cache] book in
            let read = cache.get(Book.self, id: 1)
            received.withLock { $0.append((read?.revision ?? 0) - (book?.revision ?? 0)) }
            #expect(handle.value == read)
        }
        for revision in 1...3 { cache.set(Book(id: 1, revision: revision)) }
        #expect(all == [0, 0, 0, 0])
        subscription.cancel()
    }
}

#endif
