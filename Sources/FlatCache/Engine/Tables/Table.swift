/// The values of one type: entries by identifier, in stripes.
///
/// A reader briefly holds the lock of one stripe. The writer, who holds the writers' lock, searches
/// without a stripe's lock, since no other thread changes the table, and takes it for each single
/// change.
///
/// The functions that touch single values are inlinable, from here up to `Cache` and `Cached`, so
/// that the client's module compiles them for its own types: unspecialized, rows 1 to 7 of
/// Benchmarks take 2 to 15 times as long. The fields that they touch are exempt from the run-time
/// check of exclusive access, which costs a call each; a lock guards each of them.
@usableFromInline
final class Table<Value: Identifiable & Sendable>: AnyTable, @unchecked Sendable
where Value.ID: Sendable {
    // These properties are constant and safe by themselves, or, like the stripes, name their guard.

    @usableFromInline let typeIdentifier = ObjectIdentifier(Value.self)
    @usableFromInline let traits: ValueTraits<Value>
    @usableFromInline let clock: CommitClock
    /// The stripes, one cache line apart; each names its guard.
    @usableFromInline let stripes: UnsafeMutableRawPointer
    let committedCount = Locked(VersionedCount())
    /// The versions as of which all values were made stale.
    let invalidations = Locked(InvalidationLog())
    /// The latest of these versions, or zero, guarded by the writers' lock.
    @exclusivity(unchecked) @usableFromInline var latestInvalidation: UInt64 = 0
    /// The steps of a commit, compiled for the type in the module that first requested the table.
    let steps: CommitSteps<Value>

    // Guarded by the writers' lock.

    /// The memory that the stripes share.
    @exclusivity(unchecked) @usableFromInline var block: EntryBlock<Value>
    /// The number of occupied slots.
    @exclusivity(unchecked) @usableFromInline var entryCount = 0
    /// The greatest number of entries since the last rebuild, updated when an entry leaves.
    ///
    /// A rebuild sets it to the number of entries for which it has made room.
    @exclusivity(unchecked) @usableFromInline var peakCount = 0
    /// The maximum number of entries after the current call has stored its values, or zero if it is
    /// unknown.
    @exclusivity(unchecked) @usableFromInline var expectedCount = 0
    @exclusivity(unchecked) @usableFromInline var isRecordedAsWritten = false
    @exclusivity(unchecked) @usableFromInline var isObservedAsAWhole = false
    @exclusivity(unchecked) @usableFromInline var isDerived = false
    /// The closures that decide about exchanges in place.
    var exchangeHooks = RegistrationList<@Sendable (_ stored: Value, _ new: Value) -> Bool>() {
        didSet { hasExchangeHooks = !exchangeHooks.isEmpty }
    }
    /// A Boolean value that indicates whether there are any `exchangeHooks`.
    @exclusivity(unchecked) @usableFromInline private(set) var hasExchangeHooks = false
    /// The entries that the open transaction has written, those of inner savepoints last.
    @exclusivity(unchecked) @usableFromInline var pending: [EntryID] = []
    /// The reasons for the removals in the open transaction, except explicit ones.
    @exclusivity(unchecked) @usableFromInline var removalReasons: [EntryID: RemovalReason] = [:]
    /// A Boolean value that indicates whether the open transaction has removed a value.
    @exclusivity(unchecked) @usableFromInline var hasWrittenRemovals = false
    /// The difference that the open transaction makes to the number of values.
    @exclusivity(unchecked) @usableFromInline var countDifference = 0
    /// A Boolean value that indicates whether `committedCount` holds older counts.
    @exclusivity(unchecked) var hasCountHistory = false
    /// The entries that keep data for snapshots that were open when they were written.
    @exclusivity(unchecked) @usableFromInline var unreclaimed: Set<EntryID> = []
    /// The number of unreclaimed entries from which on they are examined although a snapshot is
    /// open.
    var unreclaimedLimit = Table.leastUnreclaimedLimit
    static var leastUnreclaimedLimit: Int { 64 }
    /// The limit and the expiration of the table, if it has any.
    @exclusivity(unchecked) @usableFromInline var limits: TableLimits<Value>?
    /// A Boolean value that indicates whether values expire or become stale, so that the time of a
    /// write matters.
    @inlinable var isTimed: Bool { limits?.state.isTimed ?? false }
    /// The entries that the open transaction makes stale.
    @exclusivity(unchecked) @usableFromInline var staleness = PendingStaleness()
    /// The writes to the entities since the oldest lease began, if there is any.
    @exclusivity(unchecked) var writeLog = WriteLog<Value.ID>()
    /// The number of tokens that pin each entity, whether or not it exists.
    @usableFromInline var pins: [Value.ID: Int] = [:]
    /// The number of lists and aliases that pin each entity, if the cache counts them.
    @usableFromInline var namePins: [Value.ID: Int] = [:]
    /// The modification stamps of the entities that were stored with one.
    @usableFromInline var stamps: (any AnyModificationStamps<Value.ID>)?

    @inlinable
    convenience init(clock: CommitClock) {
        self.init(clock: clock, traits: ValueTraits(), steps: CommitSteps())
    }

    @usableFromInline
    init(clock: CommitClock, traits: ValueTraits<Value>, steps: CommitSteps<Value>) {
        self.clock = clock
        self.traits = traits
        self.steps = steps
        let block = EntryBlock<Value>(capacity: EntryBlock<Value>.leastCapacity)
        self.block = block
        stripes = .allocate(
            byteCount: Stripes.count * ProcessorCacheLine.size,
            alignment: ProcessorCacheLine.size
        )
        for index in 0..<Stripes.count {
            stripe(at: index).initialize(with: Region(ofStripe: index, in: block))
        }
    }

    deinit {
        for index in 0..<Stripes.count { stripe(at: index).deinitialize() }
        stripes.deallocate()
    }

    @inlinable @inline(__always)
    func stripe(at index: Int) -> Stripe<Value> {
        Stripe(line: stripes + index &* ProcessorCacheLine.size)
    }

    @inlinable @inline(__always)
    func stripe(of hash: UInt32) -> Stripe<Value> {
        stripe(at: Stripes.index(of: hash))
    }

    /// Returns the address of an entry, for the writer.
    @inlinable
    subscript(entry: EntryID) -> Region<Value>.Pointer { block.entries + Int(entry.slot) }

    /// Returns the part of an identifier's hash that tables and handles use.
    ///
    /// It isn't derived from `hashValue`: if a type implements that itself, or is a Foundation
    /// class, its values need not differ in the bits that select a stripe and a slot. The standard
    /// library's own tables use the raw hash value too, whose last step is always the hasher's.
    @inlinable @inline(__always)
    static func hash(of id: Value.ID) -> UInt32 {
        UInt32(truncatingIfNeeded: id._rawHashValue(seed: 0))
    }

    func key(of entry: EntryID) -> CacheKey {
        CacheKey(Value.self, id: self[entry].pointee.id)
    }

    /// Returns the identifier of an entry with a known address.
    @inlinable @inline(__always)
    func id(of entry: Region<Value>.Pointer) -> EntryID {
        EntryID(slot: UInt32(truncatingIfNeeded: entry - block.entries))
    }

    @inlinable
    func node(of entry: EntryID) -> WatchNodeID { self[entry].pointee.node }

    func setNode(_ node: WatchNodeID, of entry: EntryID) { steps.setNode(self, node, entry) }
}
