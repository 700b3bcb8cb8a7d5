#if canImport(Darwin)
public import Darwin

/// The platform's mutual exclusion lock, at an address that does not move.
///
/// Not the standard library's `Mutex`, which can only be held for the time of a closure.
@usableFromInline
struct PlatformLock: @unchecked Sendable {
    // Guarded by what it is: the lock's memory is touched by the lock's own functions only.
    @usableFromInline let lock: UnsafeMutablePointer<os_unfair_lock_s>

    /// Creates a lock that shares no cache line with anything else, so that threads which use
    /// different locks don't slow each other down.
    init() {
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: CacheLine.size,
            alignment: CacheLine.size
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

/// A number that tells the calling thread from all other running ones; never zero.
package var currentThread: UInt { UInt(bitPattern: pthread_self()) }

/// Lets other threads run before the calling one goes on.
func yieldToOtherThreads() { sched_yield() }
#endif
