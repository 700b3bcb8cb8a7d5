#if canImport(SQLite3) || canImport(CSQLite)
import FlatCache
import Foundation

/// An executor that runs its jobs on a separate thread.
///
/// Reading and writing a file blocks the thread, so it must not be one of the concurrency pool.
final class GraphThread: SerialExecutor {
    private let jobs = JobQueue()
    #if TestHooks
    /// The number of jobs that have ended.
    ///
    /// Tests read it to wait for the next job.
    let endedJobCount = Locked(0)
    #endif

    init() {
        let thread = Thread { [jobs] in
            while let (job, executor) = jobs.next() {
                perturbThread()
                job.runSynchronously(on: executor.asUnownedSerialExecutor())
                #if TestHooks
                executor.endedJobCount.withLock { $0 += 1 }
                #endif
            }
        }
        thread.name = "FlatCacheSQLite"
        thread.start()
    }

    deinit { jobs.end() }

    func enqueue(_ job: consuming ExecutorJob) {
        // The executor lives until the job has ended, even if the job releases its actor.
        jobs.append(UnownedJob(job), self)
    }
}

private final class JobQueue: @unchecked Sendable {
    private let condition = NSCondition()
    // Guarded by `condition`.
    private var jobs: [(UnownedJob, GraphThread)] = []
    private var hasEnded = false

    func append(_ job: UnownedJob, _ executor: GraphThread) {
        condition.lock()
        jobs.append((job, executor))
        condition.signal()
        condition.unlock()
    }

    func end() {
        condition.lock()
        hasEnded = true
        condition.signal()
        condition.unlock()
    }

    /// Waits for the next job, or returns `nil` after the end.
    func next() -> (UnownedJob, GraphThread)? {
        condition.lock()
        defer { condition.unlock() }
        while jobs.isEmpty {
            if hasEnded { return nil }
            condition.wait()
        }
        return jobs.removeFirst()
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
