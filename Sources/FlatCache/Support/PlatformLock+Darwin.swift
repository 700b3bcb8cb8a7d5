#if canImport(Darwin)
public import Darwin

/// The platform's mutual exclusion lock, at an address that doesn't move.
///
/// The standard library's `Mutex` can't replace it, because it can be held only during a closure.
@usableFromInline
struct PlatformLock: @unchecked Sendable {
    // Guarded by itself: only the lock's own functions access its memory.
    @usableFromInline let lock: UnsafeMutablePointer<os_unfair_lock_s>

    /// Creates a lock that shares no cache line with other data, so that threads with different
    /// locks don't slow each other down.
    init() {
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: ProcessorCacheLine.size,
            alignment: ProcessorCacheLine.size
        )
        lock = memory.bindMemory(to: os_unfair_lock_s.self, capacity: 1)
        lock.initialize(to: os_unfair_lock_s())
    }

    func deallocate() {
        lock.deinitialize(count: 1)
        UnsafeMutableRawPointer(lock).deallocate()
    }

    @inlinable
    func acquire() { os_unfair_lock_lock(lock) }

    func acquireIfFree() -> Bool { os_unfair_lock_trylock(lock) }

    @inlinable
    func release() { os_unfair_lock_unlock(lock) }
}

/// A number that identifies the calling thread among all running threads; never zero.
package var currentThread: UInt { UInt(bitPattern: pthread_self()) }

/// Lets other threads run before the calling thread continues.
func yieldToOtherThreads() { sched_yield() }
#endif
