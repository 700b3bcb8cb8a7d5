import Foundation

@testable import FlatCacheTestSupport

/// A subject whose handles read copies, which a writer refreshes only after its write is visible.
final class KeepsStaleHandles<Base: LinearizabilitySubject>: LinearizabilitySubject,
    @unchecked Sendable
{
    private let base: Base
    private let keys: [HistoryKey]
    private let lock = NSLock()
    // Guarded by `lock`.
    private var copies: [HistoryKey: HistoryResult] = [:]

    init(_ plan: HistoryPlan) {
        base = Base(plan)
        keys = plan.keys
        refresh(Pauses(seed: plan.seed))
    }

    var version: UInt64 { base.version }

    func perform(_ operation: HistoryOperation, _ pauses: Pauses) -> HistoryResult {
        if case .get(let key, .handle) = operation {
            return lock.withLock { copies[key] ?? .value(nil) }
        }
        let result = base.perform(operation, pauses)
        if !operation.isRead {
            Pause.long.take()
            refresh(pauses)
        }
        return result
    }

    private func refresh(_ pauses: Pauses) {
        lock.withLock {
            for key in keys { copies[key] = base.perform(.get(key, .direct), pauses) }
        }
    }
}
