/// A search for entries to evict, by the hand of the queue, with limits on its work.
@usableFromInline
struct EvictionSweep {
    /// The number of entries that the hand passes over in a row because they have been read; the
    /// next one is evicted even if it has been read.
    @inlinable static var patience: Int { 64 }

    /// The maximum total cost of the remaining entries.
    @usableFromInline var targetCost: Int128
    private(set) var visitsLeft: Int
    private(set) var evictionsLeft: Int
    private let patience: Int
    /// The number of entries passed over since the last eviction.
    private var passedOver = 0

    @usableFromInline
    init(
        downTo targetCost: Int128,
        visits: Int,
        evictions: Int = .max,
        patience: Int = Self.patience
    ) {
        self.targetCost = targetCost
        visitsLeft = visits
        evictionsLeft = evictions
        self.patience = patience
    }

    /// Creates a search that evicts a number of entries regardless of their costs, if possible
    /// unread ones only.
    init(trimming count: Int, visits: Int) {
        self.init(downTo: -1, visits: visits, evictions: count, patience: .max)
    }

    /// Returns the number of visits after which all entries have been evicted that aren't in use.
    ///
    /// The first round over all entries may find that all have been read; the second one evicts
    /// them.
    static func visitsToTrim(_ count: Int) -> Int { 2 * count }

    var mayVisit: Bool { visitsLeft > 0 && evictionsLeft > 0 }

    mutating func recordVisit() { visitsLeft -= 1 }

    /// Ends the search, because no entry is left to visit.
    mutating func end() { visitsLeft = 0 }

    /// Returns whether the visited entry is passed over because it has been read.
    @usableFromInline
    mutating func passesOver(wasRead: Bool) -> Bool {
        guard wasRead, passedOver < patience else { return false }
        passedOver += 1
        return true
    }

    @usableFromInline
    mutating func recordEviction() {
        evictionsLeft -= 1
        passedOver = 0
    }
}

extension EvictionState {
    @usableFromInline var exceedsLimit: Bool { totalCost > Int128(limit) }

    /// The number of additional entries that a commit visits if costs differ.
    @usableFromInline static var visitsForCosts: Int { 1_024 }

    /// Returns whether an entry alone exceeds the limit.
    ///
    /// Such an entry must not displace all others first.
    @usableFromInline
    func isTooLarge(_ entry: EntryID) -> Bool { cost(of: entry) > limit }

    @usableFromInline
    func cost(of entry: EntryID) -> Int { ticket(of: entry).map { costs[$0.index] } ?? 0 }

    /// Returns a search for the entries to evict after a number of values have been stored.
    ///
    /// For each stored value, the hand may pass over as many entries as `EvictionSweep.patience`
    /// allows, and then evict one. If costs differ, a stored value may have to displace many
    /// others.
    @usableFromInline
    func sweep(afterStoring count: Int) -> EvictionSweep {
        let visits = (EvictionSweep.patience + 1) * (count + 1)
        return EvictionSweep(
            downTo: Int128(limit),
            visits: hasUniformCosts ? visits : visits + Self.visitsForCosts
        )
    }

    /// Returns a search that includes the entries that were just stored, or `nil` if these alone
    /// don't exceed the limit.
    ///
    /// - Parameter stored: The stored entries. Some of them may have been evicted since.
    @usableFromInline
    func sweep(including stored: [EntryID], afterStoring count: Int) -> EvictionSweep? {
        guard exceedsLimit else { return nil }
        let excess = stored.reduce(-Int128(limit)) { $0 + Int128(cost(of: $1)) }
        guard excess > 0 else { return nil }
        var sweep = sweep(afterStoring: count)
        sweep.targetCost = max(sweep.targetCost, totalCost - excess)
        return sweep
    }

    /// Returns the next entry to visit, or `nil` at the end of a search.
    ///
    /// The caller evicts the entry, unless the entry is in use or is passed over because it has
    /// been read.
    @usableFromInline
    mutating func nextCandidate(of sweep: inout EvictionSweep) -> EntryID? {
        guard sweep.mayVisit, totalCost > sweep.targetCost else { return nil }
        guard let ticket = queue.advance() else {
            sweep.end()
            return nil
        }
        sweep.recordVisit()
        return entries[ticket.index]
    }
}

/// The plan for trimming a table, with its progress.
struct TrimPlan {
    /// The maximum number of values that one commit removes.
    static var removedAtATime: Int { 1_024 }
    /// The maximum number of entries that one commit visits.
    static var visitedAtATime: Int { 8_192 }

    let table: any EvictingTable
    /// The number of values that still have to be removed.
    var excess: Int
    /// `true` if no entries are left to visit.
    var isDone = false

    /// The number of remaining visits in a table with an eviction policy, or `nil` before the first
    /// one.
    var visitsLeft: Int?

    // The position of the search in a table without an eviction policy.
    var stripe = 0
    /// The first hash in the segment that is being searched.
    var position: UInt64 = 0

    init(table: any EvictingTable, excess: Int) {
        self.table = table
        self.excess = excess
    }
}
