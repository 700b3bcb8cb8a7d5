@testable import FlatCache
@testable import FlatCacheTestSupport

/// A counter whose merge adds the new count to the stored count.
struct Tally: Identifiable, Sendable, Mergeable {
    let id: String
    var count: Int

    func merged(with other: Tally) -> Tally {
        yieldToOtherThreads()
        return Tally(id: id, count: count + other.count)
    }
}
