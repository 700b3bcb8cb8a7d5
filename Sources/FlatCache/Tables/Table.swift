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
    /// The stripes, in memory that lives as long as the table; each says what guards it.
    @usableFromInline let stripes: UnsafeMutablePointer<Stripe<Value>>
    let committedCount = Guarded(VersionedCount())
    /// What a commit does with every entry, compiled for the type where the table was first asked
    /// for.
    let steps: CommitSteps<Value>

    // Guarded by the writers' lock.

    @exclusivity(unchecked) @usableFromInline var isNotedAsWritten = false
    /// The entries that the open transaction has written, those of inner levels last.
    @exclusivity(unchecked) @usableFromInline var pending: [Entry<Value>] = []
    /// By how much the open transaction has changed the number of values.
    @exclusivity(unchecked) @usableFromInline var countDifference = 0
    /// Whether `committedCount` holds older counts.
    @exclusivity(unchecked) var hasCountHistory = false
    /// Entries that hold something for a snapshot that was open when they were written.
    @exclusivity(unchecked) @usableFromInline var unsettled: [Entry<Value>] = []
    /// How many of those may wait before they are gone through although a snapshot is open.
    var unsettledLimit = Table.leastUnsettledLimit
    static var leastUnsettledLimit: Int { 64 }

    @inlinable
    convenience init(clock: CommitClock) {
        self.init(clock: clock, traits: ValueTraits(), steps: CommitSteps())
    }

    @usableFromInline
    init(clock: CommitClock, traits: ValueTraits<Value>, steps: CommitSteps<Value>) {
        self.clock = clock
        self.traits = traits
        self.steps = steps
        stripes = .allocate(capacity: Stripes.count)
        for index in 0..<Stripes.count { (stripes + index).initialize(to: Stripe()) }
    }

    deinit {
        for index in 0..<Stripes.count { stripes[index].deallocate() }
        stripes.deinitialize(count: Stripes.count)
        stripes.deallocate()
    }

    @inlinable
    func stripe(of hash: Int) -> UnsafeMutablePointer<Stripe<Value>> {
        stripes + Stripes.index(of: hash)
    }

    /// All stripes, one after the other.
    var allStripes: UnsafeMutableBufferPointer<Stripe<Value>> {
        UnsafeMutableBufferPointer(start: stripes, count: Stripes.count)
    }

    func key(of entry: AnyEntry) -> CacheKey {
        CacheKey(Value.self, id: typed(entry).id)
    }

    /// An entry of this table as what it is: tables hand out entries of their own type only.
    func typed(_ entry: AnyEntry) -> Entry<Value> {
        unsafeDowncast(entry, to: Entry<Value>.self)
    }
}
