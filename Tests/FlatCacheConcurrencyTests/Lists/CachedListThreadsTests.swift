import Synchronization
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests lists under several threads, with assertions on the whole history.
@Suite(.exclusive, .timeLimit(.minutes(15)))
struct CachedListThreadsTests {
    let cache = Cache()
    let list: CachedList<Station>

    init() {
        list = cache.list("list", of: Station.self)
    }

    /// Sets the list to one of two groups of elements, all with the same revision, in one batch.
    private func swap(to revision: Int, count: Int) {
        let first = revision % 2 == 0 ? 0 : count
        cache.performBatchUpdates { batch in
            for id in first..<first + count {
                batch.set(Station(id: id, revision: revision, next: [100 + id]))
                batch.set(Station(id: 100 + id, revision: revision))
            }
            list.ids = Array(first..<first + count)
        }
    }

    /// Returns the revision of the elements if they belong to one state, or `nil` otherwise.
    private static func revision(of elements: [Station], count: Int) -> Int? {
        guard let revision = elements.first?.revision, elements.count == count else { return nil }
        let first = revision % 2 == 0 ? 0 : count
        return elements.map(\.id) == Array(first..<first + count)
            && elements.allSatisfy { $0.revision == revision } ? revision : nil
    }

    @Test func readersNeverSeeHalfOfABatch() {
        let count = 20
        let rounds = 400
        swap(to: 0, count: count)
        let torn = Recorder<[Station]>()
        let observed = Recorder<Int>()
        let observation = list.observe { elements in
            guard let revision = Self.revision(of: elements, count: count) else {
                return torn.append(elements)
            }
            observed.append(revision)
        }
        let next = Locked(1)
        let writersLeft = Atomic<Int>(2)
        let reads = Recorder<[Int]>()
        let ended = onThreads(4) { thread in
            if thread < 2 {
                var isDone = false
                while !isDone {
                    // The revision is taken inside the batch, so that commits are in the order of
                    // their revisions.
                    cache.performBatchUpdates { _ in
                        let revision = next.withLock { next in
                            defer { next += 1 }
                            return next
                        }
                        isDone = revision > rounds
                        if !isDone { swap(to: revision, count: count) }
                    }
                }
                writersLeft.subtract(1, ordering: .releasing)
                return
            }
            var revisions: [Int] = []
            repeat {
                let elements = list.elements
                guard let revision = Self.revision(of: elements, count: count) else {
                    return torn.append(elements)
                }
                if revisions.last != revision { revisions.append(revision) }
            } while writersLeft.load(ordering: .acquiring) > 0
            reads.append(revisions)
        }
        #expect(ended)
        #expect(cache.isSettled())
        #expect(torn.all == [])
        #expect(reads.count == 2)
        for revisions in reads.all {
            #expect(revisions == revisions.sorted(), "No read returns an older revision.")
        }
        // Calls follow the commits: none shows an older state, and the last one shows the final
        // state.
        #expect(observed.count == rounds)
        #expect(observed.all == observed.all.sorted())
        #expect(observed.all.last == rounds)
        cache.core.checkInvariants()
        observation.dispose()
    }

    @Test func pagesThatSeveralThreadsAppendAreNeitherLostNorDoubled() {
        let order = Locked<[Station.ID]>([])
        let mismatches = Recorder<ListChange<Station>>()
        let calls = Recorder<UInt64>()
        let observation = list.observeChanges { change in
            calls.append(change.version)
            order.withLock { order in
                if order != change.oldIDs { mismatches.append(change) }
                order = order.applying(change.difference) ?? []
            }
        }
        let threads = 4
        let pages = 40
        let size = 5
        let ended = onThreads(threads) { thread in
            for page in 0..<pages {
                let first = (thread * pages + page) * size
                list.append(contentsOf: (first..<first + size).map { Station(id: $0) })
            }
        }
        #expect(ended)
        #expect(cache.isSettled())
        let ids = list.ids
        #expect(ids.sorted() == Array(0..<threads * pages * size))
        #expect(list.elements.map(\.id) == ids)
        // Each page is contiguous, and the pages of a thread are in order.
        let starts = stride(from: 0, to: ids.count, by: size).map { ids[$0] }
        for (index, start) in starts.enumerated() {
            #expect(Array(ids[index * size..<(index + 1) * size]) == Array(start..<start + size))
        }
        for thread in 0..<threads {
            let own = starts.filter { $0 / (pages * size) == thread }
            #expect(own == own.sorted())
        }
        #expect(mismatches.count == 0)
        #expect(calls.count == threads * pages)
        #expect(calls.all == calls.all.sorted())
        #expect(order.withLock { $0 } == ids)
        cache.core.checkInvariants()
        observation.dispose()
    }

    @Test func pagesThatOverlapHaveEachElementOnce() {
        let ended = onThreads(4) { thread in
            for page in 0..<60 {
                let first = page * 5 + thread
                list.append(contentsOf: (first..<first + 10).map { Station(id: $0) })
            }
        }
        #expect(ended)
        #expect(cache.isSettled())
        #expect(list.ids.sorted() == Array(0..<308))
    }

    @Test func updatesOfSeveralThreadsAreNotLost() {
        list.ids = Array(0..<100)
        let ended = onThreads(4) { thread in
            for number in 0..<100 {
                switch thread {
                case 0: list.remove(number)
                case 1: list.update { $0.append(1_000 + number) }
                case 2: list.insert(Station(id: 2_000 + number), at: 0)
                default: list.update { ids in ids.shuffle() }
                }
            }
        }
        #expect(ended)
        #expect(cache.isSettled())
        #expect(list.ids.sorted() == Array(1_000..<1_100) + Array(2_000..<2_100))
        cache.core.checkInvariants()
    }

    @Test func observationsBeginAndEndDuringWrites() {
        list.ids = [0]
        let mustGoOn = Atomic<Bool>(true)
        let wrong = Recorder<[Station.ID]>()
        let ended = onThreads(3) { thread in
            guard thread == 0 else {
                while mustGoOn.load(ordering: .relaxed) {
                    let observation = list.following(thread == 1 ? .allRelationships : .none)
                        .observe(initial: true) { elements in
                            if elements.count != 1 { wrong.append(elements.map(\.id)) }
                        }
                    observation.dispose()
                }
                return
            }
            cache.performBatchUpdates { $0.set(contentsOf: [Station(id: 0), Station(id: 1)]) }
            for round in 0..<500 {
                list.ids = [round % 2]
                cache.touch(round % 2)
            }
            mustGoOn.store(false, ordering: .relaxed)
        }
        #expect(ended)
        #expect(cache.isSettled())
        #expect(wrong.all.filter { !$0.isEmpty } == [])
        #expect(cache.core.watchedCount == 0)
        cache.core.checkInvariants()
    }
}
