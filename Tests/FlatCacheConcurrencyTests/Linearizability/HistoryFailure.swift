@testable import FlatCacheTestSupport

/// The reason why a subject failed.
enum HistoryFailure: Sendable {
    /// No sequential order explains the results of a plan's calls.
    case notLinearizable(HistoryPlan, History, longestOrder: [Int])
    /// A thread read a version that was too old.
    case wrongVersion(HistoryPlan, History, String)
    /// The threads that ran one of these plans didn't end.
    case hangs([HistoryPlan])
}

extension HistoryFailure {
    var report: FailureReport {
        switch self {
        case .notLinearizable(let plan, let history, let order):
            Self.report(
                plan.seed,
                """
                No order of these calls explains their results. The right column shows the places \
                of calls in the longest order that explains a part of them.
                \(Self.list(plan, history, order))
                """
            )
        case .wrongVersion(let plan, let history, let problem):
            Self.report(
                plan.seed,
                """
                A version was wrong. \(problem)
                \(Self.list(plan, history, []))
                """
            )
        case .hangs(let plans):
            Self.report(
                plans[0].seed,
                """
                The threads did not end with one of these seeds: \
                \(plans.map { "\($0.seed)" }.joined(separator: ", "))
                """
            )
        }
    }

    private static func report(_ seed: Seed, _ problem: String) -> FailureReport {
        FailureReport(seed: seed, step: nil, problem: problem)
    }

    /// Returns a list of the calls with their invocation and response times.
    private static func list(_ plan: HistoryPlan, _ history: History, _ order: [Int]) -> String {
        let start = (history.calls.first?.invocation ?? 0) - 1
        let lines = history.calls.enumerated().map { index, call in
            let time =
                call.thread < plan.threads.count
                ? "\(call.invocation - start)–\(call.response - start)  thread \(call.thread)"
                : "afterwards"
            let place = order.firstIndex(of: index).map { "  #\($0 + 1)" } ?? ""
            return "\(time): \(call.operation) → \(call.result)\(place)"
        }
        let observed = plan.observedKeys.map { "\($0)" }.sorted().joined(separator: ", ")
        return """
            Before: \(history.initial)
            Observed: \(observed.isEmpty ? "nothing" : observed)
            \(lines.joined(separator: "\n"))
            """
    }
}
