/// The table of some type: what a commit does with each table that it has written to, whatever the
/// type.
///
/// Everything here is called under the writers' lock.
protocol AnyTable: AnyObject, Sendable {
    /// Identifies the type whose values the table holds.
    var typeIdentifier: ObjectIdentifier { get }

    /// Whether the writer has this in its list of tables that the open transaction has written to.
    var isNotedAsWritten: Bool { get set }

    /// Whether the table holds something only because a snapshot was open when it was written.
    var hasUnsettled: Bool { get }

    /// Finds the entry of a key, which must be of this table's type.
    func entry(of key: CacheKey) -> EntryID?

    /// The key of an entry of this table.
    func key(of entry: EntryID) -> CacheKey

    /// The node of an entry in the watch graph.
    func node(of entry: EntryID) -> WatchNodeID

    /// Notes the node of an entry in the watch graph.
    func setNode(_ node: WatchNodeID, of entry: EntryID)

    /// What an entry's value refers to, as of a version.
    func relatedCacheKeys(
        of entry: EntryID,
        at version: UInt64,
        in writer: Writer
    ) -> Set<CacheKey>

    /// Makes what was written at the innermost level part of the level around it.
    func mergeInnermostLevel(of writer: Writer)

    /// Takes back what was written at the innermost level.
    func rollBackInnermostLevel(of writer: Writer)

    /// Takes back what was written but has changed nothing; returns how many entries have changed.
    func discardUnchanged(in writer: Writer) -> Int

    /// Appends the nodes of those entries that the open transaction has written and that are
    /// watched.
    func appendWatchedNodes(to nodes: inout [WatchNodeID])

    /// What a commit did to an entry, boxed as an event.
    func change(of entry: EntryID, causes: Set<CacheKey>, version: UInt64)
        -> AnyEvent

    /// Those who observe all entities of the type.
    var typeObservers: RegistrationList<AnyObserver> { get set }

    /// What a commit did to all entries of the table, boxed as an event; `nil` if that is nothing.
    func changes(version: UInt64) -> AnyEvent?

    /// Records how many values there are as of a version that is about to become visible.
    func prepareToPublish(_ version: UInt64)

    /// Forgets what no reader needs any more, after a commit or when snapshots have closed.
    func settle(in writer: Writer)

    /// Writes the removal of all values whose entries are chosen; returns how many.
    func removeAll(
        in writer: Writer,
        for reason: RemovalReason,
        where isChosen: (EntryID) -> Bool
    ) -> Int

    // MARK: Limits

    /// Whether the table has limits, or values that expire.
    var isRetaining: Bool { get }

    /// Notes what the open transaction has stored and removed.
    func noteWritten(in writer: Writer)

    /// Forgets what the limits need to know of what the open transaction has removed.
    func forgetRemoved()

    /// Removes some of what is above the limit, if anything is; returns how many values.
    func evictExcess(in writer: Writer) -> Int

    /// How many values there are that may be trimmed.
    var trimmableCount: Int { get }

    /// Removes some of the values that a plan says, and that are not in use; returns how many.
    func trim(_ plan: inout TrimPlan, in writer: Writer) -> Int

    /// Removes values whose time is up, or makes them stale if they are in use; returns how many values
    /// have been looked at, at most as many as the limit.
    func expireDue(at now: Time, atMost limit: Int, in writer: Writer) -> Int

    /// How many values the open transaction makes stale.
    var expiringCount: Int { get }

    /// The keys of values that are stale, or that the open transaction makes so, and watched.
    func staleWatchedKeys(onlyExpiring: Bool) -> [CacheKey]

    /// Whether an entry is stale.
    func isStale(_ entry: EntryID) -> Bool

    /// When there is something to do next because time has passed.
    var nextWakeTime: Time? { get }

    /// Whether a token, a list or an alias pins an entry.
    func isPinned(_ entry: EntryID, byTokensOnly: Bool) -> Bool

    /// Counts a list or an alias that pins an entity, or no longer does.
    func adjustPins(of key: CacheKey, by difference: Int)

    /// The entities that the open transaction has pinned and unpinned, if the table is that of lists or
    /// aliases.
    func pinChanges() -> [(key: CacheKey, difference: Int)]

    /// The entities that the stored lists or aliases pin.
    func allPinned() -> [CacheKey]

    /// Whether an entry has a value as the open transaction leaves it so far.
    func hasValue(_ entry: EntryID) -> Bool

    /// Whether an entry must not be evicted: it is watched or pinned.
    func isInUse(_ entry: EntryID) -> Bool

    /// Writes the absence of a value.
    func remove(_ entry: EntryID, for reason: RemovalReason, in writer: Writer)

    /// Empties the table for good, out of any commit.
    func close(in writer: Writer)

    /// Traps unless the table is in order; for tests, between commits.
    func checkInvariants()
}
