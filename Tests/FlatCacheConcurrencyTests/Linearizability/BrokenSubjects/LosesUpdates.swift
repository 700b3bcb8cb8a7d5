@testable import FlatCacheTestSupport

/// A subject whose updates read and write under separate locks, and so lose writes of other threads
/// in between.
struct LosesUpdates<Base: LinearizabilitySubject>: LinearizabilitySubject {
    private let base: Base

    init(_ plan: HistoryPlan) {
        base = Base(plan)
    }

    var version: UInt64 { base.version }

    func perform(_ operation: HistoryOperation, _ pauses: Pauses) -> HistoryResult {
        guard case .append(let key, let entry, _, .returns) = operation else {
            return base.perform(operation, pauses)
        }
        guard case .value(let entries?) = base.perform(.get(key, .direct), pauses) else {
            return .value(nil)
        }
        Pause.long.take()
        return base.perform(.replace(key, entries + [entry]), pauses)
    }
}
