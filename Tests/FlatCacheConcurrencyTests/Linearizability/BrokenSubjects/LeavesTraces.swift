@testable import FlatCacheTestSupport

/// A subject that restores changed and removed values when a batch throws, but keeps added ones.
struct LeavesTraces<Base: LinearizabilitySubject>: LinearizabilitySubject {
    private let base: Base
    private let keys: [HistoryKey]

    init(_ plan: HistoryPlan) {
        base = Base(plan)
        keys = plan.keys
    }

    var version: UInt64 { base.version }

    func perform(_ operation: HistoryOperation, _ pauses: Pauses) -> HistoryResult {
        guard case .batch(let steps, .fails) = operation else {
            return base.perform(operation, pauses)
        }
        let reads = keys.map { HistoryOperation.get($0, .direct) }
        guard
            case .list(let before) = base.perform(.snapshot(reads), pauses),
            case .list(let results) = base.perform(.batch(steps, .returns), pauses)
        else { return .nothing }
        let restorations = zip(keys, before).compactMap { key, result in
            if case .value(let entries?) = result {
                HistoryOperation.replace(key, entries)
            } else {
                nil
            }
        }
        _ = base.perform(.batch(restorations, .returns), pauses)
        return .failure(results)
    }
}
