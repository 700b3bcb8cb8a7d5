@testable import FlatCacheTestSupport

/// A search for a sequential order of a history's calls that explains their results.
///
/// A call that returned before the invocation of another must precede it in the order. If such an
/// order exists, the history is linearizable: each call appears to take effect at one instant
/// between its invocation and its response (Herlihy and Wing, "Linearizability: a correctness
/// condition for concurrent objects", 1990).
///
/// The search follows Wing and Gong, "Testing and verifying concurrent objects" (1993). It
/// proceeds depth first; a call can come next if none of the remaining calls returned before its
/// invocation. As in Lowe, "Testing for linearizability" (2017), it remembers each visited pair of
/// ordered calls and state, and doesn't continue from the same pair twice.
struct LinearizabilityChecker {
    /// The set of ordered calls, one bit each, and the state after them.
    private struct Configuration: Hashable {
        var ordered: UInt64
        var state: HistoryState
    }

    private let calls: [HistoryCall]
    private var visited: Set<Configuration> = []
    private var order: [Int] = []
    private var longestOrder: [Int] = []

    private init(_ history: History) {
        precondition(history.calls.count <= UInt64.bitWidth, "A history has at most 64 calls.")
        calls = history.calls
    }

    /// Returns `nil` for a linearizable history.
    ///
    /// For other histories, returns the longest order that explains some of its calls, as positions
    /// in the history.
    static func longestOrder(ofUnexplained history: History) -> [Int]? {
        var checker = LinearizabilityChecker(history)
        let start = Configuration(ordered: 0, state: history.initial)
        return checker.completesOrder(from: start) ? nil : checker.longestOrder
    }

    private mutating func completesOrder(from configuration: Configuration) -> Bool {
        if order.count > longestOrder.count { longestOrder = order }
        if order.count == calls.count { return true }
        guard visited.insert(configuration).inserted else { return false }
        var earliestResponse = Int.max
        for index in calls.indices where configuration.ordered & 1 << index == 0 {
            let call = calls[index]
            // The calls are sorted by invocation, so later ones can't come next either.
            guard call.invocation < earliestResponse else { break }
            earliestResponse = min(earliestResponse, call.response)
            var next = configuration
            guard next.state.perform(call.operation) == call.result else { continue }
            next.ordered |= 1 << index
            order.append(index)
            if completesOrder(from: next) { return true }
            order.removeLast()
        }
        return false
    }
}
