/// All calls of a round's observers, in the order in which they began.
struct StressTimeline {
    private let calls: [StressCall]
    /// For each call, the greatest version that observers had received when the call began.
    private var versions: [UInt64] = []

    init(_ trials: [StressTrial]) {
        calls = trials.flatMap(\.record.calls).sorted { $0.start < $1.start }
        for call in calls { versions.append(max(call.event.version, versions.last ?? 0)) }
    }

    /// A description of each pair of calls that overlapped.
    var problems: [String] {
        zip(calls, calls.dropFirst()).compactMap { call, next in
            if let end = call.end, end < next.start { return nil }
            return "The call of \(next.event) began during that of \(call.event)."
        }
    }

    /// Returns the greatest version of the calls that began before a time.
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
            if call.version > version { latestBeginning = 0 }
            version = call.version
            guard !call.mayBeInitial else { continue }
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
