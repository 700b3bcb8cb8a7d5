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
struct CachedPublisherDemandTests {
    let cache = Cache()
    var publisher: CachedPublisher<Book?> { cache.cached(Book.self, id: 1).publisher }

    func set(_ revisions: ClosedRange<Int>) {
        for revision in revisions { cache.set(Book(id: 1, revision: revision)) }
    }

    @Test func withoutDemandNoValueIsSent() {
        let subscriber = ManualSubscriber<Book?>()
        publisher.subscribe(subscriber)
        set(1...3)
        #expect(subscriber.revisions == [])
        #expect(!subscriber.hasFinished)
        subscriber.cancel()
    }

    @Test func demandOfZeroSendsNoValue() {
        let subscriber = ManualSubscriber<Book?>()
        publisher.subscribe(subscriber)
        subscriber.request(.none)
        #expect(subscriber.revisions == [])
        subscriber.cancel()
    }

    @Test func demandSendsThePendingValueAtOnce() {
        set(1...1)
        let subscriber = ManualSubscriber<Book?>()
        publisher.subscribe(subscriber)
        subscriber.request(.max(1))
        #expect(subscriber.revisions == [1])
        subscriber.cancel()
    }

    @Test func demandOfOneSendsOneValue() {
        let subscriber = ManualSubscriber<Book?>()
        publisher.subscribe(subscriber)
        subscriber.request(.max(1))
        set(1...3)
        #expect(subscriber.revisions == [nil])
        subscriber.cancel()
    }

    @Test func demandsAddUp() {
        let subscriber = ManualSubscriber<Book?>()
        publisher.subscribe(subscriber)
        subscriber.request(.max(1))
        subscriber.request(.max(2))
        subscriber.request(.max(1))
        set(1...9)
        #expect(subscriber.revisions == [nil, 1, 2, 3])
        subscriber.cancel()
    }

    @Test func demandMayGrowWithEachValue() {
        let subscriber = ManualSubscriber<Book?> { _, book in
            book?.revision == 5 ? .none : .max(1)
        }
        publisher.subscribe(subscriber)
        subscriber.request(.max(1))
        set(1...9)
        #expect(subscriber.revisions == [nil, 1, 2, 3, 4, 5])
        subscriber.cancel()
    }

    @Test func demandMayBecomeUnlimited() {
        let subscriber = ManualSubscriber<Book?> { _, book in
            book?.revision == 1 ? .unlimited : .none
        }
        publisher.subscribe(subscriber)
        subscriber.request(.max(2))
        set(1...9)
        #expect(subscriber.revisions == [nil] + Array(1...9))
        subscriber.cancel()
    }

    @Test func slowSubscriberReceivesTheNewest() {
        let subscriber = ManualSubscriber<Book?>()
        publisher.subscribe(subscriber)
        set(1...100)
        subscriber.request(.max(1))
        #expect(subscriber.revisions == [100])
        // The subscriber has received this value, so the next one must be newer.
        subscriber.request(.max(1))
        #expect(subscriber.revisions == [100])
        set(101...103)
        subscriber.request(.max(1))
        #expect(subscriber.revisions == [100, 101, 103])
        subscriber.cancel()
    }

    @Test func demandRequestedWithTheSubscriptionIsServedAfterIt() {
        set(1...1)
        let subscriber = ManualSubscriber<Book?>(onSubscription: { subscriber in
            subscriber.request(.unlimited)
            #expect(subscriber.revisions == [])
        })
        publisher.subscribe(subscriber)
        #expect(subscriber.revisions == [1])
        #expect(subscriber.breaches == [])
        subscriber.cancel()
    }

    @Test func demandRequestedInsideACallIsServedAfterIt() {
        let subscriber = ManualSubscriber<Book?> { subscriber, book in
            let count = subscriber.inputs.count
            subscriber.request(.max(1))
            #expect(subscriber.inputs.count == count)
            return .none
        }
        publisher.subscribe(subscriber)
        subscriber.request(.max(1))
        set(1...5)
        #expect(subscriber.revisions == [nil] + Array(1...5))
        #expect(subscriber.breaches == [])
        subscriber.cancel()
    }

    @Test(.timeLimit(.minutes(15)))
    func demandFromAnotherThreadWaitsForTheRunningCall() async {
        let isInside = Signal()
        let mayReturn = Signal()
        let subscriber = ManualSubscriber<Book?> { _, book in
            if book?.revision == 1 {
                isInside.fire()
                #expect(mayReturn.wait())
            }
            return .none
        }
        set(1...1)
        publisher.subscribe(subscriber)
        let first = RunningThread { subscriber.request(.max(1)) }
        #expect(await until { isInside.isFired })
        // The running call delays neither a commit nor a request, and neither of them starts a
        // second call.
        set(2...3)
        subscriber.request(.max(1))
        #expect(subscriber.revisions == [1])
        mayReturn.fire()
        #expect(await until { first.hasEnded })
        #expect(subscriber.revisions == [1, 3])
        #expect(subscriber.breaches == [])
        subscriber.cancel()
    }

    @Test(.timeLimit(.minutes(15)))
    func requestInTheMiddleOfACommitsCallDoesNotMakeAnother() async {
        let isInside = Signal()
        let mayReturn = Signal()
        let subscriber = ManualSubscriber<Book?> { _, book in
            if book?.revision == 1 {
                isInside.fire()
                #expect(mayReturn.wait())
            }
            return .none
        }
        publisher.subscribe(subscriber)
        subscriber.request(.max(2))
        let committing = RunningThread { set(1...1) }
        #expect(await until { isInside.isFired })
        subscriber.request(.unlimited)
        set(2...2)
        #expect(subscriber.revisions == [nil, 1])
        mayReturn.fire()
        #expect(await until { committing.hasEnded })
        // Another thread may make the call for the second commit.
        #expect(await until { subscriber.revisions == [nil, 1, 2] })
        #expect(subscriber.breaches == [])
        subscriber.cancel()
    }
}

#endif
