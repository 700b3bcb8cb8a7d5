import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

@Suite(.exclusive)
struct CacheSnapshotTests {
    struct Refusal: Error {}

    let cache = Cache()

    /// The number of entries in the table of stations, including entries without a value.
    private var entryCount: Int {
        cache.core.tables.existingTable(of: Station.self)?.entryCount ?? 0
    }

    @Test func returnsAndRethrows() {
        #expect(cache.withSnapshot { _ in 42 } == 42)
        #expect(throws: Refusal.self) {
            try cache.withSnapshot { _ throws(Refusal) in throw Refusal() }
        }
        #expect(!cache.core.clock.hasOpenSnapshots)
    }

    @Test func showsItsStateDespiteLaterWrites() {
        cache.set(contentsOf: Station.chain(5))
        let version = cache.version
        cache.withSnapshot { snapshot in
            cache.touch(0)
            cache.touch(0)
            cache.remove(Station.self, id: 1)
            cache.set(Station(id: 9))
            cache.remove(Station.self, id: 2)
            cache.set(Station(id: 2, revision: 7))
            cache.set(Note(id: 1, text: ""))

            expect(snapshot, shows: Station.chain(5))
            #expect(snapshot.version == version)
            #expect(snapshot.count(of: Note.self) == 0)
            #expect(snapshot[Note.self, 1] == nil)
            #expect(cache.ids(of: Station.self).sorted() == [0, 2, 3, 4, 9])
            #expect(cache[Station.self, 0]?.revision == 2)

            cache.removeAll()
            expect(snapshot, shows: Station.chain(5))
            #expect(cache.count(of: Station.self) == 0)
        }
        #expect(entryCount == 0)
        cache.core.checkInvariants()
    }

    private func expect(_ snapshot: CacheSnapshot, shows stations: [Station]) {
        #expect(snapshot.values(of: Station.self).sorted { $0.id < $1.id } == stations)
        #expect(snapshot.ids(of: Station.self).sorted() == stations.map(\.id))
        #expect(snapshot.count(of: Station.self) == stations.count)
        for station in stations { #expect(snapshot[Station.self, station.id] == station) }
        #expect(!snapshot.contains(Station.self, id: 9))
    }

    @Test func severalSnapshotsShowTheirOwnStates() {
        cache.set(Station(id: 1, revision: 1))
        cache.withSnapshot { first in
            cache.touch(1)
            cache.set(Station(id: 2))
            cache.withSnapshot { second in
                cache.remove(Station.self, id: 1)
                cache.withSnapshot { third in
                    cache.set(Station(id: 1, revision: 9))
                    #expect(first[Station.self, 1]?.revision == 1)
                    #expect(second[Station.self, 1]?.revision == 2)
                    #expect(third[Station.self, 1] == nil)
                    #expect(cache[Station.self, 1]?.revision == 9)
                    #expect(
                        [first, second, third].map { $0.count(of: Station.self) } == [1, 2, 1]
                    )
                    #expect(third.ids(of: Station.self) == [2])
                }
                #expect(second[Station.self, 1]?.revision == 2)
                #expect(second.values(of: Station.self).count == 2)
            }
            cache.removeAll()
            #expect(first[Station.self, 1]?.revision == 1)
            #expect(first.ids(of: Station.self) == [1])
        }
        #expect(entryCount == 0)
        cache.core.checkInvariants()
    }

    @Test func oneThatOpensFirstMayCloseFirst() {
        cache.set(Station(id: 1))
        let isOpen = Signal()
        let mayClose = Signal()
        let revisions = Recorder<Int?>()
        let second = RunningThread { [cache] in
            cache.withSnapshot { snapshot in
                isOpen.fire()
                #expect(mayClose.wait())
                revisions.append(snapshot[Station.self, 1]?.revision)
            }
        }
        cache.withSnapshot { first in
            cache.touch(1)
            // The second snapshot may open before or after this commit; it shows a whole state in
            // both cases.
            #expect(isOpen.wait())
            cache.touch(1)
            #expect(first[Station.self, 1]?.revision == 0)
        }
        cache.touch(1)
        mayClose.fire()
        #expect(second.wait())
        #expect(revisions.all.count == 1)
        #expect(revisions.all.allSatisfy { $0 == 0 || $0 == 1 })
        cache.core.checkInvariants()
    }

    @Test func showsTheStateBeforeABatchInside() {
        cache.set(Station(id: 1))
        cache.performBatchUpdates { batch in
            batch.touch(1)
            batch.set(Station(id: 2))
            cache.withSnapshot { snapshot in
                batch.remove(Station.self, id: 1)
                #expect(snapshot[Station.self, 1]?.revision == 0)
                #expect(snapshot.ids(of: Station.self) == [1])
                #expect(snapshot.count(of: Station.self) == 1)
            }
            #expect(batch.ids(of: Station.self) == [2])
        }
        #expect(cache.ids(of: Station.self) == [2])
        cache.core.checkInvariants()
    }

    @Test func batchThatThrowsInsideASnapshotLeavesNothingBehind() {
        cache.set(Station(id: 1))
        cache.withSnapshot { snapshot in
            try? cache.performBatchUpdates { batch in
                batch.touch(1)
                batch.set(Station(id: 2))
                throw Refusal()
            }
            #expect(snapshot.ids(of: Station.self) == [1])
            #expect(cache.ids(of: Station.self) == [1])
            cache.set(Station(id: 2, revision: 5))
            #expect(snapshot[Station.self, 2] == nil)
            #expect(cache[Station.self, 2]?.revision == 5)
        }
        #expect(entryCount == 2)
        cache.core.checkInvariants()
    }

    @Test func longSnapshotDoesntKeepUnreadableVersions() {
        cache.set(contentsOf: Station.chain(10))
        cache.withSnapshot { snapshot in
            for id in 100..<5_000 {
                cache.set(Station(id: id))
                cache.touch(id % 10)
                cache.remove(Station.self, id: id)
            }
            #expect(snapshot.values(of: Station.self).sorted { $0.id < $1.id } == Station.chain(10))
            #expect(snapshot.count(of: Station.self) == 10)
            #expect(entryCount < 1_000, "Values stored and removed since then are retained.")
        }
        #expect(entryCount == 10)
        cache.core.checkInvariants()
    }

    @Test func displacedValuesAreReleasedWhenItCloses() {
        let released = Recorder<Int>()
        for id in 0..<3 {
            cache.set(Loan(id: id, receipt: Receipt { released.append(id) }))
        }
        cache.withSnapshot { snapshot in
            cache.remove(Loan.self, id: 0)
            cache.set(Loan(id: 1, receipt: Receipt()))
            #expect(released.all == [])
            #expect(snapshot[Loan.self, 0] != nil)
            #expect(snapshot[Loan.self, 1] != nil)
        }
        #expect(released.all.sorted() == [0, 1])
        cache.core.checkInvariants()
    }

    @Test func valuesDisplacedDuringASnapshotAreReleasedAtOnce() {
        let released = Recorder<Int>()
        cache.withSnapshot { _ in
            for id in 1...3 {
                cache.set(Loan(id: 0, receipt: Receipt { released.append(id) }))
            }
            #expect(released.all == [1, 2])
        }
    }

    @Test func observationsGoOnWhileItIsOpen() {
        let received = Recorder<Station.ID>()
        cache.set(contentsOf: Station.chain(3))
        let observation = cache.record(0, in: received)
        cache.withSnapshot { _ in
            cache.touch(2)
            cache.remove(Station.self, id: 1)
            cache.touch(2)
            cache.set(Station(id: 1, next: [2]))
            cache.touch(2)
        }
        #expect(received.count == 4)
        cache.touch(2)
        #expect(received.count == 5)
        cache.core.checkInvariants()
        observation.dispose()
    }

    @Test func staysConsistentWhileOtherThreadsWriteInsertAndRemove() {
        let torn = Recorder<String>()
        let isDone = Locked(false)
        let ended = onThreads(3) { [cache] thread in
            guard thread > 0 else {
                var commits: UInt64 = 0
                repeat {
                    commits += 1
                    let first = Int(commits % 97) * 50
                    // Each commit leaves the stations of one window, all with the commit's
                    // revision.
                    cache.performBatchUpdates { batch in
                        batch.removeAll(Station.self)
                        batch.set(
                            contentsOf: (first..<first + 50).map {
                                Station(id: $0, revision: Int(commits))
                            }
                        )
                    }
                } while !isDone.withLock({ $0 })
                return
            }
            for _ in 0..<60 {
                cache.withSnapshot { snapshot in
                    let before = snapshot.values(of: Station.self)
                    let after = snapshot.values(of: Station.self)
                    let ids = snapshot.ids(of: Station.self)
                    let count = snapshot.count(of: Station.self)
                    if before.count != count { torn.append("\(before.count) of \(count)") }
                    if Set(before.map(\.revision)).count > 1 { torn.append("revisions") }
                    if before.sorted(by: { $0.id < $1.id }) != after.sorted(by: { $0.id < $1.id }) {
                        torn.append("changed")
                    }
                    if Set(ids) != Set(before.map(\.id)) { torn.append("ids") }
                    for value in before where snapshot[Station.self, value.id] != value {
                        torn.append("get")
                    }
                }
            }
            if thread == 1 { isDone.withLock { $0 = true } }
        }
        isDone.withLock { $0 = true }
        #expect(ended)
        #expect(torn.all.prefix(5) == [])
        #expect(entryCount == 50)
        cache.core.checkInvariants()
    }
}
