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
struct CachedPublisherCancellationTests {
    let cache = Cache()
    var publisher: CachedPublisher<Book?> { cache.cached(Book.self, id: 1).publisher }

    func set(_ revision: Int) { cache.set(Book(id: 1, revision: revision)) }

    @Test func cancellationEndsTheValues() {
        let subscriber = ManualSubscriber<Book?>()
        publisher.subscribe(subscriber)
        subscriber.request(.unlimited)
        set(1)
        subscriber.cancel()
        #expect(cache.watchedCount == 0)
        set(2)
        subscriber.request(.unlimited)
        #expect(subscriber.revisions == [nil, 1])
        #expect(!subscriber.hasFinished)
    }

    @Test func cancellingTwiceIsHarmless() {
        let subscriber = ManualSubscriber<Book?>()
        let other = ManualSubscriber<Book?>()
        publisher.subscribe(subscriber)
        publisher.subscribe(other)
        other.request(.unlimited)
        subscriber.cancel()
        subscriber.cancel()
        set(1)
        #expect(subscriber.revisions == [])
        #expect(other.revisions == [nil, 1])
        other.cancel()
    }

    @Test func cancellationDropsAPendingValue() {
        let subscriber = ManualSubscriber<Book?>()
        publisher.subscribe(subscriber)
        set(1)
        subscriber.cancel()
        subscriber.request(.unlimited)
        #expect(subscriber.revisions == [])
    }

    @Test func releasingASinkCancels() {
        var subscription: AnyCancellable? = publisher.sink { _ in }
        #expect(cache.watchedCount == 1)
        withExtendedLifetime(subscription) {}
        subscription = nil
        #expect(cache.watchedCount == 0)
    }

    @Test func subscriberMayCancelInsideACall() {
        let subscriber = ManualSubscriber<Book?> { subscriber, book in
            if book?.revision == 1 { subscriber.cancel() }
            return .unlimited
        }
        publisher.subscribe(subscriber)
        subscriber.request(.unlimited)
        set(1)
        #expect(cache.watchedCount == 0)
        set(2)
        #expect(subscriber.revisions == [nil, 1])
    }

    @Test func subscriberMayCancelInsideARequestedCall() {
        set(1)
        let subscriber = ManualSubscriber<Book?> { subscriber, _ in
            set(2)
            subscriber.cancel()
            return .unlimited
        }
        publisher.subscribe(subscriber)
        subscriber.request(.unlimited)
        #expect(subscriber.revisions == [1])
        #expect(cache.watchedCount == 0)
    }

    @Test func subscriberMayCancelAtOnce() {
        let subscriber = ManualSubscriber<Book?>(onSubscription: { subscriber in
            subscriber.request(.unlimited)
            subscriber.cancel()
        })
        publisher.subscribe(subscriber)
        #expect(cache.watchedCount == 0)
        set(1)
        #expect(subscriber.revisions == [])
    }

    @Test(.timeLimit(.minutes(15)))
    func cancellationOnAnotherThreadDoesNotWaitForTheCallThatRuns() async {
        let isInside = Signal()
        let mayReturn = Signal()
        let subscriber = ManualSubscriber<Book?> { _, book in
            if book?.revision == 1 {
                isInside.fire()
                #expect(mayReturn.wait())
            }
            return .unlimited
        }
        publisher.subscribe(subscriber)
        subscriber.request(.unlimited)
        let committing = RunningThread { set(1) }
        #expect(await until { isInside.isFired })
        // The thread inside the call would also deliver this commit.
        set(2)
        subscriber.cancel()
        #expect(cache.watchedCount == 0)
        mayReturn.fire()
        #expect(await until { committing.hasEnded })
        set(3)
        #expect(subscriber.revisions == [nil, 1])
    }

    @Test(.timeLimit(.minutes(15)))
    func cancellationOnAnotherThreadDuringARequestedCallEndsTheValues() async {
        let isInside = Signal()
        let mayReturn = Signal()
        let subscriber = ManualSubscriber<Book?> { _, _ in
            isInside.fire()
            #expect(mayReturn.wait())
            return .unlimited
        }
        publisher.subscribe(subscriber)
        let asking = RunningThread { subscriber.request(.unlimited) }
        #expect(await until { isInside.isFired })
        set(1)
        subscriber.cancel()
        mayReturn.fire()
        #expect(await until { asking.hasEnded })
        #expect(subscriber.revisions == [nil])
    }

    @Test func cancellationReleasesTheSubscriberAndPendingValues() {
        weak var receipt: Loan.Receipt?
        weak var released: ManualSubscriber<Loan?>?
        do {
            let loan = Loan(id: 1)
            receipt = loan.receipt
            cache.set(loan)
            let subscriber = ManualSubscriber<Loan?>()
            released = subscriber
            cache.cached(Loan.self, id: 1).publisher.subscribe(subscriber)
            cache.remove(Loan.self, id: 1)
            cache.set(loan)
            subscriber.cancel()
            cache.remove(Loan.self, id: 1)
            subscriber.forgetSubscription()
        }
        #expect(released == nil)
        #expect(receipt == nil)
    }

    @Test func keptSubscriptionDoesNotKeepACancelledSubscriber() {
        final class Witness: Sendable {}
        weak var released: Witness?
        let subscription = Locked<[any Subscription]>([])
        do {
            let witness = Witness()
            released = witness
            publisher.subscribe(
                AnySubscriber<Book?, Never>(
                    receiveSubscription: { given in subscription.withLock { $0.append(given) } },
                    receiveValue: { _ in withExtendedLifetime(witness) { .none } }
                )
            )
        }
        #expect(released != nil)
        for each in subscription.withLock({ $0 }) { each.cancel() }
        #expect(released == nil)
    }

    @Test func subscriberNeedNotKeepItsSubscription() {
        let received = Locked<[Int?]>([])
        publisher.subscribe(
            AnySubscriber<Book?, Never>(
                receiveSubscription: { $0.request(.unlimited) },
                receiveValue: { book in
                    received.withLock { $0.append(book?.revision) }
                    return .none
                }
            )
        )
        set(1)
        #expect(received.withLock { $0 } == [nil, 1])
    }
}

#endif
