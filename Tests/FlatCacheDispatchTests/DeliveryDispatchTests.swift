import Dispatch
import FlatCache
import FlatCacheDispatch
import Synchronization
import Testing

struct DeliveryDispatchTests {
    struct Note: Identifiable, Sendable {
        let id: Int
        var revision = 0
    }

    /// The revisions that observers received, each with the queue or thread of the call.
    final class Log: Sendable {
        private let entries = Mutex<[(revision: Int, place: String?)]>([])

        func append(_ revision: Int, _ place: String?) {
            entries.withLock { $0.append((revision, place)) }
        }

        var revisions: [Int] { entries.withLock { $0.map(\.revision) } }
        var places: Set<String?> { entries.withLock { Set($0.map(\.place)) } }
    }

    static let name = DispatchSpecificKey<String>()

    @Test func queueCallsObserversInCommitOrder() async {
        let queue = DispatchQueue(label: "observers")
        queue.setSpecific(key: Self.name, value: "observers")
        let cache = Cache(delivery: .queue(queue))
        let log = Log()
        let observation = cache.cached(Note.self, id: 1).observe {
            log.append($0.revision, DispatchQueue.getSpecific(key: Self.name))
        }
        await withCheckedContinuation { done in
            for revision in 1...200 { cache.set(Note(id: 1, revision: revision)) }
            cache.performBatchUpdates { _ in
            } completion: {
                done.resume()
            }
        }
        #expect(log.revisions == Array(1...200))
        #expect(log.places == ["observers"])
        observation.dispose()
    }

    @Test func concurrentQueueDoesNotMixUpTheOrder() async {
        let queue = DispatchQueue(label: "observers", attributes: .concurrent)
        let cache = Cache()
        let log = Log()
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            let running = Atomic<Int>(0)
            let observation = Mutex<Disposable?>(nil)
            let token = cache.cached(Note.self, id: 1).observe(delivery: .queue(queue)) { note in
                let isAlone = running.add(1, ordering: .relaxed).oldValue == 0
                log.append(note.revision, isAlone ? nil : "several at a time")
                running.subtract(1, ordering: .relaxed)
                if note.revision == 500 {
                    observation.withLock { $0.take() }?.dispose()
                    done.resume()
                }
            }
            observation.withLock { $0 = token }
            for revision in 1...500 { cache.set(Note(id: 1, revision: revision)) }
        }
        #expect(log.revisions == Array(1...500))
        #expect(log.places == [nil])
    }

    @Test func mainIsTheMainThread() async {
        let cache = Cache()
        let isOnMain = await withCheckedContinuation { answer in
            let observation = Mutex<Disposable?>(nil)
            let token = cache.cached(Note.self, id: 1).observe(delivery: .main) { _ in
                dispatchPrecondition(condition: .onQueue(.main))
                observation.withLock { $0.take() }?.dispose()
                answer.resume(returning: true)
            }
            observation.withLock { $0 = token }
            cache.set(Note(id: 1))
        }
        #expect(isOnMain)
    }

    @Test func disposalEndsDelivery() {
        let queue = DispatchQueue(label: "observers")
        let cache = Cache()
        let log = Log()
        queue.suspend()
        let observation = cache.cached(Note.self, id: 1).observe(delivery: .queue(queue)) {
            log.append($0.revision, nil)
        }
        for revision in 1...3 { cache.set(Note(id: 1, revision: revision)) }
        observation.dispose()
        queue.resume()
        queue.sync {}
        #expect(log.revisions.isEmpty)
    }

    @Test func commitsBeforeTheCacheIsReleasedAreDeliveredThenTheObserverIsReleased() {
        final class Receipt: Sendable {}
        let queue = DispatchQueue(label: "observers")
        let log = Log()
        weak var weakReceipt: Receipt?
        var cache: Cache? = Cache(delivery: .queue(queue))
        let observation: Disposable?
        do {
            let receipt = Receipt()
            weakReceipt = receipt
            observation = cache?.cached(Note.self, id: 1).observe { note in
                withExtendedLifetime(receipt) { log.append(note.revision, nil) }
            }
        }
        queue.suspend()
        for revision in 1...3 { cache?.set(Note(id: 1, revision: revision)) }
        cache = nil
        #expect(weakReceipt != nil)
        queue.resume()
        queue.sync {}
        #expect(log.revisions == [1, 2, 3])
        #expect(weakReceipt == nil)
        observation?.dispose()
    }

    @Test(.timeLimit(.minutes(15)))
    func observerMayWriteOnItsQueue() async {
        let queue = DispatchQueue(label: "observers")
        let cache = Cache()
        let log = Log()
        let last = 1_000
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            let observation = Mutex<Disposable?>(nil)
            let token = cache.cached(Note.self, id: 1).observe(delivery: .queue(queue)) {
                [cache] note in
                dispatchPrecondition(condition: .onQueue(queue))
                log.append(note.revision, nil)
                if note.revision < last {
                    cache.set(Note(id: 1, revision: note.revision + 1))
                } else {
                    observation.withLock { $0.take() }?.dispose()
                    done.resume()
                }
            }
            observation.withLock { $0 = token }
            cache.set(Note(id: 1, revision: 1))
        }
        #expect(log.revisions == Array(1...last))
    }

    @Test func commitOnTheQueueItselfDoesNotWaitForItsObservers() {
        let queue = DispatchQueue(label: "observers")
        let cache = Cache(delivery: .queue(queue))
        let log = Log()
        let observation = cache.cached(Note.self, id: 1).observe { log.append($0.revision, nil) }
        queue.sync {
            cache.set(Note(id: 1, revision: 1))
            #expect(log.revisions == [])
        }
        queue.sync {}
        #expect(log.revisions == [1])
        observation.dispose()
    }

    @Test(.timeLimit(.minutes(15)))
    func observerThatWritesOnAndOnLeavesTheQueueToOtherWork() {
        let queue = DispatchQueue(label: "observers")
        let cache = Cache(delivery: .queue(queue))
        let mayEnd = Atomic(false)
        let limit = 200_000
        let observation = cache.cached(Note.self, id: 1).observe { [unowned cache] note in
            if note.revision < limit, !mayEnd.load(ordering: .relaxed) {
                cache.set(Note(id: 1, revision: note.revision + 1))
            }
        }
        cache.set(Note(id: 1, revision: 1))
        queue.sync { mayEnd.store(true, ordering: .relaxed) }
        queue.sync {}
        #expect((1..<limit).contains(cache[Note.self, 1]?.revision ?? 0))
        observation.dispose()
    }
}
