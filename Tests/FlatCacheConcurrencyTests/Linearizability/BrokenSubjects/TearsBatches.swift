@testable import FlatCacheTestSupport

/// A subject that publishes each write of a batch separately, so that readers see half a batch.
struct TearsBatches<Base: LinearizabilitySubject>: LinearizabilitySubject {
    private let base: Base

    init(_ plan: HistoryPlan) {
        base = Base(plan)
    }

    var version: UInt64 { base.version }

    func perform(_ operation: HistoryOperation, _ pauses: Pauses) -> HistoryResult {
        guard case .batch(let steps, .returns) = operation else {
            return base.perform(operation, pauses)
        }
        var results: [HistoryResult] = []
        for step in steps {
            if case .list(let result) = base.perform(.batch([step], .returns), pauses) {
                results += result
            }
            Pause.long.take()
        }
        return .list(results)
    }
}
