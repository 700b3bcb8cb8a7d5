@testable import FlatCacheTestSupport

/// A series of histories of a subject, which ends with the first failure.
struct LinearizabilityTrial<Subject: LinearizabilitySubject> {
    private let settings: RandomTestSettings
    /// The number of calls of each kind.
    let counts = EventCounts()
    private(set) var overlapCount = 0

    init(_ settings: RandomTestSettings) {
        self.settings = settings
    }

    /// Runs the histories, a few hundred at a time on the same threads, and returns the first
    /// failure.
    mutating func firstFailure() -> HistoryFailure? {
        let size = 200
        for first in stride(from: 0, to: settings.seeds.count, by: size) {
            let seeds = settings.seeds[first..<min(first + size, settings.seeds.count)]
            let plans = seeds.map(plan)
            for (_, plans) in Dictionary(grouping: plans, by: \.threads.count) {
                let runner = HistoryRunner<Subject>(plans, firstAttempt: first)
                let histories = TrapReport.during(plans.map(\.seed)) { runner.histories() }
                guard let histories else { return .hangs(plans) }
                for (plan, history) in zip(plans, histories) {
                    note(history)
                    if let failure = failure(of: history, plan) { return failure }
                }
            }
        }
        return nil
    }

    private func plan(of seed: Seed) -> HistoryPlan {
        var generator = HistoryGenerator(seed: seed)
        return generator.plan()
    }

    private func failure(of history: History, _ plan: HistoryPlan) -> HistoryFailure? {
        if let order = LinearizabilityChecker.longestOrder(ofUnexplained: history) {
            return .notLinearizable(plan, history, longestOrder: order)
        }
        return history.versionProblem().map { .wrongVersion(plan, history, $0) }
    }

    private mutating func note(_ history: History) {
        for call in history.calls { counts.add(call.operation.name) }
        overlapCount += history.overlapCount
    }
}
