/// An open-addressing hash table of entries: linear probing, and deletion that shifts back instead
/// of leaving tombstones (Knuth, "The Art of Computer Programming", volume 3, section 6.4,
/// algorithm R).
///
/// Not a `Dictionary`, for three reasons: a handle brings the hash of its identifier along, so that
/// it never hashes again; the table can be rebuilt larger while readers use the old one, so that
/// they wait only for the exchange of a reference; and a scan can go on over the old one while it
/// is replaced.
@usableFromInline
final class Slots<Value: Identifiable & Sendable> where Value.ID: Sendable {
    /// How many slots there are: zero or a power of two.
    @usableFromInline let capacity: Int

    /// The slots, each with a reference of its own to its entry.
    ///
    /// Guarded like the stripe that this belongs to; allocated and freed with the table.
    @usableFromInline let slots: UnsafeMutablePointer<Slot<Value>>

    /// How many slots have an entry; guarded like the slots.
    @exclusivity(unchecked) @usableFromInline var count = 0

    /// Creates an empty table with room for a number of slots: zero or a power of two.
    @inlinable
    init(capacity: Int) {
        self.capacity = capacity
        slots = .allocate(capacity: capacity)
        slots.initialize(repeating: Slot(), count: capacity)
    }

    @inlinable
    deinit {
        for slot in 0..<capacity { slots[slot].entry?.release() }
        slots.deinitialize(count: capacity)
        slots.deallocate()
    }

    /// Whether another entry would make the probe sequences too long: at three quarters.
    @inlinable var isFull: Bool { count &* 4 >= capacity &* 3 }

    /// Whether most of the room is unused: below an eighth.
    @inlinable var isSparse: Bool { capacity > 64 && count &* 8 < capacity }

    @inlinable
    subscript(slot: Int) -> Entry<Value>? { slots[slot].entry?.takeUnretainedValue() }

    /// The entry of an identifier, which stays where it is for as long as the caller has the lock.
    @inlinable @inline(__always)
    func unmanagedEntry(id: Value.ID, hash: Int) -> Unmanaged<Entry<Value>>? {
        guard capacity > 0 else { return nil }
        var slot = homeSlot(of: hash)
        while !slots[slot].isEmpty {
            if slots[slot].mayHold(hash), let entry = slots[slot].entry,
                entry._withUnsafeGuaranteedRef({ $0.hash == hash && $0.id == id })
            {
                return entry
            }
            slot = slotAfter(slot)
        }
        return nil
    }

    /// The entry of an identifier.
    @inlinable
    func entry(id: Value.ID, hash: Int) -> Entry<Value>? {
        unmanagedEntry(id: id, hash: hash)?.takeUnretainedValue()
    }

    @inlinable
    func insert(_ entry: Entry<Value>) {
        assert(!isFull, "A table must be enlarged before it is full.")
        var slot = homeSlot(of: entry.hash)
        while !slots[slot].isEmpty { slot = slotAfter(slot) }
        slots[slot] = Slot(.passRetained(entry), hash: entry.hash)
        count += 1
    }

    func remove(_ entry: Entry<Value>) {
        guard var hole = slot(of: entry) else { return }
        let removed = slots[hole].entry
        var slot = slotAfter(hole)
        while let follower = slots[slot].entry {
            // A follower may fill the hole unless its home lies behind the hole: probing for it
            // would no longer reach it.
            let home = homeSlot(of: follower._withUnsafeGuaranteedRef { $0.hash })
            let distanceFromHome = (slot &- home) & (capacity - 1)
            let distanceFromHole = (slot &- hole) & (capacity - 1)
            if distanceFromHome >= distanceFromHole {
                slots[hole] = slots[slot]
                hole = slot
            }
            slot = slotAfter(slot)
        }
        slots[hole] = Slot()
        count -= 1
        removed?.release()
    }

    /// Returns a table of another capacity that holds the same entries; this one stays as it is.
    @inlinable
    func resized(toCapacity capacity: Int) -> Slots<Value> {
        let resized = Slots<Value>(capacity: capacity)
        for slot in 0..<self.capacity {
            if let entry = self[slot] { resized.insert(entry) }
        }
        assert(resized.isInOrder)
        return resized
    }

    /// Returns a table of the same capacity with some of the entries; this one stays as it is.
    func filtered(_ isIncluded: (Entry<Value>) -> Bool) -> Slots<Value> {
        let filtered = Slots<Value>(capacity: capacity)
        for slot in 0..<capacity {
            if let entry = self[slot], isIncluded(entry) { filtered.insert(entry) }
        }
        return filtered
    }

    /// The capacity to resize to when the table is full.
    @inlinable var enlargedCapacity: Int { max(4, capacity * 2) }

    /// The capacity to resize to when the table is sparse.
    var reducedCapacity: Int {
        var capacity = 4
        while capacity * 3 < count * 8 { capacity *= 2 }
        return capacity
    }

    // The low bits of the hash have chosen the stripe.
    @inlinable
    func homeSlot(of hash: Int) -> Int {
        Int(bitPattern: UInt(bitPattern: hash) >> UInt(Stripes.bits)) & (capacity &- 1)
    }

    @inlinable
    func slotAfter(_ slot: Int) -> Int { (slot &+ 1) & (capacity &- 1) }

    @usableFromInline
    func slot(of entry: Entry<Value>) -> Int? {
        guard capacity > 0 else { return nil }
        var slot = homeSlot(of: entry.hash)
        while let candidate = self[slot] {
            if candidate === entry { return slot }
            slot = slotAfter(slot)
        }
        return nil
    }

    /// Whether every entry is found where probing looks for it.
    ///
    /// Debug builds check this whenever the table has been rebuilt, so that the check costs a
    /// constant time for each insertion.
    @usableFromInline var isInOrder: Bool {
        let present = (0..<capacity).compactMap { self[$0] }
        return present.count == count && (capacity == 0 || count < capacity)
            && present.allSatisfy { slot(of: $0) != nil && !$0.isDetached }
    }
}
