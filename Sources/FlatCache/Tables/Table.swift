/// The values of one type: entries by identifier, in stripes.
///
/// Readers take the lock of one stripe for moments. The writer, who holds the writers' lock, searches
/// without it, since nobody else changes anything, and takes it for each single change.
final class Table<Value: Identifiable & Sendable>: AnyTable, @unchecked Sendable
where Value.ID: Sendable {
    let typeIdentifier = ObjectIdentifier(Value.self)
    let traits = ValueTraits<Value>()
    let clock: CommitClock
    let stripes = (0..<Stripes.count).map { _ in Stripe<Value>() }
    let committedCount = Guarded(VersionedCount())

    // Guarded by the writers' lock.

    var isNotedAsWritten = false
    /// The entries that the open transaction has written, those of inner levels last.
    var pending: [Entry<Value>] = []
    /// By how much the open transaction has changed the number of values.
    var countDifference = 0
    /// Entries that hold something for a snapshot that was open when they were written.
    var unsettled: [Entry<Value>] = []
    /// How many of those may wait before they are gone through although a snapshot is open.
    var unsettledLimit = Table.leastUnsettledLimit
    static var leastUnsettledLimit: Int { 64 }

    init(clock: CommitClock) {
        self.clock = clock
    }

    func stripe(of hash: Int) -> Stripe<Value> { stripes[Stripes.index(of: hash)] }

    func key(of entry: AnyEntry) -> CacheKey {
        CacheKey(Value.self, id: typed(entry).id)
    }

    /// An entry of this table as what it is: tables hand out entries of their own type only.
    func typed(_ entry: AnyEntry) -> Entry<Value> {
        unsafeDowncast(entry, to: Entry<Value>.self)
    }
}
