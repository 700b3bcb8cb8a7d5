#if !canImport(Darwin)
public import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Bionic)
import Bionic
#endif

/// The implementation of a `Lock` as a spin lock that reads before it retries.
///
/// See Rudolph and Segall, "Dynamic Decentralized Cache Schemes for MIMD Parallel Processors"
/// (1984).
///
/// Unlike `pthread_mutex_t`, the lock is inlined and released by a plain store: both operations
/// together take 2.2 ns instead of 5.5 ns, of the roughly 30 ns of a read (row 1 of Benchmarks). In
/// return, a release doesn't wake waiting threads. A waiting thread first spins, since the lock is
/// held for less time than a system call takes. Then it yields to other threads. Finally, when the
/// holder must have been suspended, it sleeps briefly between attempts, so that even a holder of
/// lower priority can continue.
@usableFromInline
struct LockWord: ~Copyable, Sendable {
    @usableFromInline let isHeld = Atomic<Bool>(false)

    #if TestHooks
    let identity = StateTracking.Identity()

    @usableFromInline init() {}
    #else
    @inlinable @inline(__always)
    init() {}
    #endif

    @inlinable @inline(__always)
    func acquire() {
        if isHeld.exchange(true, ordering: .acquiring) { waitAndAcquire() }
    }

    func acquireIfFree() -> Bool { !isHeld.exchange(true, ordering: .acquiring) }

    @inlinable @inline(__always)
    func release() { isHeld.store(false, ordering: .releasing) }

    private static let spins = 100
    private static let yields = 100
    private static let sleepMicroseconds: UInt32 = 50

    @usableFromInline @inline(never)
    func waitAndAcquire() {
        var attempts = 0
        repeat {
            while isHeld.load(ordering: .relaxed) {
                attempts += 1
                if attempts > Self.spins + Self.yields {
                    usleep(Self.sleepMicroseconds)
                } else if attempts > Self.spins {
                    sched_yield()
                }
            }
        } while isHeld.exchange(true, ordering: .acquiring)
    }
}

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

/// Runs a closure on a new thread, or on the calling thread if the system can't create another one.
func runOnNewThread(_ body: @escaping @Sendable () -> Void) {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    let argument = Unmanaged.passRetained(ThreadBody(body))
    var thread = pthread_t()
    let status = pthread_create(
        &thread,
        &attributes,
        { argument in
            argument.map { Unmanaged<ThreadBody>.fromOpaque($0).takeRetainedValue().run() }
            return nil
        },
        argument.toOpaque()
    )
    pthread_attr_destroy(&attributes)
    if status != 0 { argument.takeRetainedValue().run() }
}

extension SleepingThread {
    static func initialize(_ condition: UnsafeMutablePointer<pthread_cond_t>) {
        // Changes to the system time don't affect the monotonic clock.
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    /// Waits until `wake()` is called or the time is up; returns at once if `wake()` was called
    /// before.
    func sleep(nanoseconds: Int64) {
        var deadline = timespec()
        clock_gettime(CLOCK_MONOTONIC, &deadline)
        let (seconds, rest) = (Int64(deadline.tv_nsec) + nanoseconds)
            .quotientAndRemainder(dividingBy: 1_000_000_000)
        deadline.tv_sec += Int(seconds)
        deadline.tv_nsec = Int(rest)
        pthread_mutex_lock(mutex)
        while !isWoken, pthread_cond_timedwait(condition, mutex, &deadline) == 0 {}
        pthread_mutex_unlock(mutex)
    }
}
#endif
