#if !canImport(Darwin)
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Bionic)
import Bionic
#endif

/// The platform's mutual exclusion lock, at an address that doesn't move.
///
/// It is for locks that may be held for a long time, since waiting threads sleep. The standard
/// library's `Mutex` can't replace it: on Linux, it has a slow path that ThreadSanitizer doesn't
/// see, so that the sanitizer reports false races.
struct PlatformLock: @unchecked Sendable {
    // Guarded by itself: only the lock's own functions access its memory.
    let mutex: UnsafeMutablePointer<pthread_mutex_t>

    /// Creates a lock that shares no cache line with other data, so that threads with different
    /// locks don't slow each other down.
    init() {
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: max(MemoryLayout<pthread_mutex_t>.size, ProcessorCacheLine.size),
            alignment: ProcessorCacheLine.size
        )
        mutex = memory.bindMemory(to: pthread_mutex_t.self, capacity: 1)
        let status = pthread_mutex_init(mutex, nil)
        precondition(status == 0, "The system can't create another lock (error \(status)).")
    }

    func deallocate() {
        pthread_mutex_destroy(mutex)
        UnsafeMutableRawPointer(mutex).deallocate()
    }

    func acquire() { pthread_mutex_lock(mutex) }

    func acquireIfFree() -> Bool { pthread_mutex_trylock(mutex) == 0 }

    func release() { pthread_mutex_unlock(mutex) }
}

/// A number that identifies the calling thread among all running threads; never zero.
package var currentThread: UInt {
    #if canImport(Glibc)
    UInt(pthread_self())
    #else
    UInt(bitPattern: pthread_self())
    #endif
}

/// Lets other threads run before the calling thread continues.
func yieldToOtherThreads() { sched_yield() }
#endif
