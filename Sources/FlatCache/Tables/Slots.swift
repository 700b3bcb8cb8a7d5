/// An open-addressing hash table of entries: linear probing, and deletion that shifts back instead of
/// leaving tombstones (Knuth, "The Art of Computer Programming", volume 3, section 6.4, algorithm R).
///
/// Not a `Dictionary`, for three reasons: a handle brings the hash of its identifier along, so that it
/// never hashes again; the table can be rebuilt larger while readers use the old one, so that they wait
/// only for the exchange of a reference; and a scan can go on over the old one while it is replaced.
final class Slots<Value: Identifiable & Sendable> where Value.ID: Sendable {
    // Guarded like the stripe that this belongs to.
    private var entries: ContiguousArray<Entry<Value>?>
    private(set) var count = 0

    /// Creates an empty table with room for a number of slots: zero or a power of two.
    init(capacity: Int) {
        entries = ContiguousArray(repeating: nil, count: capacity)
    }

    var capacity: Int { entries.count }

    /// Whether another entry would make the probe sequences too long: at three quarters.
    var isFull: Bool { count &* 4 >= entries.count &* 3 }

    /// Whether most of the room is unused: below an eighth.
    var isSparse: Bool { entries.count > 64 && count &* 8 < entries.count }

    subscript(slot: Int) -> Entry<Value>? { entries[slot] }

    func entry(id: Value.ID, hash: Int) -> Entry<Value>? {
        guard !entries.isEmpty else { return nil }
        var slot = homeSlot(of: hash)
        while let entry = entries[slot] {
            if entry.hash == hash, entry.id == id { return entry }
            slot = slotAfter(slot)
        }
        return nil
    }

    func insert(_ entry: Entry<Value>) {
        assert(!isFull, "A table must be enlarged before it is full.")
        var slot = homeSlot(of: entry.hash)
        while entries[slot] != nil { slot = slotAfter(slot) }
        entries[slot] = entry
        count += 1
    }

    func remove(_ entry: Entry<Value>) {
        guard var hole = slot(of: entry) else { return }
        var slot = slotAfter(hole)
        while let follower = entries[slot] {
            // A follower may fill the hole unless its home lies behind the hole: probing for it
            // would no longer reach it.
            let distanceFromHome = (slot &- homeSlot(of: follower.hash)) & (entries.count - 1)
            let distanceFromHole = (slot &- hole) & (entries.count - 1)
            if distanceFromHome >= distanceFromHole {
                entries[hole] = follower
                hole = slot
            }
            slot = slotAfter(slot)
        }
        entries[hole] = nil
        count -= 1
    }

    /// Returns a table of another capacity that holds the same entries; this one stays as it is.
    func resized(toCapacity capacity: Int) -> Slots<Value> {
        let resized = Slots<Value>(capacity: capacity)
        for case let entry? in entries { resized.insert(entry) }
        assert(resized.isInOrder)
        return resized
    }

    /// Returns a table of the same capacity with some of the entries; this one stays as it is.
    func filtered(_ isIncluded: (Entry<Value>) -> Bool) -> Slots<Value> {
        let filtered = Slots<Value>(capacity: capacity)
        for case let entry? in entries where isIncluded(entry) { filtered.insert(entry) }
        return filtered
    }

    /// The capacity to resize to when the table is full.
    var enlargedCapacity: Int { max(4, entries.count * 2) }

    /// The capacity to resize to when the table is sparse.
    var reducedCapacity: Int {
        var capacity = 4
        while capacity * 3 < count * 8 { capacity *= 2 }
        return capacity
    }

    // The low bits of the hash have chosen the stripe.
    private func homeSlot(of hash: Int) -> Int {
        Int(bitPattern: UInt(bitPattern: hash) >> Stripes.bits) & (entries.count - 1)
    }

    private func slotAfter(_ slot: Int) -> Int { (slot &+ 1) & (entries.count - 1) }

    private func slot(of entry: Entry<Value>) -> Int? {
        guard !entries.isEmpty else { return nil }
        var slot = homeSlot(of: entry.hash)
        while let candidate = entries[slot] {
            if candidate === entry { return slot }
            slot = slotAfter(slot)
        }
        return nil
    }

    /// Whether every entry is found where probing looks for it.
    ///
    /// Debug builds check this whenever the table has been rebuilt, so that the check costs a constant
    /// time for each insertion.
    var isInOrder: Bool {
        let present = entries.compactMap { $0 }
        return present.count == count && (entries.isEmpty || count < entries.count)
            && present.allSatisfy { slot(of: $0) != nil && !$0.isDetached }
    }
}
