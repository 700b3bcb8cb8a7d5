/// A table of any type, with the operations of commits.
///
/// All requirements are called under the writers' lock.
protocol AnyTable: EvictingTable {
    /// The identifier of the values' type.
    var typeIdentifier: ObjectIdentifier { get }

    /// A Boolean value that indicates whether the writer's list of written tables contains the
    /// table.
    var isRecordedAsWritten: Bool { get set }

    /// A Boolean value that indicates whether the table keeps data only because a snapshot was open
    /// when it was written.
    var hasUnreclaimed: Bool { get }

    /// Returns the entry of a key, which must be of the table's type.
    func entry(of key: CacheKey) -> EntryID?

    /// Returns the key of an entry.
    func key(of entry: EntryID) -> CacheKey

    /// Returns the node of an entry in the watch graph.
    func node(of entry: EntryID) -> WatchNodeID

    /// Sets the node of an entry in the watch graph.
    func setNode(_ node: WatchNodeID, of entry: EntryID)

    /// A Boolean value that indicates whether values can refer to others.
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

    /// Rolls back the writes of the innermost savepoint.
    func rollBackInnermostSavepoint(of writer: Writer)

    /// Discards the writes that left their entries unchanged; returns the number of entries that
    /// the open transaction has changed or made stale.
    func discardUnchanged(in writer: Writer) -> Int

    /// Appends the nodes of the watched entries that the open transaction has written or made
    /// stale.
    func appendWatchedNodes(to nodes: inout [WatchNodeID])

    /// Returns the change that a commit made to an entry, boxed as an event.
    func change(of entry: EntryID, causes: Set<CacheKey>, version: UInt64)
        -> AnyEvent

    /// A Boolean value that indicates whether an observation includes all entities of the type.
    ///
    /// If it's `true`, every write passes the stages of a commit.
    var isObservedAsAWhole: Bool { get set }

    /// A Boolean value that indicates whether only a deriver writes the table.
    var isDerived: Bool { get set }

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

    /// Forgets the recorded writes.
    func forgetWrites()

    /// A Boolean value that indicates whether values expire or become stale.
    var isTimed: Bool { get }

    /// A Boolean value that indicates whether a participant keeps a journal of the changes.
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

    /// A Boolean value that indicates whether a removal of all values concerns more than the table
    /// and its limits, so that each value must be removed by itself.
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

    /// Releases the locks of all stripes.
    func releaseAllStripes()

    /// A Boolean value that indicates whether the locks of all stripes become free soon, which they
    /// don't if the calling thread holds one of them.
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

    /// Writes the removal of a value.
    func remove(_ entry: EntryID, for reason: RemovalReason, in writer: Writer)

    /// Empties the table permanently, outside of any commit.
    func close(in writer: Writer)

    /// Traps unless the table is valid; for tests, between commits.
    func checkInvariants()
}
