@testable import FlatCacheTestSupport

/// A subject that performs each read of a snapshot separately, so that writes come in between.
struct TearsSnapshots<Base: LinearizabilitySubject>: LinearizabilitySubject {
    private let base: Base

    init(_ plan: HistoryPlan) {
        base = Base(plan)
    }

    var version: UInt64 { base.version }

    func perform(_ operation: HistoryOperation, _ pauses: Pauses) -> HistoryResult {
        guard case .snapshot(let reads) = operation else {
            return base.perform(operation, pauses)
        }
        return .list(
            reads.map { read in
                defer { Pause.long.take() }
                return base.perform(read, pauses)
            }
        )
    }
}
