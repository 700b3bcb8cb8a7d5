#if !canImport(Darwin)
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Bionic)
import Bionic
#endif

/// The platform's mutual exclusion lock, at an address that does not move: for what may be held for
/// long, since threads that wait for it sleep.
///
/// Not the standard library's `Mutex`: on Linux that has a slow path which ThreadSanitizer does not
/// see, so that it reports races where there are none.
struct PlatformLock: @unchecked Sendable {
    // Guarded by what it is: the lock's memory is touched by the lock's own functions only.
    let mutex: UnsafeMutablePointer<pthread_mutex_t>

    /// Creates a lock that shares no cache line with anything else, so that threads which use
    /// different locks don't slow each other down.
    init() {
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: max(MemoryLayout<pthread_mutex_t>.size, CacheLine.size),
            alignment: CacheLine.size
        )
        mutex = memory.bindMemory(to: pthread_mutex_t.self, capacity: 1)
        let status = pthread_mutex_init(mutex, nil)
        precondition(status == 0, "The system has no room for another lock (error \(status)).")
    }

    func deallocate() {
        pthread_mutex_destroy(mutex)
        UnsafeMutableRawPointer(mutex).deallocate()
    }

    func acquire() { pthread_mutex_lock(mutex) }

    func acquireIfFree() -> Bool { pthread_mutex_trylock(mutex) == 0 }

    func release() { pthread_mutex_unlock(mutex) }
}

/// A number that tells the calling thread from all other running ones; never zero.
package var currentThread: UInt {
    #if canImport(Glibc)
    UInt(pthread_self())
    #else
    UInt(bitPattern: pthread_self())
    #endif
}

/// Lets other threads run before the calling one goes on.
func yieldToOtherThreads() { sched_yield() }
#endif
