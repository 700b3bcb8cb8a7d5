@testable import FlatCacheTestSupport

/// An executor that runs each step of a task on a thread of its own.
///
/// A step that blocks its thread then doesn't hold up the tasks of other tests.
final class OwnThreadExecutor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        _ = RunningThread { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
