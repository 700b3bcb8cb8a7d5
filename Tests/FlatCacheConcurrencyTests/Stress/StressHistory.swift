import FlatCache

@testable import FlatCacheTestSupport

/// All changes that one observer received.
struct StressHistory {
    let events: [StressEvent]
    /// A Boolean value that indicates whether the entity was absent when the observation began.
    var startsEmpty = false

    /// A description of each change that contradicts its kind or doesn't follow from the change
    /// before it.
    var problems: [String] {
        var problems: [String] = []
        var previous: StressEvent?
        for event in events {
            if let previous, event.version <= previous.version {
                problems.append("\(event) came after \(previous).")
            }
            if (previous != nil || startsEmpty) && event.old != previous?.new {
                problems.append("\(event) doesn't follow from \(String(describing: previous)).")
            }
            if !isKindRight(event) { problems.append("\(event) is of the wrong kind.") }
            previous = event
        }
        return problems
    }

    private func isKindRight(_ event: StressEvent) -> Bool {
        switch event.kind {
        case .inserted: event.old == nil && event.new != nil
        case .updated: event.old != nil && event.new != nil && event.old != event.new
        case .removed: event.old != nil && event.new == nil
        case .related, .becameStale: event.old == event.new
        }
    }
}
