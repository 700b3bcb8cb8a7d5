@testable import FlatCache
@testable import FlatCacheTestSupport

/// The comparison of an observation's recorded calls with the expected ones.
///
/// The version at which the observation began is known only within bounds. If the observation was
/// ended, it may have missed the last calls, which were still queued.
struct StressTrial {
    /// A recorded call and the version of its commit.
    struct Placed {
        let call: StressCall
        let version: UInt64
        /// A Boolean value that indicates whether this may be the initial call, which can equal the
        /// call for a commit.
        let mayBeInitial: Bool
    }

    let observation: StressObservation
    let record: StressObservation.Record
    /// The versions at which the observation may have begun, and the value at each of them.
    private var beginnings: [(version: UInt64, value: StressEntity?)] = []
    /// The expected changes if the observation began at the earliest possible version, without the
    /// initial call.
    private var expected: [StressEvent] = []
    /// The recorded calls, available after a successful comparison.
    private(set) var placed: [Placed] = []

    init(_ observation: StressObservation) {
        self.observation = observation
        record = observation.record
    }

    func endsBefore(_ version: UInt64) -> Bool {
        record.endVersion.map { $0 < version } ?? false
    }

    /// Returns a Boolean value that indicates whether the observation was certainly active during
    /// all of an interval.
    func isObserving(_ times: ClosedRange<Int>) -> Bool {
        record.beginning.latest < times.lowerBound
            && record.end.map { times.upperBound < $0.earliest } ?? true
    }

    /// Returns a Boolean value that indicates whether the observation may have been active during
    /// part of an interval.
    func mayBeObserving(_ times: ClosedRange<Int>) -> Bool {
        record.beginning.earliest < times.upperBound
            && record.end.map { times.lowerBound < $0.latest } ?? true
    }

    /// Adds the value after a commit to the possible beginnings, if the observation may have begun
    /// there.
    mutating func note(_ contents: [StressEntity?], at version: UInt64) {
        guard version <= record.registration.latest else { return }
        beginnings.append((version, contents[observation.id]))
    }

    mutating func expect(_ event: StressEvent) { expected.append(event) }

    /// Compares the recorded calls with the expected ones, for each version at which the
    /// observation may have begun.
    mutating func compare(on timeline: StressTimeline) -> [String] {
        var firstProblem: String?
        for beginning in beginnings {
            let events = events(since: beginning)
            if let problem = problem(with: events, on: timeline) {
                if firstProblem == nil { firstProblem = problem }
                continue
            }
            placed = zip(record.calls, events).enumerated().map { index, pair in
                let (call, event) = pair
                return Placed(
                    call: call,
                    version: event.version,
                    mayBeInitial: observation.isInitial && index == 0
                        && event.version <= record.registration.latest
                )
            }
            return problemsOfLateCalls(on: timeline)
        }
        return [firstProblem ?? "\(observation) has no possible beginning."]
    }

    private func events(since beginning: (version: UInt64, value: StressEntity?)) -> [StressEvent] {
        var events = expected.filter { $0.version > beginning.version }
        if observation.isInitial, let value = beginning.value {
            let initial = StressEvent(
                kind: .inserted,
                new: value,
                causes: StressEntityIDs([value.id]),
                version: beginning.version
            )
            events.insert(initial, at: 0)
        }
        return observation.isOfChanges ? events : events.filter { $0.new != nil }
    }

    private func problem(with events: [StressEvent], on timeline: StressTimeline) -> String? {
        for (index, call) in record.calls.enumerated() {
            guard index < events.count else {
                return "\(observation) received an unexpected call: \(call.event)."
            }
            let isRight =
                observation.isOfChanges
                ? call.event == events[index] : call.event.new == events[index].new
            if !isRight {
                return "\(observation) received \(call.event) instead of \(events[index])."
            }
            if timeline.version(before: call.start) > events[index].version {
                return "\(observation) received \(events[index]) late."
            }
        }
        guard record.calls.count < events.count else { return nil }
        let missing = events[record.calls.count]
        // Calls follow the order of the commits. If a call for a later commit began before the
        // observation ended, the missing call must have been made, too.
        if let end = record.end, timeline.version(before: end.earliest) <= missing.version {
            return nil
        }
        return "\(observation) didn't receive \(missing)."
    }

    /// Checks that no call began after the observation had ended.
    ///
    /// One call is allowed: the delivering thread may have decided to call the observer before the
    /// end, and have reached the observer's first line after it.
    private func problemsOfLateCalls(on timeline: StressTimeline) -> [String] {
        guard let end = record.end else { return [] }
        let late = record.calls.filter { $0.start > end.latest }
        guard let first = late.first else { return [] }
        if late.count == 1, first.start == timeline.firstStart(after: end.latest) { return [] }
        return ["\(observation) received \(first.event) after its end."]
    }
}
