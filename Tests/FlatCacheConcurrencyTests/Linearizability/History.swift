@testable import FlatCacheTestSupport

/// The concurrent calls of several threads and their results.
struct History: Sendable {
    /// The contents before the first call.
    var initial: HistoryState
    /// The calls in the order of their invocations.
    let calls: [HistoryCall]

    init(initial: HistoryState = HistoryState(), calls: [HistoryCall]) {
        self.initial = initial
        self.calls = calls.sorted { $0.invocation < $1.invocation }
    }

    /// The number of calls that began before an earlier call had returned.
    var overlapCount: Int {
        var latestResponse = 0
        var count = 0
        for call in calls {
            if call.invocation < latestResponse { count += 1 }
            latestResponse = max(latestResponse, call.response)
        }
        return count
    }

    /// Returns a description of a wrong version that a thread has read, or `nil` if all versions
    /// are right.
    ///
    /// A version must not be older than one that any thread has read before, and a change must
    /// increase the version.
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
