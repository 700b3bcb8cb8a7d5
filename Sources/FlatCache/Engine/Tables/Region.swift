/// A stripe's part of a hash table with open addressing.
///
/// The algorithm is linear probing (Knuth, "The Art of Computer Programming", volume 3, section
/// 6.4, algorithm L), with a mark for the slots of entries that have left.
///
/// It replaces a `Dictionary` for three reasons. A handle stores the hash of its identifier, so
/// that it never hashes again. An entry keeps its address until the whole table is rebuilt, so that
/// a handle finds it without a search. A rebuild uses other memory while readers use the old one,
/// so that they wait only for the exchange of pointers.
///
/// The memory belongs to an `EntryBlock`, which exists until the stripe gets another one. Locked
/// like the stripe.
@usableFromInline
struct Region<Value: Identifiable & Sendable> where Value.ID: Sendable {
    @usableFromInline typealias Pointer = UnsafeMutablePointer<Entry<Value>>

    @usableFromInline let tags: UnsafeMutablePointer<SlotTag>
    @usableFromInline let entries: Pointer
    /// The number of slots.
    @usableFromInline let capacity: Int
    /// The number of slots that are occupied or vacated.
    ///
    /// It has half a word, so that a stripe fits into a cache line.
    @usableFromInline var used: UInt32 = 0

    /// Creates the region of a stripe in a block, without entries.
    @inlinable
    init(ofStripe index: Int, in block: EntryBlock<Value>) {
        capacity = block.capacity
        tags = block.tags + index * capacity
        entries = block.entries + index * capacity
    }

    /// A Boolean value that indicates whether the region has no room for another entry.
    ///
    /// From three quarters of the capacity on, probe sequences would be too long. At least one
    /// empty slot must remain to end them.
    @inlinable var isFull: Bool {
        let used = Int(truncatingIfNeeded: used)
        return used &* 4 >= capacity &* 3 || used &+ 1 >= capacity
    }

    /// Returns the slot at which the search for an entry starts.
    ///
    /// The hash is scaled to the capacity, which need not be a power of two (Lemire, "Fast Random
    /// Integer Generation in an Interval", 2019).
    @inlinable @inline(__always)
    func homeSlot(of hash: UInt32) -> Int {
        let fraction = UInt64(hash &>> UInt32(Stripes.bits))
        let product = fraction &* UInt64(truncatingIfNeeded: capacity)
        return Int(truncatingIfNeeded: product &>> UInt64(32 - Stripes.bits))
    }

    @inlinable @inline(__always)
    func slotAfter(_ slot: Int) -> Int { slot &+ 1 == capacity ? 0 : slot &+ 1 }

    @inlinable @inline(__always)
    func slotBefore(_ slot: Int) -> Int { slot == 0 ? capacity &- 1 : slot &- 1 }

    /// Returns the slot of an identifier's entry.
    @inlinable @inline(__always)
    func slot(of id: Value.ID, hash: UInt32) -> Int? {
        let tag = SlotTag(hash: hash)
        var slot = homeSlot(of: hash)
        while true {
            let found = tags[slot]
            if found == tag, (entries + slot).pointee.id == id { return slot }
            if found == .empty { return nil }
            slot = slotAfter(slot)
        }
    }

    /// Returns the entry of an identifier, which keeps its address as long as the caller holds the
    /// lock.
    @inlinable @inline(__always)
    func entry(id: Value.ID, hash: UInt32) -> Pointer? {
        slot(of: id, hash: hash).map { entries + $0 }
    }

    /// Returns the first slot for a new entry.
    @inlinable
    func freeSlot(for hash: UInt32) -> Int {
        assert(!isFull, "A table must be rebuilt before a region is full.")
        var slot = homeSlot(of: hash)
        while tags[slot].isOccupied { slot = slotAfter(slot) }
        return slot
    }

    /// Marks the slot of a departing entry as vacated, or as empty if no search continues beyond
    /// it.
    ///
    /// - Returns: The number of slots that have become empty: the slot itself, and the vacated
    ///   slots directly before it.
    func vacate(_ slot: Int) -> Int {
        tags[slot] = .vacated
        guard tags[slotAfter(slot)] == .empty else { return 0 }
        var emptied = 0
        var slot = slot
        while tags[slot] == .vacated {
            tags[slot] = .empty
            emptied += 1
            slot = slotBefore(slot)
        }
        return emptied
    }

    /// Calls a closure with each occupied slot.
    @inlinable
    func forEachSlot(_ body: (Int) -> Void) {
        for slot in 0..<capacity where tags[slot].isOccupied { body(slot) }
    }

    /// The number of entries.
    ///
    /// - Complexity: O(*n*) in the capacity.
    @usableFromInline var count: Int {
        var count = 0
        forEachSlot { _ in count += 1 }
        return count
    }

    /// Returns whether every entry belongs to the stripe and probing finds it.
    ///
    /// Debug builds check this after each rebuild of the table, so that the check costs a constant
    /// time for each insertion.
    @usableFromInline
    func isInOrder(inStripe index: Int) -> Bool {
        var isInOrder = true
        forEachSlot { slot in
            let hash = (entries + slot).pointee.hash
            var probed = homeSlot(of: hash)
            while probed != slot, tags[probed] != .empty { probed = slotAfter(probed) }
            isInOrder =
                isInOrder && probed == slot && Stripes.index(of: hash) == index
                && tags[slot] == SlotTag(hash: hash)
        }
        let empty = (0..<capacity).count { tags[$0] == .empty }
        return isInOrder && Int(used) == capacity - empty && empty > 0
    }
}
