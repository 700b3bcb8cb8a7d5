import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

extension CacheLifetimeTests {
    /// The ways in which the cache stops storing a value.
    enum Way: CaseIterable {
        case replacing, setting, removing, clearing, clearingTheType, pruning, batching, updating

        func displace(_ cache: Cache) {
            switch self {
            case .replacing: cache.replace(Loan(id: 1, receipt: Receipt()))
            case .setting: cache.set(Loan(id: 1, receipt: Receipt()))
            case .removing: cache.remove(Loan.self, id: 1)
            case .clearing: cache.removeAll()
            case .clearingTheType: cache.removeAll(Loan.self)
            case .pruning: cache.pruneUnobservedValues()
            case .updating: cache.update(Loan.self, id: 1) { $0.receipt = Receipt() }
            case .batching:
                cache.performBatchUpdates { batch in
                    batch.set(Loan(id: 1, receipt: Receipt()))
                    batch.remove(Loan.self, id: 1)
                }
            }
        }
    }

    @Test(arguments: Way.allCases)
    func displacedValuesAreReleased(way: Way) {
        let cache = Cache()
        weak var weakReceipt: Receipt?
        do {
            let receipt = Receipt()
            weakReceipt = receipt
            cache.set(Loan(id: 1, receipt: receipt))
        }
        #expect(weakReceipt != nil)
        way.displace(cache)
        #expect(weakReceipt == nil)
    }

    @Test(arguments: Way.allCases)
    func displacedValueIsReleasedUnderNoLock(way: Way) {
        let cache = Cache()
        let reads = Recorder<String>()
        let receipt = Receipt {
            // The writers' lock must be free for another thread and for this one.
            let other = RunningThread { cache.set(Note(id: 1, text: "other thread")) }
            reads.append(other.wait() ? "free" : "locked")
            cache.set(Note(id: 2, text: "this thread"))
            cache.cached(Note.self, id: 3).observe { _ in }.dispose()
            reads.append(cache[Note.self, 2]?.text ?? "-")
        }
        cache.set(Loan(id: 1, receipt: receipt))
        _ = consume receipt
        let writer = RunningThread { way.displace(cache) }
        #expect(writer.wait())
        #expect(reads.all == ["free", "this thread"])
        #expect(cache[Note.self, 1]?.text == "other thread")
        cache.core.checkInvariants()
    }

    @Test("A commit keeps displaced values until their reads end", .timeLimit(.minutes(15)))
    func displacedValueOutlivesItsReaders() async {
        let cache = Cache()
        let clock = cache.core.clock
        let gate = Gate()
        let isWritten = Signal()
        let waits = Recorder<Void>()
        let reads = Recorder<Receipt?>()
        let displaced = Receipt()
        cache.set(Loan(id: 1, receipt: displaced))
        let reader = RunningThread {
            guard isWritten.wait() else { return }
            reads.append(cache[Loan.self, 1]?.receipt)
        }
        let writer = RunningThread {
            cache.performBatchUpdates { batch in
                batch.set(Loan(id: 1, receipt: Receipt()))
                // The reader has seen that the commit isn't visible yet. It waits under the lock of
                // the loan's stripe until the commit waits for it.
                clock.onRead = { gate.pass() }
                clock.onWaitForReaders = {
                    waits.append(())
                    gate.open()
                }
                isWritten.fire()
                #expect(blockUntil { gate.isReached })
            }
        }
        #expect(await until { writer.hasEnded })
        #expect(waits.count == 1, "The commit has released the value that a thread was reading.")
        gate.open()
        #expect(await until { reader.hasEnded })
        #expect(reads.all.first.flatMap { $0 } === displaced)
    }

    @Test func writesOfAThrowingBatchAreReleasedUnderNoLock() {
        struct Refusal: Error {}
        let cache = Cache()
        try? cache.performBatchUpdates { batch in
            let receipt = Receipt { cache.set(Note(id: 1, text: "released")) }
            batch.set(Loan(id: 1, receipt: receipt))
            throw Refusal()
        }
        #expect(cache[Note.self, 1]?.text == "released")
        #expect(cache[Loan.self, 1] == nil)
    }
}
