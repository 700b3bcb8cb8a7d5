/// A stripe's part of a hash table with open addressing: linear probing (Knuth, "The Art of
/// Computer Programming", volume 3, section 6.4, algorithm L), and a mark where an entry has left.
///
/// Not a `Dictionary`, for three reasons: a handle brings the hash of its identifier along, so that
/// it never hashes again; an entry stays where it is until the whole table is rebuilt, so that a
/// handle finds it without a search; and that is done in other memory while readers use the old,
/// so that they wait only for the exchange of pointers.
///
/// The memory is that of an `EntryBlock`, which lives until the stripe has another one. Guarded
/// like the stripe.
@usableFromInline
struct Region<Value: Identifiable & Sendable> where Value.ID: Sendable {
    @usableFromInline typealias Pointer = UnsafeMutablePointer<Entry<Value>>

    @usableFromInline let tags: UnsafeMutablePointer<SlotTag>
    @usableFromInline let entries: Pointer
    /// How many slots there are.
    @usableFromInline let capacity: Int
    /// How many of them are not empty: they are occupied or have been.
    @usableFromInline var used = 0

    /// The region of a stripe in a block, with no entry in it.
    @inlinable
    init(ofStripe index: Int, in block: EntryBlock<Value>) {
        capacity = block.capacity
        tags = block.tags + index * capacity
        entries = block.entries + index * capacity
    }

    /// Whether another entry would make the probe sequences too long, at three quarters, or leave
    /// no slot to end them.
    @inlinable var isFull: Bool { used &* 4 >= capacity &* 3 || used &+ 1 >= capacity }

    /// Where the search for an entry starts.
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

    /// The slot of an identifier's entry.
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

    /// The entry of an identifier, which stays where it is for as long as the caller has the lock.
    @inlinable @inline(__always)
    func entry(id: Value.ID, hash: UInt32) -> Pointer? {
        slot(of: id, hash: hash).map { entries + $0 }
    }

    /// The first slot for a new entry.
    @inlinable
    func freeSlot(for hash: UInt32) -> Int {
        assert(!isFull, "A table must be rebuilt before a region is full.")
        var slot = homeSlot(of: hash)
        while tags[slot].isOccupied { slot = slotAfter(slot) }
        return slot
    }

    /// Marks the slot of an entry that leaves.
    ///
    /// - Returns: How many slots have become empty: that one, and those before it that were waiting
    ///   for it, if no search goes on beyond it.
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

    /// Calls a closure with each slot that is occupied.
    @inlinable
    func forEachSlot(_ body: (Int) -> Void) {
        for slot in 0..<capacity where tags[slot].isOccupied { body(slot) }
    }

    /// How many entries there are.
    ///
    /// - Complexity: O(*n*) in the capacity.
    @usableFromInline var count: Int {
        var count = 0
        forEachSlot { _ in count += 1 }
        return count
    }

    /// Whether every entry belongs to the stripe and is found where probing looks for it.
    ///
    /// Debug builds check this whenever the table has been rebuilt, so that the check costs a
    /// constant time for each insertion.
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
        return isInOrder && used == capacity - empty && empty > 0
    }
}
