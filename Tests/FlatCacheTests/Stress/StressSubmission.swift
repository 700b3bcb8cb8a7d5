/// A write that was made without being noted under the writers' lock.
struct StressSubmission: Sendable {
    /// The stamps of the values that it has stored.
    var stored: [Int] = []
    /// The stamps of the values that it has removed, as far as it was told.
    var removed: [Int] = []
    /// How many other values it has removed.
    var removedCount = 0
    /// The cache's version before and after.
    var before: UInt64 = 0
    var after: UInt64 = 0

    /// Whether a commit lies within the time that the write took.
    func mayBe(_ version: UInt64) -> Bool { before < version && version <= after }
}
