import Foundation

@testable import FlatCacheTestSupport

/// A correct subject that guards the specification by a lock.
final class LockedState: LinearizabilitySubject, @unchecked Sendable {
    private let lock = NSLock()
    // Guarded by `lock`.
    private var state: HistoryState
    private var callCount: UInt64 = 0

    init(_ plan: HistoryPlan) {
        state = plan.initial
    }

    var version: UInt64 { lock.withLock { callCount } }

    func perform(_ operation: HistoryOperation, _ pauses: Pauses) -> HistoryResult {
        pauses.take()
        defer { pauses.take() }
        return lock.withLock {
            callCount += 1
            return state.perform(operation)
        }
    }
}
