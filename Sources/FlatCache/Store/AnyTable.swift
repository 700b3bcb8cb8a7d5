/// A table of any type, with the operations of commits.
///
/// All requirements are called under the writers' lock.
protocol AnyTable: EvictingTable {
    var typeIdentifier: ObjectIdentifier { get }

    /// `true` if the writer's list of written tables contains the table.
    var isRecordedAsWritten: Bool { get set }

    /// `true` if the table keeps data only because a snapshot was open when it was written.
    var hasUnreclaimed: Bool { get }

    /// Returns the entry of a key; the key must be of the table's type.
    func entry(of key: CacheKey) -> EntryID?

    func key(of entry: EntryID) -> CacheKey

    func node(of entry: EntryID) -> WatchNodeID

    func setNode(_ node: WatchNodeID, of entry: EntryID)

    /// `true` if values can refer to others.
    var hasRelationships: Bool { get }

    /// Returns the keys that an entry's value refers to, as of a version.
    func relatedCacheKeys(
        of entry: EntryID,
        at version: UInt64,
        in writer: Writer
    ) -> Set<CacheKey>

    /// Returns the keys that an entry's list refers to, as of a version, or `nil` if the table
    /// doesn't contain lists.
    func listedCacheKeys(of entry: EntryID, at version: UInt64) -> [CacheKey]?

    /// Merges the writes of the innermost savepoint into the one around it.
    func mergeInnermostSavepoint(of writer: Writer)

    func rollBackInnermostSavepoint(of writer: Writer)

    /// Stores the former values of the entities that both the innermost savepoint and, since a
    /// lease began, other code have written. Merges the savepoint's values beneath them.
    func undoOutdatedWrites(since lease: Lease, in core: CacheCore)

    /// Stores the former value of an entity that the innermost savepoint has removed.
    func undoRemoval(of key: CacheKey, in core: CacheCore)

    /// Discards the writes that left their entries unchanged; returns the number of entries that
    /// the open transaction has changed or made stale.
    func discardUnchanged(in writer: Writer) -> Int

    /// Appends the nodes of the watched entries that the open transaction has written or made
    /// stale.
    func appendWatchedNodes(to nodes: inout [WatchNodeID])

    /// Returns the change that a commit made to an entry, boxed as an event.
    func change(of entry: EntryID, causes: Set<CacheKey>, version: UInt64)
        -> AnyEvent

    /// `true` if an observation includes all entities of the type.
    ///
    /// If it's `true`, every write passes the stages of a commit.
    var isObservedAsAWhole: Bool { get }

    /// The observers of all entities of the type.
    var typeObservers: RegistrationList<Observer> { get }

    /// `true` if only a deriver writes the table.
    var isDerived: Bool { get set }

    /// `true` if the values are the cache's own: those that a deriver writes, and the states of
    /// layers.
    ///
    /// Removals, limits and loads don't concern the table.
    var isInternal: Bool { get }

    /// The keys of the entities that the open transaction has written or made stale.
    func changedKeys(version: UInt64) -> [CacheKey]

    /// Returns the keys of the entities whose values the open transaction has changed, and not only
    /// their freshness.
    func keysOfChangedValues(in writer: Writer) -> [CacheKey]

    /// Returns the changes that a commit made to the table, boxed as an event, or `nil` if there
    /// are none.
    func changes(version: UInt64) -> AnyEvent?

    /// Records the writes of the open transaction for the leases of loads; returns the keys of
    /// removed entities.
    func recordWritesForLeases(in writer: Writer) -> [CacheKey]

    /// Returns whether an entry had no value as of a version, and was written after it.
    func isInserted(_ entry: EntryID, after version: UInt64) -> Bool

    /// Returns whether a write to an entry was recorded since a lease has begun.
    func isRecordedAsWritten(_ entry: EntryID, since lease: Lease) -> Bool

    func forgetWrites(in writer: Writer)

    /// `true` if values expire or become stale.
    var isTimed: Bool { get }

    /// `true` if a participant keeps a journal of the changes.
    var hasJournal: Bool { get }

    /// Lists the writes of the open transaction in the journal, if there is one.
    func recordInJournal(in writer: Writer)

    /// Prepares marks and counts for a version that is about to become visible.
    func prepareToPublish(_ version: UInt64)

    /// Drops the data that readers no longer need, after a commit or when snapshots have closed.
    func reclaim(in writer: Writer)

    /// Writes the removal of all values whose entries are chosen; returns their number.
    func removeAll(
        in writer: Writer,
        for reason: RemovalReason,
        where isChosen: (EntryID) -> Bool
    ) -> Int

    /// `true` if a removal of all values concerns more than the table and its limits, so that each
    /// value must be removed by itself.
    ///
    /// It doesn't include the watch graph and open snapshots.
    var needsSingleRemovals: Bool { get }

    /// Prepares the removal of all values at once.
    ///
    /// - Returns: A closure that removes them as of a version and returns their number. It must be
    ///   called under the locks of all stripes, while no snapshot can be opened.
    func prepareToEmpty() -> (_ version: UInt64, _ writer: Writer) -> Int

    /// Forgets the records of limits and stamps of the values that were removed at once.
    func forgetEmptied(in writer: Writer)

    /// Acquires the locks of all stripes, so that readers wait.
    func acquireAllStripes()

    func releaseAllStripes()

    /// `true` if the locks of all stripes become free soon.
    ///
    /// They don't if the calling thread holds one of them.
    ///
    /// Any thread can read this property.
    var areStripesSoonFree: Bool { get }

    /// Returns the number of values as of the latest visible commit or of a version.
    func count(at version: UInt64?) -> Int

    /// The name of the values in descriptions, or `nil` if the values are the cache's own.
    ///
    /// Any thread can read this property.
    var contentName: String? { get }

    /// Returns whether an entry has a value, with the writes of the open transaction so far.
    func hasValue(_ entry: EntryID) -> Bool

    /// Puts the confirmed value of an entity into its entry, before a write that depends on it.
    func uncover(_ key: CacheKey)

    /// The operations of layers, or `nil` before the first one.
    var layers: TableLayers? { get }

    /// Returns whether layers change the entity of an entry.
    func isCovered(_ entry: EntryID) -> Bool

    /// Writes the removal of a value.
    func remove(_ entry: EntryID, for reason: RemovalReason, in writer: Writer)

    /// Empties the table permanently, outside of any commit.
    func close(in writer: Writer)

    /// Traps unless the table is valid; for tests, between commits.
    func checkInvariants()

    /// Traps if only a participant may write the table that doesn't write now.
    func checkOwner(in core: CacheCore)

    /// Returns whether only a participant may write the table that doesn't write now.
    func isWrittenByAnother(in core: CacheCore) -> Bool
}

/// A table of any type, with the operations of limits and expiry.
///
/// All requirements are called under the writers' lock.
protocol EvictingTable: AnyObject, Sendable {
    /// `true` if the table has a limit, or values that expire.
    var hasLimits: Bool { get }

    // MARK: Commits

    /// Updates the limits for the writes of the open transaction.
    func recordWrittenEntries(in writer: Writer)

    /// Returns the entities that the open transaction has pinned and unpinned, if the table stores
    /// lists or aliases.
    func pinChanges() -> [(key: CacheKey, difference: Int)]

    /// Evicts some of the values above the limit, if there are any; returns their number.
    func evictExcess(in writer: Writer) -> Int

    // MARK: Trimming

    var trimmableCount: Int { get }

    /// Removes some of the values of a plan that aren't in use; returns their number.
    func trim(_ plan: inout TrimPlan, in writer: Writer) -> Int

    // MARK: Expiry

    /// Removes expired values that aren't in use, and makes values stale.
    ///
    /// - Returns: The number of examined values, at most the limit.
    func expireDue(at now: Time, atMost limit: Int, in writer: Writer) -> Int

    /// `true` if the open transaction makes any value stale.
    var makesValuesStale: Bool { get }

    /// Determines the entries whose observers learn that they become stale, before the values of
    /// the open transaction are recorded.
    func resolveStaleness(watched: () -> [EntryID], in writer: Writer)

    /// The entries with or without values, in no particular order.
    var occupiedEntries: [EntryID] { get }

    /// Adds entries to those whose observers learn that they become stale with the whole type.
    func addStaleness(to entries: [EntryID], version: UInt64)

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
