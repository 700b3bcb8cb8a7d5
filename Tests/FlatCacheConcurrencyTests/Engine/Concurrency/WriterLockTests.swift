import Synchronization
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

@Suite(.exclusive)
struct WriterLockTests {
    /// A lock in an object, so that closures can share it.
    private final class Shared: Sendable {
        let lock = WriterLock()
        private let isTaken = Atomic<Bool>(false)
        private let passed = Atomic<Bool>(false)

        var hasPassed: Bool { passed.load(ordering: .relaxed) }
        var hasWaitingThreads: Bool { lock.hasWaitingThreads }

        /// Acquires the lock and waits until another thread waits for it.
        func acquireBeforeOtherThread() {
            lock.acquire()
            isTaken.store(true, ordering: .relaxed)
            while !lock.hasWaitingThreads { yieldToOtherThreads() }
        }

        /// Acquires the lock after the other thread, and releases it.
        func passAfterOtherThread() {
            while !isTaken.load(ordering: .relaxed) { yieldToOtherThreads() }
            lock.acquire()
            passed.store(true, ordering: .relaxed)
            lock.release()
        }
    }

    @Test func waitingThreadIsAdmittedBeforeGivingWayEnds() {
        for _ in 0..<20 {
            let shared = Shared()
            let ended = onThreads(2) { thread in
                if thread == 1 { return shared.passAfterOtherThread() }
                shared.acquireBeforeOtherThread()
                shared.lock.release()
                shared.lock.giveWay(attempts: .max)
                // The other thread has the lock by now, unless it has released it already.
                shared.lock.acquire()
                #expect(shared.hasPassed)
                shared.lock.release()
            }
            #expect(ended)
            #expect(!shared.hasWaitingThreads)
        }
    }

    @Test func givingWayEndsAlthoughNoThreadIsAdmitted() {
        let shared = Shared()
        let ended = onThreads(2) { thread in
            if thread == 1 { return shared.passAfterOtherThread() }
            shared.acquireBeforeOtherThread()
            shared.lock.giveWay(attempts: 3)
            #expect(!shared.hasPassed)
            shared.lock.release()
        }
        #expect(ended)
        shared.lock.giveWay(attempts: .max)
    }
}
