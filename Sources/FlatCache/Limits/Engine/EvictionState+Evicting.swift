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
