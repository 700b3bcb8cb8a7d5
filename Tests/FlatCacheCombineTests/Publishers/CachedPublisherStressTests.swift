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
struct CachedPublisherStressTests {
    let cache = Cache()
    let rounds = 500

    /// Increments the revision a number of times, on any thread.
    @Sendable func write() {
        for _ in 0..<rounds { cache.update(Book.self, id: 1) { $0.revision += 1 } }
    }

    static func isIncreasing(_ revisions: [Int]) -> Bool {
        zip(revisions, revisions.dropFirst()).allSatisfy { $0 < $1 }
    }

    @Test func sinkSeesOneOrderThatEndsWithTheLast() async {
        cache.set(Book(id: 1))
        let received = Locked<[Int]>([])
        let handle = cache.cached(Book.self, id: 1)
        let subscription = handle.publisher.compactMap(\.self).sink { book in
            let isBehind = (handle.value?.revision ?? 0) < book.revision
            received.withLock { $0.append(isBehind ? -1 : book.revision) }
        }
        #expect(await withThreads(write, write, write))
        // Another thread may make the last calls.
        await cache.waitForObservers()
        let revisions = received.withLock { $0 }
        #expect(Self.isIncreasing(revisions))
        #expect(revisions.last == 3 * rounds)
        subscription.cancel()
    }

    @Test func subscriberThatAsksOnOtherThreadsSeesOneOrder() async {
        cache.set(Book(id: 1))
        let subscriber = ManualSubscriber<Book?> { _, book in
            book.map { $0.revision.isMultiple(of: 3) } == true ? .max(1) : .none
        }
        cache.cached(Book.self, id: 1).publisher.subscribe(subscriber)
        let ask: @Sendable () -> Void = {
            for _ in 0..<rounds { subscriber.request(.max(1)) }
        }
        #expect(await withThreads(write, write, ask, ask))
        await cache.waitForObservers()
        subscriber.request(.unlimited)
        let revisions = subscriber.inputs.compactMap { $0?.revision }
        #expect(Self.isIncreasing(revisions))
        #expect(revisions.last == 2 * rounds)
        #expect(subscriber.breaches == [])
        subscriber.cancel()
    }

    @Test func noCallBeginsAfterCancellationUnderConcurrentWrites() async {
        cache.set(Book(id: 1))
        let isDone = Locked(false)
        let late = Locked(0)
        let writing: @Sendable () -> Void = {
            while !isDone.withLock({ $0 }) { write() }
        }
        let cancelling: @Sendable () -> Void = {
            for _ in 0..<200 {
                let isCancelled = Locked(false)
                let first = Signal()
                let subscription = cache.cached(Book.self, id: 1).publisher.sink { _ in
                    if isCancelled.withLock({ $0 }) { late.withLock { $0 += 1 } }
                    first.fire()
                }
                #expect(first.wait())
                subscription.cancel()
                // A call that has begun may continue. It ends before the completion, which has a
                // later place in the queue.
                let isOver = Signal()
                cache.performBatchUpdates({ _ in }, completion: { isOver.fire() })
                #expect(isOver.wait())
                isCancelled.withLock { $0 = true }
            }
            isDone.withLock { $0 = true }
        }
        #expect(await withThreads(writing, cancelling))
        #expect(late.withLock { $0 } == 0)
        #expect(await until { cache.watchedCount == 0 })
    }

    @Test func severalThreadsMayCancelAtOnce() async {
        cache.set(Book(id: 1))
        for _ in 0..<50 {
            let subscriber = ManualSubscriber<Book?>()
            cache.cached(Book.self, id: 1).publisher.subscribe(subscriber)
            subscriber.request(.unlimited)
            let cancel: @Sendable () -> Void = { subscriber.cancel() }
            let touch: @Sendable () -> Void = {
                cache.update(Book.self, id: 1) { $0.revision += 1 }
            }
            #expect(await withThreads(cancel, cancel, touch))
            #expect(await until { cache.watchedCount == 0 })
            #expect(subscriber.breaches == [])
        }
    }

    @Test func releasingTheCacheDuringWritesFinishesEachSubscriberOnce() async {
        for _ in 0..<50 {
            let owner = Locked<Cache?>(Cache())
            let handle = owner.withLock { $0 }?.cached(Book.self, id: 1)
            handle?.value = Book(id: 1)
            let subscriber = ManualSubscriber<Book?>()
            handle?.publisher.subscribe(subscriber)
            let write: @Sendable () -> Void = {
                for _ in 0..<50 { handle?.update { $0.revision += 1 } }
            }
            let ask: @Sendable () -> Void = {
                for _ in 0..<50 { subscriber.request(.max(1)) }
            }
            let letGo: @Sendable () -> Void = {
                let cache = owner.withLock { owner in
                    defer { owner = nil }
                    return owner
                }
                withExtendedLifetime(cache) {}
            }
            #expect(await withThreads(write, ask, letGo))
            subscriber.request(.unlimited)
            #expect(await until { subscriber.hasFinished })
            #expect(Self.isIncreasing(subscriber.inputs.compactMap { $0?.revision }))
            #expect(subscriber.breaches == [])
        }
    }
}

#endif
