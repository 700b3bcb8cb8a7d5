package import Testing

/// The numbers of events of each kind in the runs of a random test.
///
/// A test whose generator hardly causes an event proves nothing about it.
package final class EventCounts {
    private var counts: [String: Int] = [:]

    package init() {}

    package func add(_ name: String, _ count: Int = 1) { counts[name, default: 0] += count }

    package func add(_ other: EventCounts) { counts.merge(other.counts, uniquingKeysWith: +) }

    /// Expects that each event has happened more often than a number of times.
    package func expectOften(
        _ names: [String],
        moreThan limit: Int = 100,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let rare = rare(among: names, atMost: limit)
        #expect(rare == [], "The random test rarely causes events.", sourceLocation: sourceLocation)
    }

    /// Returns the names of the events that have happened no more often than a number of times.
    package func rare(among names: [String], atMost limit: Int = 100) -> [String] {
        names.filter { counts[$0, default: 0] <= limit }
    }
}
