import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

@Suite(.exclusive)
struct ObserverSlotTests {
    let received = Recorder<Int>()

    @Test func callsItsObserverUntilItIsEnded() {
        let slot = ObserverSlot<Int> { [received] in received.append($0) }
        slot.call(1)
        slot.call(2)
        slot.end()
        slot.call(3)
        #expect(received.all == [1, 2])
    }

    @Test func endingAgainIsHarmless() {
        let slot = ObserverSlot<Int> { [received] in received.append($0) }
        slot.end()
        slot.end()
        slot.call(1)
        #expect(received.all == [])
    }

    @Test func endingReleasesTheObserverAtOnce() {
        weak var weakReceipt: Receipt?
        let slot: ObserverSlot<Int>
        do {
            let receipt = Receipt()
            weakReceipt = receipt
            slot = ObserverSlot { _ in withExtendedLifetime(receipt) {} }
        }
        slot.call(1)
        #expect(weakReceipt != nil)
        slot.end()
        #expect(weakReceipt == nil)
    }

    @Test func observerMayEndItsOwnObservation() {
        weak var weakReceipt: Receipt?
        let slots = Locked<[ObserverSlot<Int>]>([])
        do {
            let receipt = Receipt()
            weakReceipt = receipt
            let slot = ObserverSlot<Int> { [received] event in
                for slot in slots.withLock({ $0 }) {
                    slot.end()
                    slot.call(event + 100)
                }
                received.append(event)
                withExtendedLifetime(receipt) {}
            }
            slots.withLock { $0.append(slot) }
        }
        for slot in slots.withLock({ $0 }) {
            slot.call(1)
            #expect(weakReceipt == nil)
            slot.call(2)
        }
        #expect(received.all == [1])
    }

    @Test(.timeLimit(.minutes(15)))
    func endingDoesNotWaitForACallThatRuns() {
        let isInside = Signal()
        let mayReturn = Signal()
        let slot = ObserverSlot<Int> { [received] event in
            isInside.fire()
            #expect(mayReturn.wait())
            received.append(event)
        }
        let caller = RunningThread { slot.call(1) }
        #expect(isInside.wait())
        slot.end()
        #expect(received.all == [])
        mayReturn.fire()
        #expect(caller.wait())
        slot.call(2)
        #expect(received.all == [1])
    }

    @Test("No call starts after the end of the observation", .timeLimit(.minutes(15)))
    func endingWaitsForACallThatStarts() async {
        let isFetched = Signal()
        let mayStart = Signal()
        let slot = ObserverSlot<Int> { [received] event in received.append(event) }
        slot.onFetch = {
            isFetched.fire()
            #expect(mayStart.wait())
        }
        // The call starts only when the other thread waits for it.
        slot.onWait = { mayStart.fire() }
        let caller = RunningThread { slot.call(1) }
        #expect(await until { isFetched.isFired })
        let ender = RunningThread { slot.end() }
        #expect(await until { ender.hasEnded })
        #expect(mayStart.isFired, "The observation has ended while a call was starting.")
        mayStart.fire()
        #expect(await until { caller.hasEnded })
        #expect(received.all == [1])
    }

    @Test(.timeLimit(.minutes(15)))
    func observerIsReleasedUnderNoLock() {
        let slots = Locked<[ObserverSlot<Int>]>([])
        let isReleased = Signal()
        do {
            let receipt = Receipt {
                for slot in slots.withLock({ $0 }) {
                    slot.call(1)
                    slot.end()
                }
                isReleased.fire()
            }
            let slot = ObserverSlot<Int> { _ in withExtendedLifetime(receipt) {} }
            slots.withLock { $0.append(slot) }
        }
        let ender = RunningThread {
            for slot in slots.withLock({ $0 }) { slot.end() }
        }
        #expect(ender.wait())
        #expect(isReleased.isFired)
    }

    @Test(.timeLimit(.minutes(15)))
    func endingWhileCallsStartLeavesNoneAndReleasesTheObserver() {
        for _ in 0..<500 {
            weak var weakReceipt: Receipt?
            let calls = Recorder<Int>()
            let slot: ObserverSlot<Int>
            do {
                let receipt = Receipt()
                weakReceipt = receipt
                slot = ObserverSlot { event in
                    withExtendedLifetime(receipt) { calls.append(event) }
                }
            }
            let ended = onThreads(2) { thread in
                if thread == 0 {
                    for event in 0..<20 { slot.call(event) }
                } else {
                    slot.end()
                }
            }
            #expect(ended)
            #expect(weakReceipt == nil)
            let before = calls.all
            #expect(before == Array(0..<before.count))
            slot.call(99)
            #expect(calls.all == before)
        }
    }
}
