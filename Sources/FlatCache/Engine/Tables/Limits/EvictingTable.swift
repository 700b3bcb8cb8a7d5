/// A table of any type, with the operations of limits and expiry.
///
/// All requirements are called under the writers' lock.
protocol EvictingTable: AnyObject, Sendable {
    /// A Boolean value that indicates whether the table has a limit, or values that expire.
    var hasLimits: Bool { get }

    // MARK: Commits

    /// Updates the limits for the writes of the open transaction.
    ///
    /// - Returns: The entities that the transaction has pinned and unpinned, if the table stores
    ///   lists or aliases.
    func recordWritten(in writer: Writer) -> [(key: CacheKey, difference: Int)]

    /// Evicts some of the values above the limit, if there are any; returns their number.
    func evictExcess(in writer: Writer) -> Int

    /// The number of values that commits have evicted because the limit was exceeded.
    var evictedCount: Int { get }

    // MARK: Trimming

    /// The number of values that can be trimmed.
    var trimmableCount: Int { get }

    /// Removes some of the values of a plan that aren't in use; returns their number.
    func trim(_ plan: inout TrimPlan, in writer: Writer) -> Int

    // MARK: Expiry

    /// Removes expired values that aren't in use, and makes values stale.
    ///
    /// - Returns: The number of examined values, which is at most the limit.
    func expireDue(at now: Time, atMost limit: Int, in writer: Writer) -> Int

    /// A Boolean value that indicates whether the open transaction makes any value stale.
    var makesValuesStale: Bool { get }

    /// Determines the entries whose observers learn that they become stale, before the values of
    /// the open transaction are recorded.
    ///
    /// - Parameter watched: The watched entries of the table.
    func resolveStaleness(watched: () -> [EntryID], in writer: Writer)

    /// The entries with or without values, in no particular order.
    var occupiedEntries: [EntryID] { get }

    /// Adds entries to those whose observers learn that they become stale with the whole type.
    func addStaleness(to entries: [EntryID], version: UInt64)

    /// A Boolean value that indicates whether the open transaction makes the whole type stale.
    var makesAllStale: Bool { get }

    /// The time of the next expiry or tick, if there is one.
    var nextWakeTime: Time? { get }

    // MARK: Use

    /// Returns whether an entry must not be evicted, because it is watched or pinned.
    func isInUse(_ entry: EntryID) -> Bool

    /// Returns whether a token, a list or an alias pins an entry.
    func isPinned(_ entry: EntryID, byTokensOnly: Bool) -> Bool

    /// Updates the expiration of an entry that is no longer in use.
    func recordUnused(_ entry: EntryID)

    /// Adds to the number of lists and aliases that pin an entity.
    func adjustPins(of key: CacheKey, by difference: Int)

    /// Returns the entities that the stored lists or aliases pin.
    func allPinned() -> [CacheKey]
}
