#if canImport(Combine) || OpenCombine

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif
import FlatCache
import FlatCacheCombine
import Testing

@Suite(.exclusive)
struct CachedPublisherLifetimeTests {
    /// An owner of a cache that can release it on any thread.
    final class Owner: Sendable {
        private let cache = Locked<Cache?>(Cache())

        var publisher: CachedPublisher<Book?>? {
            cache.withLock { $0 }?.cached(Book.self, id: 1).publisher
        }

        func set(_ revision: Int) {
            cache.withLock { $0 }?.set(Book(id: 1, revision: revision))
        }

        func letGo() {
            let cache = cache.withLock { cache in
                defer { cache = nil }
                return cache
            }
            withExtendedLifetime(cache) {}
        }
    }

    let owner = Owner()

    @Test func neitherAPublisherNorASubscriptionKeepsTheCache() {
        weak var released: Cache?
        let subscriber = ManualSubscriber<Book?>()
        let publisher: CachedPublisher<Book?>
        do {
            let cache = Cache()
            released = cache
            publisher = cache.cached(Book.self, id: 1).publisher
            publisher.subscribe(subscriber)
            subscriber.request(.unlimited)
        }
        #expect(released == nil)
        #expect(subscriber.hasFinished)
        withExtendedLifetime(publisher) {}
    }

    @Test func releaseOfTheCacheNeedsNoDemand() {
        let subscriber = ManualSubscriber<Book?>()
        owner.publisher?.subscribe(subscriber)
        subscriber.request(.max(1))
        #expect(!subscriber.hasFinished)
        owner.letGo()
        #expect(subscriber.hasFinished)
        #expect(subscriber.revisions == [nil])
        #expect(subscriber.breaches == [])
    }

    @Test func lastValuePrecedesTheCompletion() {
        let subscriber = ManualSubscriber<Book?>()
        owner.publisher?.subscribe(subscriber)
        owner.set(1)
        owner.letGo()
        #expect(!subscriber.hasFinished)
        subscriber.request(.max(1))
        #expect(subscriber.revisions == [1])
        #expect(subscriber.hasFinished)
        #expect(subscriber.breaches == [])
    }

    @Test func subscriberMayStillCancelBeforeTheLastValue() {
        let subscriber = ManualSubscriber<Book?>()
        owner.publisher?.subscribe(subscriber)
        owner.letGo()
        subscriber.cancel()
        subscriber.request(.unlimited)
        #expect(subscriber.revisions == [])
        #expect(!subscriber.hasFinished)
    }

    @Test func lateSubscribersReceiveTheCompletion() {
        let publisher = owner.publisher
        owner.set(1)
        owner.letGo()
        let subscriber = ManualSubscriber<Book?>(onSubscription: { subscriber in
            #expect(!subscriber.hasFinished)
        })
        publisher?.subscribe(subscriber)
        #expect(subscriber.hasFinished)
        #expect(subscriber.revisions == [])
        #expect(subscriber.breaches == [])
    }

    @Test func cacheMayBeReleasedInsideACall() {
        let subscriber = ManualSubscriber<Book?> { [owner] subscriber, book in
            if book?.revision == 1 { owner.letGo() }
            #expect(!subscriber.hasFinished)
            return .none
        }
        owner.publisher?.subscribe(subscriber)
        subscriber.request(.unlimited)
        owner.set(1)
        #expect(subscriber.revisions == [nil, 1])
        #expect(subscriber.hasFinished)
        #expect(subscriber.breaches == [])
    }

    @Test func cacheMayBeReleasedInsideARequestedCall() {
        let subscriber = ManualSubscriber<Book?> { [owner] _, _ in
            owner.letGo()
            return .none
        }
        owner.publisher?.subscribe(subscriber)
        subscriber.request(.max(1))
        #expect(subscriber.revisions == [nil])
        #expect(subscriber.hasFinished)
        #expect(subscriber.breaches == [])
    }

    @Test(.timeLimit(.minutes(15)))
    func cacheMayBeReleasedOnAnotherThreadDuringACall() async {
        let isInside = Signal()
        let mayReturn = Signal()
        let subscriber = ManualSubscriber<Book?> { _, _ in
            isInside.fire()
            #expect(mayReturn.wait())
            return .none
        }
        owner.publisher?.subscribe(subscriber)
        let asking = RunningThread { subscriber.request(.unlimited) }
        #expect(await until { isInside.isFired })
        owner.set(1)
        owner.letGo()
        #expect(!subscriber.hasFinished)
        mayReturn.fire()
        #expect(await until { asking.hasEnded })
        #expect(subscriber.revisions == [nil, 1])
        #expect(subscriber.hasFinished)
        #expect(subscriber.breaches == [])
    }

    @Test func afterTheEndNothingDoesHarm() {
        let subscriber = ManualSubscriber<Book?>()
        owner.publisher?.subscribe(subscriber)
        subscriber.request(.unlimited)
        owner.letGo()
        subscriber.request(.unlimited)
        subscriber.cancel()
        subscriber.cancel()
        #expect(subscriber.revisions == [nil])
        #expect(subscriber.breaches == [])
    }

    @Test func subscriberMayCancelInsideItsCompletion() {
        let subscriber = ManualSubscriber<Book?>()
        let cancelling = ManualSubscriber<Book?>(onCompletion: { subscriber.cancel() })
        owner.publisher?.subscribe(subscriber)
        owner.publisher?.subscribe(cancelling)
        subscriber.request(.max(1))
        cancelling.request(.max(1))
        owner.letGo()
        #expect(cancelling.hasFinished)
        #expect(subscriber.breaches == [])
    }

    @Test func endReleasesTheSubscriber() {
        weak var released: ManualSubscriber<Book?>?
        do {
            let subscriber = ManualSubscriber<Book?>()
            released = subscriber
            owner.publisher?.subscribe(subscriber)
            subscriber.request(.unlimited)
            // The subscriber retains the subscription, which no longer retains the subscriber.
            owner.letGo()
            #expect(subscriber.hasFinished)
        }
        #expect(released == nil)
    }

    @Test func unreferencedSubscribersAreReleasedWithTheCache() {
        weak var released: ManualSubscriber<Book?>?
        do {
            let subscriber = ManualSubscriber<Book?>()
            released = subscriber
            owner.publisher?.subscribe(subscriber)
            subscriber.forgetSubscription()
        }
        #expect(released != nil)
        owner.letGo()
        #expect(released == nil)
    }
}

#endif
