@testable import FlatCacheTestSupport

/// A write that the test didn't record under the writers' lock.
struct StressSubmission: Sendable {
    /// The stamps of the values that the write stored.
    var stored: [Int] = []
    /// The stamps of the values that the write returned as removed.
    var removed: [Int] = []
    /// The number of values that `removeAll` removed without returning them.
    var removedCount = 0
    /// The cache's versions before and after the write.
    var before: UInt64 = 0
    var after: UInt64 = 0

    /// Returns a Boolean value that indicates whether the write may have made the commit of a
    /// version.
    func mayBe(_ version: UInt64) -> Bool { before < version && version <= after }
}
