// These methods access the journal of a table, under the writers' lock.
extension Table {
    var hasJournal: Bool { journal != nil }

    /// Lists the entries that the open transaction has written.
    ///
    /// The participant's own writes are in its storage already.
    func recordInJournal(in writer: Writer) {
        guard let journal, writer.author != journal.participant else { return }
        resolvePending()
        for entryID in pending {
            let entry = self[entryID]
            // Layers list the confirmed values of the entities that they cover.
            if coveredEntity(entry.pointee.id)?.isConcerned == true { continue }
            if entry.pointee.value == nil {
                if removalReasons.isEmpty || removalReasons[entryID] == nil {
                    journal.recordRemoved(entry.pointee.id)
                }
            } else if entry.pointee.prior?.pointee.value == nil {
                journal.recordInserted(entryID)
            } else {
                journal.recordStored(entryID)
            }
        }
    }

    /// Lists an entry whose value was exchanged in place, or stored again.
    @usableFromInline @inline(__always)
    func recordExchangeInJournal(_ entry: Segment<Value>.Pointer) {
        journal?.recordStored(id(of: entry))
    }

    // MARK: Eviction

    /// Returns whether the values above the limit are probably values that the journal holds.
    ///
    /// In this case, a commit doesn't look for values to evict, since it would examine many values
    /// and evict few or none.
    @usableFromInline
    func isExcessHeld(_ limits: TableLimits<Value>) -> Bool {
        guard let journal else { return false }
        let held = journal.heldCount
        if limits.state.hasUniformCosts {
            return limits.state.totalCost <= Int128(limits.state.limit) + Int128(held)
        }
        return held * 2 > entryCount
    }

    /// Evicts some of the values above the limit, as part of the open transaction.
    ///
    /// - Parameter visitsLeft: The number of entries that may still be visited, or `nil` at first.
    /// - Returns: `true` if there may be more values above the limit.
    func evictSome(_ visitsLeft: inout Int?, in writer: Writer) -> Bool {
        guard let limits, limits.state.exceedsLimit else { return false }
        let left = visitsLeft ?? EvictionSweep.visitsToTrim(limits.state.count)
        let visits = min(TrimPlan.visitedAtATime, left)
        var sweep = EvictionSweep(
            downTo: Int128(limits.state.limit),
            visits: visits,
            evictions: TrimPlan.removedAtATime
        )
        _ = evict(in: &sweep, limits, sparesWritten: false, in: writer)
        visitsLeft = left - (visits - sweep.visitsLeft)
        return visitsLeft != 0
    }
}

extension CacheCore {
    /// Lists an entity whose value is replaced without a merge, unless the savepoint is rolled
    /// back.
    @usableFromInline
    func recordReplacement<Value: Identifiable & Sendable>(
        of id: Value.ID,
        in table: Table<Value>
    ) where Value.ID: Sendable {
        if let journal = table.journal { recordReplacement(of: id, in: journal) }
    }

    @usableFromInline
    func recordReplacement<Value: Identifiable & Sendable>(
        of id: Value.ID,
        in journal: ChangeJournal<Value>
    ) where Value.ID: Sendable {
        guard writer.isInTransaction else { return journal.recordReplaced(id) }
        writer.addEnding { journal.recordReplaced(id) }
    }
}

/// A set of entries of a table, as one bit for each slot.
///
/// A plain value without locks or callbacks. The memory grows a segment at a time.
@usableFromInline
struct SlotSet {
    /// The bits of each segment by number, 64 in a word.
    @usableFromInline var segments: [[UInt64]] = []
    @usableFromInline var count = 0

    @usableFromInline
    init() {}

    var isEmpty: Bool { count == 0 }

    @usableFromInline
    func contains(_ entry: EntryID) -> Bool {
        let segment = Int(entry.segment)
        guard segment < segments.count else { return false }
        let index = Int(entry.slot >> 6)
        return index < segments[segment].count
            && segments[segment][index] & (1 << UInt64(entry.slot & 63)) != 0
    }

    @usableFromInline
    mutating func insert(_ entry: EntryID) -> Bool {
        let segment = Int(entry.segment)
        let index = Int(entry.slot >> 6)
        if segment >= segments.count || index >= segments[segment].count {
            grow(toContain: index, in: segment)
        }
        let bit: UInt64 = 1 << UInt64(entry.slot & 63)
        if segments[segment][index] & bit != 0 { return false }
        segments[segment][index] |= bit
        count &+= 1
        return true
    }

    @discardableResult
    mutating func remove(_ entry: EntryID) -> Bool {
        guard contains(entry) else { return false }
        segments[Int(entry.segment)][Int(entry.slot >> 6)] &= ~(1 << UInt64(entry.slot & 63))
        count -= 1
        return true
    }

    @usableFromInline
    mutating func grow(toContain index: Int, in segment: Int) {
        while segments.count <= segment { segments.append([]) }
        let missing = index + 1 - segments[segment].count
        if missing > 0 { segments[segment].append(contentsOf: repeatElement(0, count: missing)) }
    }

    mutating func formUnion(_ other: SlotSet) { other.forEach { _ = insert($0) } }

    /// Calls a closure with each entry, in ascending order.
    func forEach(_ body: (EntryID) -> Void) {
        if isEmpty { return }
        for (segment, words) in segments.enumerated() {
            for (index, word) in words.enumerated() {
                var rest = word
                while rest != 0 {
                    let slot = index << 6 + rest.trailingZeroBitCount
                    body(EntryID(segment: UInt32(segment), slot: slot))
                    rest &= rest - 1
                }
            }
        }
    }

    mutating func move(_ old: EntryID, to new: EntryID) {
        if remove(old) { _ = insert(new) }
    }

    /// Frees the memory for a segment, in which no entry must be left.
    mutating func removeSegment(numbered number: UInt32) {
        if Int(number) < segments.count { segments[Int(number)] = [] }
    }
}
