#if canImport(Darwin)
public import Darwin

/// The implementation of a `Lock` by the system's lock.
///
/// The system's lock gives its holder the priority of a waiting thread, if that is higher. A custom
/// lock can't do that.
@usableFromInline
struct LockWord: ~Copyable, Sendable {
    @usableFromInline let platform = PlatformLock()

    @usableFromInline init() {}

    deinit { platform.deallocate() }

    #if TestHooks
    var identity: StateTracking.Identity { StateTracking.Identity(address: platform.lock) }
    #endif

    @inlinable @inline(__always)
    func acquire() { platform.acquire() }

    func acquireIfFree() -> Bool { platform.acquireIfFree() }

    @inlinable @inline(__always)
    func release() { platform.release() }
}

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

/// Runs a closure on a new thread, or on the calling thread if the system can't create another one.
func runOnNewThread(_ body: @escaping @Sendable () -> Void) {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED)
    let argument = Unmanaged.passRetained(ThreadBody(body))
    var thread: pthread_t?
    let status = pthread_create(
        &thread,
        &attributes,
        { argument in
            Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().run()
            return nil
        },
        argument.toOpaque()
    )
    pthread_attr_destroy(&attributes)
    if status != 0 { argument.takeRetainedValue().run() }
}

extension SleepingThread {
    static func initialize(_ condition: UnsafeMutablePointer<pthread_cond_t>) {
        pthread_cond_init(condition, nil)
    }

    /// Waits until `wake()` is called or the time is up; returns at once if `wake()` was called
    /// before.
    func sleep(nanoseconds: Int64) {
        let start = clock_gettime_nsec_np(CLOCK_UPTIME_RAW)
        pthread_mutex_lock(mutex)
        while !isWoken {
            let passed = Int64(clock_gettime_nsec_np(CLOCK_UPTIME_RAW) - start)
            guard passed < nanoseconds else { break }
            var left = timespec(tv_sec: 0, tv_nsec: Int(nanoseconds - passed))
            pthread_cond_timedwait_relative_np(condition, mutex, &left)
        }
        pthread_mutex_unlock(mutex)
    }
}
#endif
