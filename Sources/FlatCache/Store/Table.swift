/// The values of one type: entries by identifier, in stripes.
///
/// A reader briefly holds the lock of one stripe. The writer, who holds the writers' lock, searches
/// without a stripe's lock, since no other thread changes the table, and takes it for each single
/// change.
///
/// The functions that touch single values are inlinable, from here up to `Cache` and `Cached`, so
/// that the client's module compiles them for its own types: unspecialized, rows 1 to 7 of
/// Benchmarks take 2 to 15 times as long. The fields that they touch are exempt from the run-time
/// check of exclusive access, because it costs a call each; a lock guards each of them.
@usableFromInline
final class Table<Value: Identifiable & Sendable>: AnyTable, @unchecked Sendable
where Value.ID: Sendable {
    // These properties are constant and safe by themselves, or, like the stripes, name their guard.

    @usableFromInline let typeIdentifier = ObjectIdentifier(Value.self)
    @usableFromInline let traits: ValueTraits<Value>
    @usableFromInline let clock: CommitClock
    @usableFromInline let hasher = IdentifierHasher()
    /// The stripes, one cache line apart; each names its guard.
    @usableFromInline let stripes: UnsafeMutableRawPointer
    let committedCount = Locked(VersionedCount())
    /// The versions as of which all values were made stale.
    let invalidations = Locked(InvalidationLog())
    /// The times of the latest whole values.
    let wholeValues = Locked(WholeValues<Value>())
    /// The latest of these versions, or zero, guarded by the writers' lock.
    @exclusivity(unchecked) @usableFromInline var latestInvalidation: UInt64 = 0
    /// The steps of a commit, compiled for the type in the module that first requested the table.
    let steps: CommitSteps<Value>

    // Guarded by the writers' lock.

    @exclusivity(unchecked) @usableFromInline var segments: SegmentList<Value>
    /// The rules for the number of slots of a segment.
    @usableFromInline let size: SegmentSize
    /// The number of occupied slots.
    @exclusivity(unchecked) @usableFromInline var entryCount = 0
    /// The numbers of the segments to examine at the end of the commit, because they may be sparse.
    @exclusivity(unchecked) @usableFromInline var sparseSegments: [UInt32] = []
    /// The maximum number of entries after the current call has stored its values, or zero if it is
    /// unknown.
    @exclusivity(unchecked) @usableFromInline var expectedCount = 0
    @exclusivity(unchecked) @usableFromInline var isRecordedAsWritten = false
    /// The observers of all entities of the type.
    var typeObservers = RegistrationList<Observer>() {
        didSet { isObservedAsAWhole = !typeObservers.isEmpty }
    }
    /// `true` if there are any `typeObservers`.
    @exclusivity(unchecked) @usableFromInline private(set) var isObservedAsAWhole = false
    @exclusivity(unchecked) @usableFromInline var isDerived = false {
        didSet { isInternal = isDerived }
    }
    @exclusivity(unchecked) var isInternal = false
    /// The participant that alone stores and removes the values, or `nil` if everyone may.
    @exclusivity(unchecked) var owner: TableOwner? { didSet { noteGuards() } }
    /// The operations of layers on the entities, or `nil` before the first one.
    @exclusivity(unchecked) var layers: TableLayers? { didSet { noteGuards() } }
    /// `true` if a write must ask `owner` or `layers` first.
    @exclusivity(unchecked) @usableFromInline private(set) var isGuarded = false
    @exclusivity(unchecked) @usableFromInline private(set) var isOwned = false
    /// The hashes of the entities that layers change, or `nil` if there have been none.
    @exclusivity(unchecked) @usableFromInline private(set) var coveredHashes: CoveredHashes?
    /// The hooks that decide about exchanges in place: each an `ExchangeHook<Value>`.
    var exchangeHooks = RegistrationList<AnyObject>() {
        didSet { hasExchangeHooks = !exchangeHooks.isEmpty }
    }
    /// `true` if there are any `exchangeHooks`.
    @exclusivity(unchecked) @usableFromInline private(set) var hasExchangeHooks = false
    /// The entries that the open transaction has written, those of inner savepoints last.
    @exclusivity(unchecked) @usableFromInline var pending: [EntryID] = []
    /// The versions of the open inner savepoints that have written entries, and the positions of
    /// the first of these in `pending`.
    @exclusivity(unchecked) var savepointStarts: [(version: UInt64, index: Int)] = []
    /// The reasons for the removals in the open transaction, except explicit ones.
    @exclusivity(unchecked) @usableFromInline var removalReasons: [EntryID: RemovalReason] = [:]
    /// `true` if the open transaction has removed a value.
    @exclusivity(unchecked) @usableFromInline var hasWrittenRemovals = false
    /// The difference that the open transaction makes to the number of values.
    @exclusivity(unchecked) @usableFromInline var countDifference = 0
    /// `true` if `committedCount` holds older counts.
    @exclusivity(unchecked) var hasCountHistory = false
    /// The prior versions that the open transaction has displaced.
    @exclusivity(unchecked) @usableFromInline var log: PriorVersionLog<Value>
    /// The latest version at which no entry had a prior version that a reader could need.
    ///
    /// Entries up to this version don't use their pointers to prior versions, so that the commit
    /// doesn't visit them to clear these pointers.
    @exclusivity(unchecked) @usableFromInline var reclaimedVersion: UInt64 = 0
    /// The entries that keep data for snapshots that were open when they were written.
    @exclusivity(unchecked) @usableFromInline var unreclaimed = ChunkedSet<EntryID>()
    /// The part of the unreclaimed entries that was examined last.
    var lastUnreclaimed = 0
    /// The number of unreclaimed entries to examine; negative if more were examined already.
    var unreclaimedToExamine = 0
    /// The limit and the expiration of the table, if it has any.
    @exclusivity(unchecked) @usableFromInline var limits: TableLimits<Value>?
    /// `true` if values expire or become stale, so that the time of a write matters.
    @inlinable var isTimed: Bool { limits?.state.isTimed ?? false }
    /// The entries that the open transaction makes stale.
    @exclusivity(unchecked) @usableFromInline var staleness = PendingStaleness()
    /// The journal of the changes that a participant hasn't written to its storage yet, if any.
    @exclusivity(unchecked) @usableFromInline var journal: ChangeJournal<Value>?
    /// The times of the values that a participant restores, or that a late answer leaves as they
    /// are, in the order of `pending`, or `nil` for values that are stored now.
    @exclusivity(unchecked) @usableFromInline var restoredTimes: [StoredTimes?] = []
    /// The writes to the entities since the oldest lease began, if there is any.
    @exclusivity(unchecked) var writeLog = WriteLog<Value.ID>()
    /// The values of these writes.
    @exclusivity(unchecked) var incomingLog = IncomingLog<Value>()
    /// The writes of the open transaction, with their values before merging.
    @exclusivity(unchecked) var incoming = IncomingWrites<Value>()
    /// `true` if writes tell whole values from partial ones.
    @exclusivity(unchecked) @usableFromInline var tracksWholeValues = false
    /// The number of tokens that pin each entity, whether or not it exists.
    @usableFromInline var pins = ChunkedDictionary<Value.ID, Int>()
    /// The number of lists and aliases that pin each entity, if the cache counts them.
    @usableFromInline var namePins = ChunkedDictionary<Value.ID, Int>()
    /// The modification stamps of the entities that were stored with one.
    @usableFromInline var stamps: (any AnyModificationStamps<Value.ID>)?

    @inlinable
    convenience init(clock: CommitClock, size: SegmentSize) {
        self.init(clock: clock, size: size, traits: ValueTraits(), steps: CommitSteps())
    }

    @usableFromInline
    init(
        clock: CommitClock,
        size: SegmentSize,
        traits: ValueTraits<Value>,
        steps: CommitSteps<Value>
    ) {
        self.clock = clock
        self.size = size.limited(toEntriesOf: MemoryLayout<Entry<Value>>.stride)
        self.traits = traits
        self.steps = steps
        log = PriorVersionLog(deinitialize: steps.deinitializePriorVersions)
        segments = Self.emptySegments(after: 0)
        stripes = .allocate(
            byteCount: Stripes.count * ProcessorCacheLine.size,
            alignment: ProcessorCacheLine.size
        )
        for index in 0..<Stripes.count {
            let segment = segments.segment(of: EntryID(segment: UInt32(index), slot: 0))
            stripe(at: index).initialize(with: segment)
        }
    }

    deinit {
        dropAllPriorVersions(in: segments) { $0.deinitialize(count: 1) }
        for index in 0..<Stripes.count { stripe(at: index).deinitialize() }
        stripes.deallocate()
    }

    private func noteGuards() {
        isOwned = owner != nil
        isGuarded = isOwned || layers != nil
        coveredHashes = layers?.hashes
    }

    @inlinable @inline(__always)
    func stripe(at index: Int) -> Stripe<Value> {
        Stripe(line: stripes + index &* ProcessorCacheLine.size)
    }

    @inlinable @inline(__always)
    func stripe(of hash: UInt32) -> Stripe<Value> {
        stripe(at: Stripes.index(of: hash))
    }

    @inlinable @inline(__always)
    func stripe(ofSegment number: UInt32) -> Stripe<Value> {
        stripe(at: Int(truncatingIfNeeded: number) & (Stripes.count &- 1))
    }

    /// Returns the address of an entry, for the writer.
    @inlinable @inline(__always)
    subscript(entry: EntryID) -> Segment<Value>.Pointer { segments[entry] }

    /// Returns the segment for a hash, for the writer.
    @inlinable @inline(__always)
    func segment(of hash: UInt32) -> Segment<Value> {
        stripe(of: hash).state.pointee.segment(of: hash)
    }

    @inlinable @inline(__always)
    func hash(of id: Value.ID) -> UInt32 { hasher.hash(of: id) }

    func key(of entry: EntryID) -> CacheKey {
        CacheKey(Value.self, id: self[entry].pointee.id)
    }

    @inlinable @inline(__always)
    func id(of entry: Segment<Value>.Pointer) -> EntryID {
        let segment = segment(of: entry.pointee.hash)
        return segment.id(ofSlot: entry - segment.entries)
    }

    @inlinable
    func node(of entry: EntryID) -> WatchNodeID { self[entry].pointee.node }

    /// Changes the node alone, since readers read the hash beside it at the same time.
    func setNode(_ node: WatchNodeID, of entry: EntryID) { self[entry].pointee.header.node = node }
}

// Everything here is called under the writers' lock.
extension Table {
    var hasRelationships: Bool { traits.relatedCacheKeys != nil }

    func relatedCacheKeys(
        of entry: EntryID,
        at version: UInt64,
        in writer: Writer
    ) -> Set<CacheKey> {
        guard let relatedCacheKeys = traits.relatedCacheKeys,
            let value = self[entry].pointee.value(at: version)
        else { return [] }
        return writer.runUserCode("relatedCacheKeys", of: Value.self) { relatedCacheKeys(value) }
    }

    func listedCacheKeys(of entry: EntryID, at version: UInt64) -> [CacheKey]? {
        guard let listedCacheKeys = traits.listedCacheKeys else { return nil }
        return self[entry].pointee.value(at: version).map(listedCacheKeys) ?? []
    }
}
