/// The values of one type: entries by identifier, in stripes.
///
/// Readers take the lock of one stripe for moments. The writer, who holds the writers' lock,
/// searches without it, since nobody else changes anything, and takes it for each single change.
///
/// What touches single values is inlinable from here up to `Cache` and `Cached`, so that the
/// client's module compiles it for its own types: unspecialised, rows 1 to 7 of Benchmarks take 2
/// to 15 times as long. Fields that it touches are exempt from the run-time check of exclusive
/// access, which costs a call each; a lock guards each of them.
@usableFromInline
final class Table<Value: Identifiable & Sendable>: AnyTable, @unchecked Sendable
where Value.ID: Sendable {
    // Constant and safe by themselves, or, like the stripes, with a guard that they name.

    @usableFromInline let typeIdentifier = ObjectIdentifier(Value.self)
    @usableFromInline let traits: ValueTraits<Value>
    @usableFromInline let clock: CommitClock
    /// The stripes, one cache line apart; each says what guards it.
    @usableFromInline let stripes: UnsafeMutableRawPointer
    let committedCount = Guarded(VersionedCount())
    /// What a commit does with every entry, compiled for the type where the table was first asked
    /// for.
    let steps: CommitSteps<Value>

    // Guarded by the writers' lock.

    /// The memory that the stripes share.
    @exclusivity(unchecked) @usableFromInline var block: EntryBlock<Value>
    /// How many slots are occupied.
    @exclusivity(unchecked) @usableFromInline var entryCount = 0
    /// How many there have been at most since the table was rebuilt, as of the last that has left; or
    /// how many it was given room for then.
    @exclusivity(unchecked) @usableFromInline var peakCount = 0
    /// How many there will be at most when the values that are being stored are, if that is known.
    @exclusivity(unchecked) @usableFromInline var expectedCount = 0
    @exclusivity(unchecked) @usableFromInline var isNotedAsWritten = false
    /// Those who observe all entities of the type.
    var typeObservers = RegistrationList<AnyObserver>() {
        didSet { isObservedAsAWhole = !typeObservers.isEmpty }
    }
    /// Whether there are any of those.
    @exclusivity(unchecked) @usableFromInline private(set) var isObservedAsAWhole = false
    /// The entries that the open transaction has written, those of inner levels last.
    @exclusivity(unchecked) @usableFromInline var pending: [EntryID] = []
    /// Why the open transaction has removed what it has not removed explicitly.
    @exclusivity(unchecked) @usableFromInline var removalReasons: [EntryID: RemovalReason] = [:]
    /// Whether the open transaction has removed something.
    @exclusivity(unchecked) @usableFromInline var hasWrittenRemovals = false
    /// By how much the open transaction has changed the number of values.
    @exclusivity(unchecked) @usableFromInline var countDifference = 0
    /// Whether `committedCount` holds older counts.
    @exclusivity(unchecked) var hasCountHistory = false
    /// Entries that hold something for a snapshot that was open when they were written.
    @exclusivity(unchecked) @usableFromInline var unsettled: Set<EntryID> = []
    /// How many of those may wait before they are gone through although a snapshot is open.
    var unsettledLimit = Table.leastUnsettledLimit
    static var leastUnsettledLimit: Int { 64 }
    /// What keeps the table within limits, if it has any.
    @exclusivity(unchecked) @usableFromInline var retainer: Retainer<Value>?
    /// Whether it matters when something is written.
    @inlinable var isTimed: Bool { retainer?.expires ?? false }
    /// How many tokens pin an entity, whether or not it is there.
    @usableFromInline var pins: [Value.ID: Int] = [:]
    /// In how many lists and aliases that pin it an entity is, as far as that matters to the cache.
    @usableFromInline var namePins: [Value.ID: Int] = [:]
    /// When the values of those entities were modified that were stored with a stamp.
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
            byteCount: Stripes.count * CacheLine.size,
            alignment: CacheLine.size
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
        Stripe(line: stripes + index &* CacheLine.size)
    }

    @inlinable @inline(__always)
    func stripe(of hash: UInt32) -> Stripe<Value> {
        stripe(at: Stripes.index(of: hash))
    }

    /// An entry, for the writer.
    @inlinable
    subscript(entry: EntryID) -> Region<Value>.Pointer { block.entries + Int(entry.slot) }

    /// What tables and handles keep of an identifier's hash.
    ///
    /// Not `hashValue`: of a type that implements that itself, or a class of Foundation's, it need
    /// not differ in the bits that choose a stripe and a slot. The standard library's own tables
    /// take this too, in which the hasher has had the last word.
    @inlinable @inline(__always)
    static func hash(of id: Value.ID) -> UInt32 {
        UInt32(truncatingIfNeeded: id._rawHashValue(seed: 0))
    }

    func key(of entry: EntryID) -> CacheKey {
        CacheKey(Value.self, id: self[entry].pointee.id)
    }

    @inlinable
    func node(of entry: EntryID) -> WatchNodeID { self[entry].pointee.node }

    func setNode(_ node: WatchNodeID, of entry: EntryID) {
        self[entry].pointee.node = node
        if node == .none, isTimed { noteUnused(entry) }
    }
}
