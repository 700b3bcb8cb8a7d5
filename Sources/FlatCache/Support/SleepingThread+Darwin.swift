#if canImport(Darwin)
import Darwin

/// A thread that sleeps until another one wakes it, for a limited time.
final class SleepingThread: @unchecked Sendable {
    // `mutex` guards `isWoken`. Only the platform's functions access the mutex and the condition.
    // Their addresses don't change.

    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var isWoken = false

    init() {
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
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

    /// Wakes the thread, or prevents it from falling asleep.
    func wake() {
        pthread_mutex_lock(mutex)
        isWoken = true
        pthread_cond_signal(condition)
        pthread_mutex_unlock(mutex)
    }
}
#endif
