@testable import FlatCacheTestSupport

/// A subject whose queries contain the rows of one moment that are still stored at a later one.
struct TearsQueries<Base: LinearizabilitySubject>: LinearizabilitySubject {
    private let base: Base

    init(_ plan: HistoryPlan) {
        base = Base(plan)
    }

    var version: UInt64 { base.version }

    func perform(_ operation: HistoryOperation, _ pauses: Pauses) -> HistoryResult {
        guard case .query(let key, _) = operation else { return base.perform(operation, pauses) }
        let rows = base.perform(operation, pauses)
        Pause.long.take()
        let stored = base.perform(.values(key.kind), pauses)
        guard case (.list(let rows), .list(let stored)) = (rows, stored) else { return .nothing }
        return .list(rows.filter(stored.contains))
    }
}
