/// What threads have done at the same time, and what that has shown.
struct History: Sendable {
    /// What there was before.
    var initial: HistoryState
    /// In the order of their invocations.
    let calls: [HistoryCall]

    init(initial: HistoryState = HistoryState(), calls: [HistoryCall]) {
        self.initial = initial
        self.calls = calls.sorted { $0.invocation < $1.invocation }
    }

    /// How many calls began before an earlier one had returned.
    var overlapCount: Int {
        var latestResponse = 0
        var count = 0
        for call in calls {
            if call.invocation < latestResponse { count += 1 }
            latestResponse = max(latestResponse, call.response)
        }
        return count
    }

    /// What is wrong with the versions that threads have read, if anything.
    ///
    /// None may be older than one that was read earlier, whoever read it, and a change must have a
    /// new one.
    func versionProblem() -> String? {
        var returned = calls.sorted { $0.response > $1.response }
        var newest: UInt64 = 0
        for call in calls {
            while let last = returned.last, last.response < call.invocation {
                newest = max(newest, last.versionAfter)
                returned.removeLast()
            }
            let least = call.versionBefore + (call.hasSurelyWritten ? 1 : 0)
            if call.versionBefore < newest || call.versionAfter < least {
                return """
                    The version was \(newest) before this call, \(call.versionBefore) when it \
                    began and \(call.versionAfter) when it had returned: \(call)
                    """
            }
        }
        return nil
    }
}
