/// Searches for an order of a history's calls in which, one after another, they show what they have
/// shown at the same time.
///
/// A call that had returned before another one was made must come before it. If there is such an
/// order the history is linearizable: each call seems to have taken effect at one instant between
/// its invocation and its response (Herlihy and Wing, "Linearizability: a correctness condition for
/// concurrent objects", 1990).
///
/// The search is that of Wing and Gong, "Testing and verifying concurrent objects" (1993): depth
/// first, where any call may come next before whose invocation none of the others had returned.
/// Like Lowe's in "Testing for linearizability" (2017) it remembers which calls have led to which
/// state, and does not go on from there a second time.
struct LinearizabilityChecker {
    /// Which calls have been put in order, one bit each, and what they lead to.
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

    /// Returns `nil` for a linearizable history; for others the longest order of some of its calls
    /// that explains what these have shown, as positions in the history.
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
            // Later calls were made even later.
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
