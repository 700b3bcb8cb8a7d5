#if !canImport(Darwin)
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Bionic)
import Bionic
#endif

/// A thread that sleeps until another one wakes it, for a limited time.
final class SleepingThread: @unchecked Sendable {
    // `mutex` guards `isWoken`. Only the platform's functions access the mutex and the condition.
    // Their addresses don't change.

    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var isWoken = false

    init() {
        pthread_mutex_init(mutex, nil)
        // Changes to the system time don't affect the monotonic clock.
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
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

    /// Wakes the thread, or prevents it from falling asleep.
    func wake() {
        pthread_mutex_lock(mutex)
        isWoken = true
        pthread_cond_signal(condition)
        pthread_mutex_unlock(mutex)
    }
}
#endif
