@testable import FlatCacheTestSupport

/// The calls that the threads of a history make.
struct HistoryPlan: Sendable {
    let seed: Seed
    let keys: [HistoryKey]
    let initial: HistoryState
    /// The keys observed during the history.
    ///
    /// Writes to observed values take another path.
    let observedKeys: Set<HistoryKey>
    /// The queries that are current when the history begins.
    let currentQueries: [HistoryQueryKey]
    /// The calls of each thread, in order.
    let threads: [[HistoryOperation]]

    /// Reads of all contents after the threads have ended, which reveal lost writes.
    var finalOperations: [HistoryOperation] {
        let reads = keys.map { HistoryOperation.get($0, .direct) }
        let counts = HistoryKey.Kind.allCases.map { HistoryOperation.count($0) }
        let listings = HistoryKey.Kind.allCases.flatMap {
            [HistoryOperation.ids($0), .values($0)]
        }
        let queries = HistoryQueryKey.all.map { HistoryOperation.query($0, .direct) }
        return [.snapshot(reads + counts + listings + queries)] + counts + reads + queries
            + keys.map { .get($0, .handle) } + keys.map { .get($0, .observations) }
    }
}
