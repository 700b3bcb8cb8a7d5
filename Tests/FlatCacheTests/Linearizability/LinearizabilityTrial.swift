/// Many histories of a subject, up to the first that fails.
struct LinearizabilityTrial<Subject: LinearizabilitySubject> {
    private let settings: LinearizabilitySettings
    /// How many calls of each kind there were.
    private(set) var counts: [String: Int] = [:]
    private(set) var overlapCount = 0

    init(_ settings: LinearizabilitySettings) {
        self.settings = settings
    }

    /// Runs the histories, some hundreds at a time on the same threads.
    mutating func firstFailure() -> HistoryFailure? {
        let size = 200
        for first in stride(from: 0, to: settings.historyCount, by: size) {
            let attempts = first..<min(first + size, settings.historyCount)
            let plans = attempts.map { plan(ofAttempt: $0) }
            for (_, plans) in Dictionary(grouping: plans, by: \.threads.count) {
                let runner = HistoryRunner<Subject>(plans, firstAttempt: first)
                guard let histories = runner.histories() else { return .hangs(plans) }
                for (plan, history) in zip(plans, histories) {
                    note(history)
                    if let failure = failure(of: history, plan) { return failure }
                }
            }
        }
        return nil
    }

    private func plan(ofAttempt attempt: Int) -> HistoryPlan {
        var generator = HistoryGenerator(seed: settings.seed ?? UInt64(attempt + 1))
        return generator.plan()
    }

    private func failure(of history: History, _ plan: HistoryPlan) -> HistoryFailure? {
        if let order = LinearizabilityChecker.longestOrder(ofUnexplained: history) {
            return .notLinearizable(plan, history, longestOrder: order)
        }
        return history.versionProblem().map { .wrongVersion(plan, history, $0) }
    }

    private mutating func note(_ history: History) {
        for call in history.calls { counts[call.operation.name, default: 0] += 1 }
        overlapCount += history.overlapCount
    }
}
