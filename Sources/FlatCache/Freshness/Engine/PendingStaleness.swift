/// The entries that the open transaction makes stale, with the savepoints in which they become
/// stale.
///
/// A savepoint is identified by the version of its writes. A plain value without locks or
/// callbacks.
@usableFromInline
struct PendingStaleness {
    private struct Effect {
        var version: UInt64
        /// `true` if the savepoint has made the entry stale, `false` if a later write of the
        /// savepoint has made it fresh again.
        var isStale: Bool
    }

    /// The effects on each entry, those of inner savepoints last.
    private var effects: [EntryID: [Effect]] = [:]
    /// The version of the savepoint that makes all entries stale, or `nil` if none does.
    private var all: UInt64?
    /// `true` if the transaction makes nothing stale.
    @usableFromInline private(set) var isEmpty = true

    /// The entries that become stale, in no particular order.
    var entries: [EntryID] {
        isEmpty ? [] : effects.lazy.filter { $0.value.last?.isStale ?? false }.map { $0.key }
    }

    /// The number of entries that become stale, plus one if all of them do.
    var count: Int { isEmpty ? 0 : entries.count + (includesAll ? 1 : 0) }

    /// `true` if all entries become stale, except the entries that are written later in the
    /// transaction.
    var includesAll: Bool { all != nil }

    @usableFromInline
    func contains(_ entry: EntryID) -> Bool {
        isEmpty ? false : effects[entry]?.last?.isStale ?? false
    }

    // MARK: Changes

    /// Makes an entry stale in a savepoint.
    mutating func insert(_ entry: EntryID, in version: UInt64) {
        record(Effect(version: version, isStale: true), on: entry)
        isEmpty = false
    }

    /// Makes all entries stale that the transaction doesn't write later.
    ///
    /// The caller inserts the entries that the transaction has written before.
    mutating func insertAll(in version: UInt64) {
        if all == nil { all = version }
        isEmpty = false
    }

    /// Records that a value is stored in an entry, or removed from it.
    @usableFromInline
    mutating func recordWrite(to entry: EntryID, in version: UInt64) {
        guard effects[entry] != nil else { return }
        record(Effect(version: version, isStale: false), on: entry)
    }

    private mutating func record(_ effect: Effect, on entry: EntryID) {
        var recorded = effects[entry] ?? []
        if recorded.last?.version == effect.version { recorded.removeLast() }
        recorded.append(effect)
        effects[entry] = recorded
    }

    @usableFromInline
    mutating func remove(_ entry: EntryID) {
        if isEmpty { return }
        effects[entry] = nil
        isEmpty = effects.isEmpty && all == nil
    }

    // MARK: Savepoints

    /// Merges a savepoint into the one around it.
    mutating func merge(_ version: UInt64) {
        if isEmpty { return }
        if all == version { all = version - 1 }
        for (entry, recorded) in effects {
            guard var last = recorded.last, last.version == version else { continue }
            effects[entry]?.removeLast()
            last.version = version - 1
            record(last, on: entry)
        }
    }

    mutating func rollBack(_ version: UInt64) {
        if isEmpty { return }
        if all == version { all = nil }
        for (entry, recorded) in effects where recorded.last?.version == version {
            effects[entry] = recorded.count == 1 ? nil : recorded.dropLast()
        }
        isEmpty = effects.isEmpty && all == nil
    }

    // MARK: Committing

    /// Keeps only the entries that become stale and meet a condition.
    mutating func filter(_ isIncluded: (EntryID) -> Bool) {
        if isEmpty { return }
        effects = effects.filter { contains($0.key) && isIncluded($0.key) }
        isEmpty = effects.isEmpty && all == nil
    }

    mutating func move(_ entry: EntryID, to newEntry: EntryID) {
        if let recorded = effects.removeValue(forKey: entry) { effects[newEntry] = recorded }
    }
}
