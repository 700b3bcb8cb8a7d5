import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests the order of calls and the actions that observers may take.
@Suite(.exclusive)
struct CacheObservingDeliveryTests {
    let cache = Cache()

    @Test func writeInACallbackIsReadAtOnceAndDeliveredAfterIt() {
        let events = Recorder<String>()
        let first = cache.cached(Note.self, id: 1).observe { [cache] note in
            events.append("begin \(note.text)")
            if note.text == "A" {
                cache.set(Note(id: 1, text: "B"))
                events.append("reads \(cache[Note.self, 1]?.text ?? "-")")
            }
            events.append("end \(note.text)")
        }
        let second = cache.cached(Note.self, id: 1).observe { events.append("second \($0.text)") }
        cache.set(Note(id: 1, text: "A"))
        #expect(
            events.all == [
                "begin A", "reads B", "end A", "second A", "begin B", "end B", "second B",
            ]
        )
        first.dispose()
        second.dispose()
    }

    @Test func longExchangeBetweenObserversDoesNotGrowTheStack() {
        let steps = 10_000
        let calls = Recorder<Int>()
        let observations = [(1, 2), (2, 1)].map { from, to in
            cache.cached(Station.self, id: from).observe { [cache] station in
                calls.append(station.revision)
                guard station.revision < steps else { return }
                cache.set(Station(id: to, revision: station.revision + 1))
            }
        }
        let thread = RunningThread(stackSize: 1 << 20) { [cache] in
            cache.set(Station(id: 1, revision: 1))
        }
        #expect(thread.wait())
        #expect(calls.all == Array(1...steps))
        for observation in observations { observation.dispose() }
    }

    @Test func callsAreInTheOrderOfTheCommits() {
        let versions = Recorder<UInt64>()
        let observations = (0..<4).map { id in
            cache.cached(Station.self, id: id).observeChanges { versions.append($0.version) }
        }
        let ended = onThreads(4) { [cache] thread in
            for step in 0..<300 {
                cache.set(Station(id: thread, revision: step))
                if step % 10 == 0 {
                    cache.performBatchUpdates { batch in
                        for id in 0..<4 { batch.set(Station(id: id, revision: -step - 1)) }
                    }
                }
            }
        }
        #expect(ended)
        #expect(cache.isSettled())
        // A writer that leaves its calls to another thread may return before they are made.
        #expect(blockUntil { versions.all.last == cache.version })
        #expect(versions.all == versions.all.sorted())
        #expect(Set(versions.all).count == Int(cache.version))
        for observation in observations { observation.dispose() }
    }

    @Test func thereIsOneCallAtATime() {
        let running = Locked(0)
        let overlaps = Recorder<Int>()
        let calls = Recorder<Station.ID>()
        let observations = (0..<4).map { id in
            cache.cached(Station.self, id: id).observe { _ in
                let others = running.withLock { running in
                    defer { running += 1 }
                    return running
                }
                if others > 0 { overlaps.append(others) }
                calls.append(id)
                running.withLock { $0 -= 1 }
            }
        }
        let ended = onThreads(4) { [cache] thread in
            for step in 0..<500 { cache.set(Station(id: thread, revision: step)) }
        }
        #expect(ended)
        #expect(cache.isSettled())
        #expect(blockUntil { calls.count == 2000 })
        #expect(overlaps.all == [])
        for observation in observations { observation.dispose() }
    }

    @Test func commitsDuringACallAreLeftToTheDeliveringThread() {
        let isInside = Signal()
        let mayReturn = Signal()
        let events = Recorder<String>()
        let observation = cache.cached(Note.self, id: 1).observe { note in
            events.append("begin \(note.text)")
            if note.text == "A" {
                isInside.fire()
                #expect(mayReturn.wait())
            }
            events.append("end \(note.text)")
        }
        let first = RunningThread { [cache] in cache.set(Note(id: 1, text: "A")) }
        #expect(isInside.wait())
        // The write returns while the other thread's call is running.
        cache.set(Note(id: 1, text: "B"))
        #expect(cache[Note.self, 1]?.text == "B")
        #expect(events.all == ["begin A"])
        mayReturn.fire()
        #expect(first.wait())
        // A third thread may deliver the second commit.
        #expect(cache.isSettled())
        #expect(events.all == ["begin A", "end A", "begin B", "end B"])
        observation.dispose()
    }

    @Test func callbackHoldsNoLock() {
        cache.set(contentsOf: Station.chain(3))
        let isDone = Signal()
        let observation = cache.cached(Station.self, id: 0).observe { [cache] _ in
            let other = RunningThread {
                cache.set(Note(id: 1, text: ""))
                cache.performBatchUpdates { $0.set(Note(id: 2, text: "")) }
                cache.cached(Note.self, id: 1).observe { _ in }.dispose()
                cache.pruneUnobservedValues()
                _ = cache.values(of: Station.self)
            }
            if other.wait() { isDone.fire() }
        }
        cache.touch(2)
        #expect(isDone.isFired, "Another thread had to wait for a callback.")
        observation.dispose()
    }

    @Test func observerMayReadWriteBatchObserveAndPrune() {
        cache.set(Station(id: 9))
        let received = Recorder<String>()
        let inner = Locked<[Disposable]>([])
        let observation = cache.cached(Station.self, id: 1).observe { [cache] station in
            received.append("outer \(station.revision)")
            guard station.revision == 0 else { return }
            let token = cache.cached(Station.self, id: 1).observe(initial: true) {
                received.append("inner \($0.revision)")
            }
            inner.withLock { $0.append(token) }
            cache.performBatchUpdates { batch in
                batch.touch(1)
                batch.touch(1)
            }
            #expect(cache.pruneUnobservedValues() == 1)
            received.append("end")
        }
        cache.set(Station(id: 1))
        #expect(received.all == ["outer 0", "end", "inner 0", "outer 2", "inner 2"])
        observation.dispose()
        for token in inner.withLock({ $0 }) { token.dispose() }
    }

    @Test func observationsBegunInACallbackDontReceiveItsCommit() {
        let received = Recorder<Int>()
        let inner = Locked<[Disposable]>([])
        let observation = cache.cached(Station.self, id: 1).observe { [cache] station in
            guard station.revision == 0 else { return }
            let token = cache.cached(Station.self, id: 1).observe { received.append($0.revision) }
            inner.withLock { $0.append(token) }
        }
        cache.set(Station(id: 1))
        #expect(received.all == [])
        cache.set(Station(id: 1, revision: 1))
        #expect(received.all == [1])
        observation.dispose()
        for token in inner.withLock({ $0 }) { token.dispose() }
    }

    @Test func valueOfACallIsThatOfItsCommit() {
        // The call must not have the value of a later commit, which an earlier observer makes.
        let received = Recorder<Int>()
        let first = cache.cached(Station.self, id: 1).observe { [cache] station in
            if station.revision == 1 { cache.set(Station(id: 1, revision: 2)) }
        }
        let second = cache.cached(Station.self, id: 1).observeChanges { change in
            received.append(change.new?.revision ?? -1)
        }
        cache.set(Station(id: 1, revision: 1))
        #expect(received.all == [1, 2])
        first.dispose()
        second.dispose()
    }
}
