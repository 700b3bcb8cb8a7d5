import FlatCache
import Testing

@testable import FlatCacheSQLite

/// Suspends the task until a condition of a graph, or of its file, holds.
///
/// The graph's thread evaluates the condition at first, and again after each job that the thread
/// has run.
///
/// - Returns: A Boolean value that indicates whether the condition holds. See
///   `until(limit:evenIfCancelled:isolation:sourceLocation:_:)`.
func until(
    _ graph: SQLiteGraph,
    _ condition: @Sendable (isolated GraphEngine) throws -> Bool
) async rethrows -> Bool {
    while true {
        let (holds, jobs) = try await graph.engine.evaluate(condition)
        if holds { return true }
        guard await until({ jobs.hasAnotherEnded }) else { return false }
    }
}

/// Suspends the task until the graph has ended the connection to a cache, and has written the
/// cache's last changes.
func untilDetached(_ graph: SQLiteGraph) async -> Bool {
    await until(graph) { $0.attachment == nil }
}

/// Calls a closure, and suspends the task until the graph's thread has run a job that it causes.
///
/// No other event may cause a job meanwhile.
func untilNextJob(of graph: SQLiteGraph, after body: () -> Void) async -> Bool {
    let (_, jobs) = await graph.engine.evaluate { _ in true }
    body()
    return await until { jobs.hasAnotherEnded }
}

/// The jobs of a graph's thread at the time of a job.
struct GraphJobs: Sendable {
    fileprivate let executor: GraphExecutor
    /// The number of jobs that had ended, without the present one.
    fileprivate let endedCount: Int

    /// `true` if a job after the present one has ended.
    var hasAnotherEnded: Bool { executor.endedJobCount.withLock { $0 > endedCount + 1 } }
}

extension GraphEngine {
    /// Calls a closure on the graph's thread whenever a write finds the file locked.
    func onWaitForLock(_ body: @escaping @Sendable () -> Void) { onWaitForLock = body }

    fileprivate func evaluate(
        _ condition: @Sendable (isolated GraphEngine) throws -> Bool
    ) rethrows -> (holds: Bool, jobs: GraphJobs) {
        let endedCount = executor.endedJobCount.withLock { $0 }
        return (try condition(self), GraphJobs(executor: executor, endedCount: endedCount))
    }
}
