// Everything here is called under the writers' lock.
extension Table {
    /// Rebuilds the table in less memory if most of its entries have left since the last rebuild.
    @usableFromInline
    func compactIfSparse(in writer: Writer) {
        if peakCount > Self.leastCompactedCount, entryCount * 4 < peakCount {
            rebuild(in: writer)
        }
    }

    /// The peak number of entries up to which releasing their memory isn't worth a rebuild.
    private static var leastCompactedCount: Int { 256 }

    /// Moves all entries to a new block with the capacity that they need and some room for more.
    ///
    /// Readers use the old memory meanwhile, and wait only for the exchange of the pointers.
    ///
    /// - Complexity: O(*n*) in the number of entries; on average, a constant for each entry that
    ///   was added or has left since the last rebuild.
    @inlinable
    func rebuild(in writer: Writer) {
        let old = block
        let regions = (0..<Stripes.count).map { stripe(at: $0).state.pointee.region }
        let new = EntryBlock<Value>(capacity: capacity(forThoseOf: regions))
        var rebuilt: [Region<Value>] = []
        for index in regions.indices {
            rebuilt.append(move(regions[index], ofStripe: index, to: new, in: writer))
        }
        if !pending.isEmpty || !unreclaimed.isEmpty || !staleness.isEmpty {
            replaceWrittenIDs(movedFrom: old)
        }
        // Readers use the old marks until the regions are exchanged.
        let oldMarks = (limits?.block, limits?.records)
        if limits != nil { moveLimits(from: old, to: new.capacity) }
        block = new
        exchangeRegions(for: rebuilt)
        withExtendedLifetime(oldMarks) {}
        old.isLeftUninitialized = Self.isEntryTakable
        peakCount = max(entryCount, expectedCount)
    }

    /// Returns the number of slots that each new region needs for the entries of given regions.
    ///
    /// It is twice the number of entries in the largest region, so that half as many again fit; or
    /// enough for the expected entries, even if they are distributed very unevenly. If all
    /// identifiers have the same hash, each entry takes 64 slots: the price of a common capacity
    /// for all regions.
    @usableFromInline
    func capacity(forThoseOf regions: [Region<Value>]) -> Int {
        let largest = regions.lazy.map { $0.count }.max() ?? 0
        let expected = Double(expectedCount) / Double(Stripes.count)
        let expectedLargest = Int(expected + 4 * expected.squareRoot())
        return max(EntryBlock<Value>.leastCapacity, largest * 2 + 1, expectedLargest * 4 / 3 + 2)
    }

    /// A Boolean value that indicates whether an entry's bytes can be read in two places during a
    /// move.
    ///
    /// It is `true` for all types without weak references. A bitwise-takable value is moved by a
    /// plain copy of its bytes, which leaves the old bytes unchanged. Copying a value out of either
    /// place counts the same references.
    @inlinable static var isEntryTakable: Bool {
        _isBitwiseTakable(Value.self) && _isBitwiseTakable(Value.ID.self)
    }

    /// Moves the entries of a region to the same stripe's region in a new block.
    ///
    /// The old region remains readable, under the lock of the stripe, until the regions are
    /// exchanged. It keeps the same bytes or, if the bytes can't be in two places, the entries from
    /// which the new ones were copied. Only the node, which readers don't use, is replaced by the
    /// new slot.
    @inlinable
    func move(
        _ region: Region<Value>,
        ofStripe index: Int,
        to block: EntryBlock<Value>,
        in writer: Writer
    ) -> Region<Value> {
        var rebuilt = Region(ofStripe: index, in: block)
        let first = index &* block.capacity
        for slot in 0..<region.capacity where region.tags[slot].isOccupied {
            let entry = region.entries + slot
            let node = entry.pointee.node
            let hash = entry.pointee.hash
            let newSlot = rebuilt.freeSlot(for: hash)
            if Self.isEntryTakable {
                (rebuilt.entries + newSlot).moveInitialize(from: entry, count: 1)
            } else {
                (rebuilt.entries + newSlot).initialize(to: entry.pointee.copy())
            }
            rebuilt.tags[newSlot] = SlotTag(hash: hash)
            rebuilt.used &+= 1
            let entryID = EntryID(slot: UInt32(truncatingIfNeeded: first &+ newSlot))
            entry.pointee.node = WatchNodeID(index: Int32(bitPattern: entryID.slot))
            if node != .none { recordMove(node, to: entryID, in: writer) }
        }
        assert(rebuilt.isInOrder(inStripe: index), "Probing must find the moved entries.")
        return rebuilt
    }

    @usableFromInline
    func recordMove(_ node: WatchNodeID, to entry: EntryID, in writer: Writer) {
        writer.nodeChanges.append(NodeChange(node: node, entry: entry))
    }

    /// Replaces the identifiers of the pending and unreclaimed entries by the new ones, which
    /// `move` has stored.
    @usableFromInline
    func replaceWrittenIDs(movedFrom old: EntryBlock<Value>) {
        for index in pending.indices { pending[index] = old.newID(of: pending[index]) }
        unreclaimed = Set(unreclaimed.map { old.newID(of: $0) })
        staleness.moveEntries { old.newID(of: $0) }
        removalReasons = Dictionary(
            uniqueKeysWithValues: removalReasons.map { (old.newID(of: $0.key), $0.value) }
        )
    }

    @usableFromInline
    func exchangeRegions(for regions: [Region<Value>]) {
        for index in regions.indices {
            let stripe = stripe(at: index)
            stripe.acquire()
            stripe.state.pointee.region = regions[index]
            shareMarks(with: stripe, index)
            stripe.state.pointee.layoutGeneration += 1
            stripe.state.pointee.rebuilds &+= 1
            stripe.release()
        }
    }
}
