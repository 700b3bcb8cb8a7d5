@testable import FlatCacheTestSupport

/// All calls of a round's observers, in the order in which they began.
struct StressTimeline {
    private let calls: [StressCall]
    /// For each call, the greatest version of the commits of which observers had been notified when
    /// the call began.
    ///
    /// The initial calls of two observers have no order, so they don't count.
    private var versions: [UInt64] = []

    init(_ trials: [StressTrial]) {
        let calls = trials.flatMap { trial in
            trial.record.calls.enumerated().map { index, call in
                (call: call, mayBeInitial: trial.observation.isInitial && index == 0)
            }
        }
        let inOrder = calls.sorted { $0.call.start < $1.call.start }
        self.calls = inOrder.map(\.call)
        for (call, mayBeInitial) in inOrder {
            versions.append(max(mayBeInitial ? 0 : call.event.version, versions.last ?? 0))
        }
    }

    /// A description of each pair of calls that overlapped.
    var problems: [String] {
        zip(calls, calls.dropFirst()).compactMap { call, next in
            if let end = call.end, end < next.start { return nil }
            return "The call of \(next.event) began during that of \(call.event)."
        }
    }

    /// Returns the greatest version of the commits of which observers were notified before a time.
    func version(before time: Int) -> UInt64 {
        let index = firstIndex(after: time - 1)
        return index == 0 ? 0 : versions[index - 1]
    }

    func firstStart(after time: Int) -> Int? {
        let index = firstIndex(after: time)
        return index < calls.count ? calls[index].start : nil
    }

    private func firstIndex(after time: Int) -> Int {
        var (lower, upper) = (0, calls.count)
        while lower < upper {
            let middle = (lower + upper) / 2
            if calls[middle].start > time { upper = middle } else { lower = middle + 1 }
        }
        return lower
    }

    /// Checks that the calls followed the order of the commits and, within a commit, the order of
    /// registration.
    static func problemsOfOrder(_ trials: [StressTrial]) -> [String] {
        // The calls of an observer of values don't always identify the commit.
        let placed = trials.filter(\.observation.isOfChanges).flatMap { trial in
            trial.placed.map { (placed: $0, beginning: trial.record.beginning) }
        }
        var problems: [String] = []
        var version: UInt64 = 0
        var latestBeginning = 0
        let inOrder = placed.sorted { $0.placed.call.start < $1.placed.call.start }
        for (call, beginning) in inOrder {
            if call.version < version {
                problems.append("\(call.call.event) was delivered after version \(version).")
            }
            guard !call.mayBeInitial else { continue }
            if call.version > version { latestBeginning = 0 }
            version = call.version
            if beginning.latest < latestBeginning {
                problems.append(
                    "\(call.call.event) was delivered out of the order of registration."
                )
            }
            latestBeginning = max(latestBeginning, beginning.earliest)
        }
        return problems
    }
}
