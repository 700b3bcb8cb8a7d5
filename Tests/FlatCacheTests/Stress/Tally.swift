@testable import FlatCache

/// A number to which each value that is set adds its own.
struct Tally: Identifiable, Sendable, Mergeable {
    let id: String
    var count: Int

    func merged(with other: Tally) -> Tally {
        yieldToOtherThreads()
        return Tally(id: id, count: count + other.count)
    }
}
