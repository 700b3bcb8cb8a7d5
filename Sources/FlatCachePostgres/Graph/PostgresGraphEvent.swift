#if canImport(CPostgres)
public import FlatCache
public import Foundation

/// An event of a graph, for log messages and metrics.
public enum PostgresGraphEvent: Sendable {
    /// The connection that listens and imports is open.
    case connected
    /// The connection is lost, or can't be opened. The graph tries again.
    case disconnected(PostgresGraphError)
    /// Changes were imported.
    ///
    /// - Parameters:
    ///   - records: The number of records of the log, one per transaction and type.
    ///   - duration: The time from the beginning of the transaction that read to the commit of the
    ///     cache.
    case imported(records: Int, duration: Duration)
    /// The rows in memory were read again, since the log doesn't lead from what memory showed to
    /// the present.
    case resynchronized(duration: Duration)
    /// A row can't be decoded, and memory lacks its entity.
    case undecodable(PostgresGraphError)
    /// A watched table lacks its triggers, so its entities never become stale: run the statements
    /// of ``PostgresGraph/watchingSQL``.
    case unwatched(table: String)
    /// Old records of the log couldn't be deleted.
    case cleaningFailed(PostgresGraphError)
    /// Another write changed a row that a write had read or written. Its closure runs again.
    case conflict(keys: [CacheKey])
    /// Writes are committed, but other nodes weren't notified and see them up to a second later.
    case notificationFailed
}

/// The figures of a graph.
public struct PostgresGraphStatistics: Sendable {
    /// The time since the snapshot that memory shows, or `nil` before the first one.
    public internal(set) var age: Duration?

    /// The number of imports.
    public internal(set) var importCount = 0

    /// The number of records by which memory was behind at the latest import.
    public internal(set) var recordsBehind = 0

    /// The number of records of the log that imports have read.
    public internal(set) var importedRecordCount = 0

    /// The number of times that the closure of a write ran again after a conflict.
    public internal(set) var conflictCount = 0

    /// The number of times that the rows in memory were read again.
    public internal(set) var resynchronizationCount = 0

    /// The number of times that other nodes weren't notified of committed writes.
    public internal(set) var failedNotificationCount = 0

    /// The number of entities of replicated types that ingests and the answers of loads contained,
    /// and that weren't stored.
    public internal(set) var leftOutEntityCount = 0

    /// The time at which the connection was lost, or `nil` if there is one.
    public internal(set) var disconnectedSince: Date?

    /// The last error of an event.
    public internal(set) var lastError: PostgresGraphError?
}

/// The receiver of a graph's events.
final class GraphMonitor: Sendable {
    private struct State {
        var statistics = PostgresGraphStatistics()
        var lastImport: ContinuousClock.Instant?
        var leftOutCounts: [@Sendable () -> Int] = []
    }

    private let state = Locked(State())
    private let onEvent: @Sendable (PostgresGraphEvent) -> Void

    init(_ onEvent: @escaping @Sendable (PostgresGraphEvent) -> Void) { self.onEvent = onEvent }

    var statistics: PostgresGraphStatistics {
        let state = state.withLock(\.self)
        var statistics = state.statistics
        statistics.age = state.lastImport.map { $0.duration(to: .now) }
        statistics.leftOutEntityCount = state.leftOutCounts.reduce(0) { $0 + $1() }
        return statistics
    }

    func count(leftOut counts: [@Sendable () -> Int]) {
        state.withLock { $0.leftOutCounts = counts }
    }

    func recordImport(at time: ContinuousClock.Instant, of recordCount: Int) {
        state.withLock {
            $0.statistics.importCount += 1
            $0.statistics.recordsBehind = recordCount
            $0.lastImport = time
        }
    }

    func record(_ event: PostgresGraphEvent) {
        state.withLock { state in
            switch event {
            case .connected: state.statistics.disconnectedSince = nil
            case .disconnected(let error):
                state.statistics.lastError = error
                if state.statistics.disconnectedSince == nil {
                    state.statistics.disconnectedSince = error.disconnectedSince ?? Date()
                }
            case .imported(let records, _): state.statistics.importedRecordCount += records
            case .resynchronized: state.statistics.resynchronizationCount += 1
            case .undecodable(let error), .cleaningFailed(let error):
                state.statistics.lastError = error
            case .conflict: state.statistics.conflictCount += 1
            case .unwatched: break
            case .notificationFailed: state.statistics.failedNotificationCount += 1
            }
        }
        onEvent(event)
    }
}
#endif
