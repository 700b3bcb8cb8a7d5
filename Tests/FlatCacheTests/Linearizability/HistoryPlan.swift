/// The calls that the threads of a history are to make.
struct HistoryPlan: Sendable {
    let seed: Seed
    let keys: [HistoryKey]
    let initial: HistoryState
    /// The keys that are observed meanwhile, whose values are written in another way.
    let observedKeys: Set<HistoryKey>
    /// For each thread its calls, in their order.
    let threads: [[HistoryOperation]]

    /// What is asked for when all threads have ended, so that nothing that was lost goes unnoticed.
    var finalOperations: [HistoryOperation] {
        let reads = keys.map { HistoryOperation.get($0, .direct) }
        let counts = HistoryKey.Kind.allCases.map { HistoryOperation.count($0) }
        let listings = HistoryKey.Kind.allCases.flatMap {
            [HistoryOperation.ids($0), .values($0)]
        }
        return [.snapshot(reads + counts + listings)] + counts + reads
            + keys.map { .get($0, .handle) } + keys.map { .get($0, .observations) }
    }
}
