import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests the isolation of batches from other threads.
@Suite(.exclusive)
struct CacheBatchingIsolationTests {
    let cache = Cache()

    /// Runs a closure on another thread in the middle of a batch on this one.
    private func whileABatchIsOpen(_ body: @escaping @Sendable () -> Void) {
        cache.performBatchUpdates { batch in
            batch.set(Note(id: 1, text: "new"))
            batch.remove(Note.self, id: 2)
            batch.set(Note(id: 3, text: "new"))
            let other = RunningThread(body)
            #expect(other.wait(), "The closure must not wait for the batch.")
            batch.set(Note(id: 4, text: "new"))
        }
    }

    @Test func readersDoNotWaitAndReadTheStateBefore() {
        cache.set(contentsOf: [Note(id: 1, text: "old"), Note(id: 2, text: "old")])
        let handle = cache.cached(Note.self, id: 1)
        whileABatchIsOpen { [cache] in
            #expect(cache[Note.self, 1]?.text == "old")
            #expect(cache[Note.self, 2]?.text == "old")
            #expect(cache[Note.self, 3] == nil)
            #expect(handle.value?.text == "old")
            #expect(cache.cached(Note.self, id: 2).value?.text == "old")
            #expect(cache.cached(Note.self, id: 3).value == nil)
            #expect(cache.cached(Book.self, id: 1).value == nil)
            #expect(cache.count(of: Note.self) == 2)
            #expect(cache.ids(of: Note.self).sorted() == [1, 2])
            #expect(cache.values(of: Note.self).map(\.text) == ["old", "old"])
            #expect(cache.version == 1)
            cache.withSnapshot { snapshot in
                #expect(snapshot[Note.self, 1]?.text == "old")
                #expect(snapshot.count(of: Note.self) == 2)
                #expect(snapshot.version == 1)
            }
        }
        #expect(cache.ids(of: Note.self).sorted() == [1, 3, 4])
        cache.core.checkInvariants()
    }

    @Test func disposingDoesNotWait() {
        let received = Recorder<Station.ID>()
        let first = cache.record(1, in: received)
        let second = Locked<Disposable?>(cache.record(2, in: received))
        cache.performBatchUpdates { batch in
            batch.set(contentsOf: [Station(id: 1), Station(id: 2)])
            let other = RunningThread {
                first.dispose()
                let last = second.withLock { token in
                    defer { token = nil }
                    return token
                }
                withExtendedLifetime(last) {}
            }
            #expect(other.wait(), "Disposal must not wait for the batch.")
        }
        #expect(received.all == [])
        #expect(cache.core.watchedCount == 0)
        cache.core.checkInvariants()
    }

    @Test func readerReadsTheOldStateUntilTheEndAndTheNewOneAfterIt() {
        cache.set(Note(id: 1, text: "old"))
        let mayEnd = Signal()
        let isOpen = Signal()
        let writer = RunningThread { [cache] in
            cache.performBatchUpdates { batch in
                batch.set(Note(id: 1, text: "new"))
                isOpen.fire()
                #expect(mayEnd.wait())
            }
        }
        #expect(isOpen.wait())
        #expect(cache[Note.self, 1]?.text == "old")
        mayEnd.fire()
        #expect(writer.wait())
        #expect(cache[Note.self, 1]?.text == "new")
    }

    @Test func writesOfAnotherThreadDuringABatchArentLost() {
        cache.set(Station(id: 0))
        let isStarted = Signal()
        let writers = Locked<[RunningThread]>([])
        cache.performBatchUpdates { batch in
            batch.touch(0)
            let writer = RunningThread { [cache] in
                isStarted.fire()
                cache.touch(0)
                cache.set(Note(id: 1, text: "from the other thread"))
            }
            writers.withLock { $0.append(writer) }
            #expect(isStarted.wait())
            batch.touch(0)
            #expect(batch[Station.self, 0]?.revision == 2, "The other writer must wait.")
            #expect(!writer.hasEnded)
        }
        #expect(writers.withLock { $0 }.allSatisfy { $0.wait() })
        #expect(cache[Station.self, 0]?.revision == 3)
        #expect(cache[Note.self, 1] != nil)
        #expect(cache.version == 4)
    }

    @Test func batchesOnSeveralThreadsLoseNothing() {
        cache.set(contentsOf: [Station(id: 0), Station(id: 1)])
        let ended = onThreads(4) { [cache] thread in
            for step in 0..<200 {
                cache.performBatchUpdates { batch in
                    batch.touch(0)
                    cache.touch(1)
                    batch.set(Note(id: thread * 1000 + step, text: ""))
                }
            }
        }
        #expect(ended)
        #expect(cache.isSettled())
        #expect(cache[Station.self, 0]?.revision == 800)
        #expect(cache[Station.self, 1]?.revision == 800)
        #expect(cache.count(of: Note.self) == 800)
        #expect(cache.version == 801)
        cache.core.checkInvariants()
    }

    @Test func noReaderEverSeesHalfOfABatch() {
        let count = 64
        cache.set(contentsOf: (0..<count).map { Station(id: $0) })
        let torn = Recorder<String>()
        let isDone = Locked(false)
        let reads = Locked(0)
        let ended = onThreads(3) { [cache] thread in
            if thread == 0 {
                // The writer continues until the readers have read often enough.
                var step = 0
                while step < 300 || reads.withLock({ $0 }) < 400 {
                    step += 1
                    cache.performBatchUpdates { batch in
                        for id in 0..<count { batch.touch(id) }
                    }
                }
                isDone.withLock { $0 = true }
                return
            }
            let handles = (0..<count).map { cache.cached(Station.self, id: $0) }
            while !isDone.withLock({ $0 }) {
                let revisions = cache.withSnapshot { snapshot in
                    (0..<count).compactMap { snapshot[Station.self, $0]?.revision }
                }
                if Set(revisions).count != 1 { torn.append("snapshot: \(revisions)") }

                let values = cache.values(of: Station.self).map(\.revision)
                if Set(values).count != 1 { torn.append("values(of:): \(values)") }

                // A later commit may come between two reads, but a read never returns an older
                // state than the one before it.
                let gets = (0..<count).compactMap { cache[Station.self, $0]?.revision }
                if gets != gets.sorted() { torn.append("get: \(gets)") }
                let latest = handles.compactMap { $0.value?.revision }
                if latest != latest.sorted() { torn.append("handles: \(latest)") }
                if latest.first ?? 0 < gets.last ?? 0 { torn.append("handles after get") }
                reads.withLock { $0 += 1 }
            }
        }
        #expect(ended)
        #expect(cache.isSettled())
        #expect(torn.all.prefix(3) == [])
        cache.core.checkInvariants()
    }

    @Test func countsIncludeWholeBatches() {
        let wrong = Recorder<Int>()
        let isDone = Locked(false)
        let ended = onThreads(3) { [cache] thread in
            if thread == 0 {
                for _ in 0..<300 {
                    cache.set(contentsOf: (0..<10).map { Note(id: $0, text: "") })
                    cache.removeAll(Note.self)
                }
                isDone.withLock { $0 = true }
                return
            }
            while !isDone.withLock({ $0 }) {
                for count in [cache.count(of: Note.self), cache.ids(of: Note.self).count]
                where count != 0 && count != 10 {
                    wrong.append(count)
                }
            }
        }
        #expect(ended)
        #expect(cache.isSettled())
        #expect(wrong.all == [])
        cache.core.checkInvariants()
    }
}
