import Synchronization

/// The lock that writers take in turn, each for the duration of a commit.
///
/// A commit includes the closures of its batches. The lock knows its owner. So a write inside a
/// batch can join the batch, and a write where writing isn't allowed can trap instead of waiting
/// for itself.
package struct WriterLock: ~Copyable, Sendable {
    private let platform = PlatformLock()
    private let owner = Atomic<UInt>(0)

    package init() {}

    deinit { platform.deallocate() }

    // Relaxed order suffices: a thread can find its own number only if it has stored the number
    // itself.
    package var isHeldByCurrentThread: Bool { owner.load(ordering: .relaxed) == currentThread }

    /// A Boolean value that indicates whether a thread holds the lock and hasn't begun to release
    /// it.
    var isHeld: Bool { owner.load(ordering: .relaxed) != 0 }

    package func acquire() {
        platform.acquire()
        owner.store(currentThread, ordering: .relaxed)
    }

    package func acquireIfFree() -> Bool {
        guard platform.acquireIfFree() else { return false }
        owner.store(currentThread, ordering: .relaxed)
        return true
    }

    package func release() {
        owner.store(0, ordering: .relaxed)
        platform.release()
    }
}
