import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests the effects of cancelling a consumer's task.
@MainActor
@Suite(.exclusive, .timeLimit(.minutes(15)))
struct CacheSequenceCancellationTests {
    let cache = Cache()

    @Test func cancellingASuspendedConsumerEndsItAndItsObservationAtOnce() async {
        let consumer = await Consumer.begun(cache.cached(Note.self, id: 1).values)
        #expect(await consumer.elements(1).count == 1)
        #expect(cache.core.watchedCount == 1)
        consumer.cancel()
        #expect(cache.core.watchedCount == 0)
        cache.set(Note(id: 1, text: "A"))
        #expect(await consumer.end())
        #expect(consumer.elements.count == 1)
    }

    @Test func cancellingAConsumerOfATypeEndsItsObservationAtOnce() async {
        let consumer = await Consumer.begun(cache.changes(of: Note.self))
        let table = cache.core.tables.table(of: Note.self)
        #expect(table.isObservedAsAWhole)
        consumer.cancel()
        #expect(!table.isObservedAsAWhole)
        cache.set(Note(id: 1, text: "A"))
        #expect(await consumer.end())
        #expect(consumer.elements.isEmpty)
    }

    @Test func observerAndItsCapturesAreReleasedAtOnce() async {
        let receipts = Locked<[Weak<Receipt>]>([])
        let sequence = CacheSequence<Note>(.unbounded) { [cache] sender in
            let receipt = Receipt()
            receipts.withLock { $0.append(Weak(receipt)) }
            return cache.cached(Note.self, id: 1).observe { note in
                withExtendedLifetime(receipt) { sender.send(.known(note)) }
            }
        }
        let consumer = await Consumer.begun(sequence)
        #expect(receipts.withLock { $0.first?.object } != nil)
        consumer.cancel()
        #expect(receipts.withLock { $0.count } == 1)
        #expect(receipts.withLock { $0.first?.object } == nil)
        #expect(await consumer.end())
    }

    @Test func taskCancelledBeforeItsStartReceivesNothing() async {
        cache.set(Note(id: 1, text: "A"))
        let consumer = Consumer(of: cache.cached(Note.self, id: 1).values)
        consumer.cancel()
        #expect(await consumer.end())
        #expect(consumer.elements.isEmpty)
        #expect(cache.core.watchedCount == 0)
    }

    @Test func consumerCancelledInItsLoopReceivesNoMoreElements() async {
        let changes = cache.changes(of: Station.self)
        let cache = cache
        let (began, isCancelled) = (Recorder<Int>(), Recorder<Int>())
        let task = Task {
            var revisions: [Int] = []
            for await change in changes {
                revisions.append(change.new?.revision ?? -1)
                began.append(1)
                _ = await until { isCancelled.count == 1 || Task.isCancelled }
            }
            return revisions
        }
        let table = cache.core.tables.table(of: Station.self)
        _ = await until {
            cache.core.withWriterLock("a test") { _ in table.isObservedAsAWhole }
        }
        for revision in 1...5 { cache.set(Station(id: 1, revision: revision)) }
        _ = await until { began.count == 1 }
        task.cancel()
        isCancelled.append(1)
        #expect(await task.value == [1], "Cancellation discards buffered elements.")
        #expect(!table.isObservedAsAWhole)
    }

    @Test func bufferedValuesAreReleasedWithTheIterator() {
        weak var weakReceipt: Receipt?
        var iterator: CacheSequence<EntityChange<Loan>>.Iterator?
        iterator = cache.changes(of: Loan.self).makeAsyncIterator()
        do {
            let receipt = Receipt()
            weakReceipt = receipt
            cache.set(Loan(id: 1, receipt: receipt))
        }
        cache.remove(Loan.self, id: 1)
        #expect(iterator != nil)
        #expect(weakReceipt != nil)
        iterator = nil
        #expect(weakReceipt == nil)
    }

    @Test func bufferedValuesAreReleasedUnderNoLock() {
        let cache = cache
        let iterator = Locked<CacheSequence<EntityChange<Loan>>.Iterator?>(
            cache.changes(of: Loan.self).makeAsyncIterator()
        )
        let released = Recorder<Int>()
        cache.set(
            Loan(
                id: 1,
                receipt: Receipt {
                    // Writing here sends an element to the mailbox that contained the receipt.
                    cache.set(Loan(id: 2, receipt: Receipt()))
                    released.append(cache.count(of: Loan.self))
                }
            )
        )
        cache.remove(Loan.self, id: 1)
        #expect(released.all.isEmpty)
        let thread = RunningThread { _ = iterator.withLock { $0.take() } }
        #expect(thread.wait())
        #expect(released.all == [1])
    }

    @Test func cancellingWaitsForNoBatch() async {
        let consumer = await Consumer.begun(cache.cached(Note.self, id: 1).values)
        #expect(await consumer.elements(1).count == 1)
        let (inBatch, mayEnd) = (Signal(), Signal())
        let thread = RunningThread { [cache] in
            cache.performBatchUpdates { batch in
                batch.set(Note(id: 1, text: "A"))
                inBatch.fire()
                _ = mayEnd.wait()
            }
        }
        #expect(await until { inBatch.isFired })
        consumer.cancel()
        #expect(await consumer.end())
        mayEnd.fire()
        #expect(thread.wait())
        #expect(cache.core.watchedCount == 0)
        #expect(consumer.elements.count == 1)
    }

    @Test func observerMayCancelAConsumer() async {
        let consumer = await Consumer.begun(cache.cached(Note.self, id: 1).changes)
        let task = consumer.task
        let observation = cache.cached(Note.self, id: 1).observe { _ in task?.cancel() }
        cache.set(Note(id: 1, text: "A"))
        cache.set(Note(id: 1, text: "B"))
        #expect(await consumer.end())
        #expect(
            consumer.elements.map(\.new?.text) == ["A"],
            "The consumer received it before the observer."
        )
        observation.dispose()
        #expect(cache.core.watchedCount == 0)
    }

    @Test func consumersThatAreCancelledWhileThreadsWriteAllEnd() async {
        let isOver = Signal()
        let writers = (0..<2).map { number in
            RunningThread { [cache] in
                cache.set(Station(id: number))
                while !isOver.isFired { cache.touch(number) }
            }
        }
        let values = (0..<2).map { cache.cached(Station.self, id: $0).values }
        for round in 0..<100 {
            let tasks = (0..<4).map { number in
                Task.detached {
                    var count = 0
                    for await _ in values[number % 2] { count += 1 }
                    return count
                }
            }
            for _ in 0..<round % 5 { await Task.yield() }
            for task in tasks { task.cancel() }
            for task in tasks { _ = await task.value }
        }
        isOver.fire()
        #expect(writers.allSatisfy { $0.wait() })
        #expect(cache.isSettled())
        #expect(cache.core.watchedCount == 0)
        cache.core.checkInvariants()
    }
}
