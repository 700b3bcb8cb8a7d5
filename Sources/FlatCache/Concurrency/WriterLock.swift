import Synchronization

/// The lock that writers take in turn, for as long as a commit takes, closures of a batch included.
///
/// It knows its owner, so that a write from inside a batch can join it, and one from where writing
/// is not allowed can say so instead of waiting for itself.
package struct WriterLock: ~Copyable, Sendable {
    private let platform = PlatformLock()
    private let owner = Atomic<UInt>(0)

    package init() {}

    deinit { platform.deallocate() }

    // Relaxed order is enough: a thread can find its own number here only if it has itself put it
    // there.
    package var isHeldByCurrentThread: Bool { owner.load(ordering: .relaxed) == currentThread }

    /// Whether a thread holds the lock and hasn't begun to release it.
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
