/// The entries that the open transaction makes stale.
///
/// A savepoint is identified by the version of its writes. A plain value without locks or
/// callbacks.
@usableFromInline
struct PendingStaleness {
    /// The state before the first change of a savepoint.
    private struct Saved {
        var version: UInt64
        var entries: Set<EntryID>
        let includesAll: Bool
    }

    /// The entries that become stale.
    private(set) var entries: Set<EntryID> = []
    /// `true` if all entries become stale, except the entries that are written later in the
    /// transaction.
    private(set) var includesAll = false
    /// The states before the savepoints that have changed anything, those of inner ones last.
    private var saved: [Saved] = [] {
        didSet { isEmpty = saved.isEmpty }
    }
    /// `true` if the transaction has made nothing stale.
    @usableFromInline private(set) var isEmpty = true

    /// The number of entries that become stale, plus one if all of them do.
    var count: Int { entries.count + (includesAll ? 1 : 0) }

    @usableFromInline
    func contains(_ entry: EntryID) -> Bool { isEmpty ? false : entries.contains(entry) }

    // MARK: Changes

    /// Makes an entry stale in a savepoint.
    mutating func insert(_ entry: EntryID, in version: UInt64) {
        save(for: version)
        entries.insert(entry)
    }

    /// Makes all entries stale that the transaction doesn't write later.
    ///
    /// The caller inserts the entries that the transaction has written before.
    mutating func insertAll(in version: UInt64) {
        save(for: version)
        includesAll = true
    }

    /// Records that a value is stored in an entry, or removed from it.
    @usableFromInline
    mutating func recordWrite(to entry: EntryID, in version: UInt64) {
        guard contains(entry) else { return }
        save(for: version)
        entries.remove(entry)
    }

    @usableFromInline
    mutating func remove(_ entry: EntryID) { replace(entry, with: nil) }

    mutating func move(_ entry: EntryID, to newEntry: EntryID) { replace(entry, with: newEntry) }

    private mutating func replace(_ entry: EntryID, with newEntry: EntryID?) {
        if isEmpty { return }
        if entries.remove(entry) != nil, let newEntry { entries.insert(newEntry) }
        for index in saved.indices where saved[index].entries.remove(entry) != nil {
            if let newEntry { saved[index].entries.insert(newEntry) }
        }
    }

    /// Keeps only the entries that meet a condition.
    mutating func filter(_ isIncluded: (EntryID) -> Bool) { entries = entries.filter(isIncluded) }

    // MARK: Savepoints

    private mutating func save(for version: UInt64) {
        if saved.last?.version == version { return }
        saved.append(Saved(version: version, entries: entries, includesAll: includesAll))
    }

    /// Merges a savepoint into the one around it.
    mutating func merge(_ version: UInt64) {
        guard let last = saved.last, last.version == version else { return }
        if saved.dropLast().last?.version == version - 1 {
            saved.removeLast()
        } else {
            saved[saved.count - 1].version = version - 1
        }
    }

    mutating func rollBack(_ version: UInt64) {
        guard let last = saved.last, last.version == version else { return }
        (entries, includesAll) = (last.entries, last.includesAll)
        saved.removeLast()
    }
}
