import Synchronization

/// The lock that writers take in turn, each for the duration of a commit.
///
/// A commit includes the closures of its batches. The lock knows its owner. A write inside a batch
/// can therefore join the batch, and a write where writing isn't allowed can trap instead of
/// waiting for itself.
package struct WriterLock: ~Copyable, Sendable {
    private let platform = PlatformLock()
    private let owner = Atomic<UInt>(0)
    /// The number of threads that wait for the lock.
    private let waiting = Atomic<Int>(0)
    /// The number of threads that have waited for the lock and acquired it.
    private let admitted = Atomic<UInt>(0)

    #if TestHooks
    private let identity = StateTracking.Identity()
    #endif

    package init() {}

    deinit { platform.deallocate() }

    // Relaxed order suffices: a thread can find its own number only if it has stored the number
    // itself.
    package var isHeldByCurrentThread: Bool { owner.load(ordering: .relaxed) == currentThread }

    /// `true` if a thread holds the lock and hasn't begun to release it.
    var isHeld: Bool {
        noteReading()
        return owner.load(ordering: .relaxed) != 0
    }

    /// `true` if a thread waits for the lock.
    package var hasWaitingThreads: Bool {
        noteReading()
        return waiting.load(ordering: .relaxed) > 0
    }

    package func acquire() {
        perturb()
        if !platform.acquireIfFree() {
            waiting.add(1, ordering: .relaxed)
            noteChange()
            platform.acquire()
            waiting.subtract(1, ordering: .relaxed)
            admitted.add(1, ordering: .relaxed)
        }
        owner.store(currentThread, ordering: .relaxed)
        noteChange()
        noteReading()
    }

    package func acquireIfFree() -> Bool {
        guard platform.acquireIfFree() else { return false }
        owner.store(currentThread, ordering: .relaxed)
        noteChange()
        noteReading()
        return true
    }

    package func release() {
        owner.store(0, ordering: .relaxed)
        platform.release()
        noteChange()
        perturb()
    }

    // MARK: Tests

    /// Delays the thread now and then, before it acquires the lock and after it has released it.
    private func perturb() {
        #if TestHooks
        Perturbation.perturb()
        #endif
    }

    /// Lets a test wait for the next change of the lock, or of the state that it guards.
    private func noteReading() {
        #if TestHooks
        StateTracking.didRead(identity)
        #endif
    }

    private func noteChange() {
        #if TestHooks
        StateTracking.didChangeAtomically(identity)
        #endif
    }

    /// Records that the calling thread has done deferred work under the lock.
    ///
    /// The thread may be evaluating the condition of a test that has read the state before.
    func noteDeferredWork() {
        #if TestHooks
        StateTracking.didChange(identity, alsoByCondition: true)
        #endif
    }

    /// Gives a waiting thread the time to acquire the lock that the calling thread has just
    /// released.
    ///
    /// A thread that works in slices releases the lock and acquires it again at once. Each time, it
    /// would get the lock before a waiting thread has woken up. This method waits until the other
    /// thread has the lock, but only for a short time, because that thread may not get a processor.
    ///
    /// - Parameter attempts: The number of times that this method looks for an admitted thread,
    ///   with a system call in between. Waking a thread takes about as long as a hundred attempts.
    package func giveWay(attempts: Int = 1_000) {
        let admittedBefore = admitted.load(ordering: .relaxed)
        var attempts = attempts
        while attempts > 0, hasWaitingThreads,
            admitted.load(ordering: .relaxed) == admittedBefore
        {
            yieldToOtherThreads()
            attempts -= 1
        }
    }
}
