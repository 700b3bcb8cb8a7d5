#if canImport(SQLite3) || canImport(CSQLite)
import FlatCache
import Foundation

extension GraphEngine {
    /// Flushes after the interval.
    ///
    /// A journal calls this method under the writers' lock, at its first change after a flush.
    nonisolated func scheduleFlush() {
        schedule(after: flushInterval) { await $0.flushInBackground() }
    }

    /// Runs a job after an interval that begins now.
    nonisolated func schedule(
        after interval: Duration,
        _ job: @escaping @Sendable (isolated GraphEngine) async -> Void
    ) {
        let sleep = clock.beginInterval(interval)
        Task { [weak self] in
            await sleep()
            if let self { await job(self) }
        }
    }

    func flushInBackground() async {
        // `resume()` or the next attempt flushes the changes.
        if isSuspended || isRetryScheduled { return }
        do throws(SQLiteGraphError) {
            try await waitingForLock { () throws(SQLiteGraphError) in
                if !isSuspended { try flush() }
            }
        } catch {
            onError(error)
            scheduleRetry()
        }
    }

    func scheduleRetry() {
        if isRetryScheduled { return }
        isRetryScheduled = true
        schedule(after: Self.retryInterval) {
            $0.isRetryScheduled = false
            await $0.flushInBackground()
        }
    }

    /// The longest time for which the thread waits for the lock of another connection, and the time
    /// between two attempts.
    private static let lockInterval: Duration = .milliseconds(10)

    /// Runs a closure that writes to the file, and runs it again while another connection holds the
    /// lock for writing.
    ///
    /// SQLite would block the thread for `lockTimeout`, and with it all reads, although reads need
    /// no lock. The method lets other jobs run instead. The wait takes real time, as SQLite's own
    /// waits do, and doesn't end if the task is cancelled.
    ///
    /// - Parameter body: A closure that writes. If it throws because of the lock, it can run again.
    /// - Returns: The result of the closure.
    /// - Throws: The error of the closure, also if the lock is held for longer than `lockTimeout`.
    func waitingForLock<Result>(
        _ body: () throws(SQLiteGraphError) -> Result
    ) async throws(SQLiteGraphError) -> Result {
        let start = ContinuousClock.now
        while true {
            do throws(SQLiteGraphError) {
                return try database.waiting(atMost: Self.lockInterval, body)
            } catch {
                guard error.kind == .locked else { throw error }
                #if TestHooks
                onWaitForLock()
                #endif
                if start.duration(to: .now) >= lockTimeout { throw error }
                // The sleep of another task doesn't end if this task is cancelled.
                await Task { try? await Task.sleep(for: Self.lockInterval) }.value
            }
        }
    }
}

extension Clock<Duration> {
    func startStopwatch() -> @Sendable () -> Duration {
        let start = now
        return { [self] in start.duration(to: now) }
    }

    /// Begins an interval at the present instant, and returns a closure that sleeps until its end.
    ///
    /// A task would compute the end too late, since it begins after its creation.
    func beginInterval(_ duration: Duration) -> @Sendable () async -> Void {
        // Clocks overflow if the instant is centuries away.
        let end = now.advanced(by: min(max(duration, .zero), .seconds(3_000_000_000)))
        // A clock that fails to sleep ends the interval at once.
        return { [self] in try? await sleep(until: end, tolerance: nil) }
    }
}

/// An executor that runs its jobs on a separate thread, one at a time.
///
/// Reading and writing a file blocks the thread, so it must not be one of the concurrency pool.
final class GraphExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "FlatCacheSQLite")
    #if TestHooks
    /// The number of jobs that have ended.
    ///
    /// Tests read it to wait for the next job.
    let endedJobCount = Locked(0)
    #endif

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // The executor lives until the job has ended, even if the job releases its actor.
        queue.async { [self] in
            perturbThread()
            job.runSynchronously(on: asUnownedSerialExecutor())
            #if TestHooks
            endedJobCount.withLock { $0 += 1 }
            #endif
        }
    }
}

/// Delays a graph's thread in perturbed tests for up to some milliseconds, now and then.
///
/// A graph seldom meets other threads, connections and processes, so it's delayed more often than a
/// thread that acquires a lock.
func perturbThread() {
    #if TestHooks
    guard Perturbation.chooses(oneIn: 8) else { return }
    var microseconds: UInt32 = 50
    while microseconds < 5_000, Perturbation.chooses(oneIn: 2) { microseconds *= 2 }
    usleep(microseconds)
    #endif
}
#endif
