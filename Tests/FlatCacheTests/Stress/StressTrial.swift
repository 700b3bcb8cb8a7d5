@testable import FlatCache

/// What an observer has been told, and what it must have been.
///
/// It is known only within bounds when the observation began, and that it may have missed the last
/// calls when it was ended while they were waiting to be made.
struct StressTrial {
    /// A call that has been made, and where it belongs.
    struct Placed {
        let call: StressCall
        let version: UInt64
        /// Whether it may be the initial call, which can look like that of a commit.
        let mayBeInitial: Bool
    }

    let observation: StressObservation
    let record: StressObservation.Record
    /// The versions after which it may have begun, and what was there then.
    private var beginnings: [(version: UInt64, value: StressEntity?)] = []
    /// What it was told if it began as early as it can have, but for the value at its beginning.
    private var expected: [StressEvent] = []
    /// Its calls, once they have been compared.
    private(set) var placed: [Placed] = []

    init(_ observation: StressObservation) {
        self.observation = observation
        record = observation.record
    }

    func endsBefore(_ version: UInt64) -> Bool {
        record.endVersion.map { $0 < version } ?? false
    }

    /// Whether it was there all the time.
    func isObserving(_ times: ClosedRange<Int>) -> Bool {
        record.beginning.latest < times.lowerBound
            && record.end.map { times.upperBound < $0.earliest } ?? true
    }

    /// Whether it may have been there at some time.
    func mayBeObserving(_ times: ClosedRange<Int>) -> Bool {
        record.beginning.earliest < times.upperBound
            && record.end.map { times.lowerBound < $0.latest } ?? true
    }

    /// Notes what a commit has left, if the observation may have begun just after it.
    mutating func note(_ contents: [StressEntity?], at version: UInt64) {
        guard version <= record.registration.latest else { return }
        beginnings.append((version, contents[observation.id]))
    }

    mutating func expect(_ event: StressEvent) { expected.append(event) }

    /// Compares what was heard with what must have been, for each moment at which the observation
    /// may have begun.
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
        return [firstProblem ?? "\(observation) began at no time."]
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
                return "\(observation) was told more: \(call.event)."
            }
            let isRight =
                observation.isOfChanges
                ? call.event == events[index] : call.event.new == events[index].new
            if !isRight {
                return "\(observation) was told \(call.event) instead of \(events[index])."
            }
            if timeline.version(before: call.start) > events[index].version {
                return "\(observation) was told \(events[index]) late."
            }
        }
        guard record.calls.count < events.count else { return nil }
        let missing = events[record.calls.count]
        // Calls are made in the order of the commits: what comes before one that had been made when
        // the observation was ended cannot have waited any longer.
        if let end = record.end, timeline.version(before: end.earliest) <= missing.version {
            return nil
        }
        return "\(observation) was not told \(missing)."
    }

    /// Checks that no call began after the observation had ended.
    ///
    /// The thread that makes the calls may have been about to begin one, and not have reached the
    /// observer's first line yet; it can be about to begin no more than one.
    private func problemsOfLateCalls(on timeline: StressTimeline) -> [String] {
        guard let end = record.end else { return [] }
        let late = record.calls.filter { $0.start > end.latest }
        guard let first = late.first else { return [] }
        if late.count == 1, first.start == timeline.firstStart(after: end.latest) { return [] }
        return ["\(observation) was told \(first.event) after it had ended."]
    }
}
