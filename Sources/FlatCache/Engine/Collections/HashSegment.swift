/// A part of a ``HashIndex``: a hash table with open addressing and linear probing.
struct HashSegment {
    struct Slot {
        var hash: UInt32
        var position: Int32

        var isEmpty: Bool { position < 0 }

        static var empty: Slot { Slot(hash: 0, position: -1) }
    }

    static var minimumSlotCount: Int { 4 }

    /// The slots, a power of two of them, of which at least a quarter is empty.
    private var slots = [Slot](repeating: .empty, count: HashSegment.minimumSlotCount)
    private(set) var count = 0
    /// The number of first bits that all hashes in the segment have in common.
    private(set) var depth = 0

    var slotCount: Int { slots.count }

    /// A Boolean value that indicates whether there's no room for another hash.
    var isFull: Bool { count >= slots.count / 4 * 3 }

    func position(withHash hash: UInt32, where isMatch: (Int32) -> Bool) -> Int32? {
        var slot = home(of: hash)
        while !slots[slot].isEmpty {
            if slots[slot].hash == hash, isMatch(slots[slot].position) {
                return slots[slot].position
            }
            slot = next(after: slot)
        }
        return nil
    }

    /// Adds a position that isn't in the segment, which must have room.
    mutating func insert(_ position: Int32, hash: UInt32) {
        enter(Slot(hash: hash, position: position))
        count += 1
    }

    /// Removes a position, which must be in the segment.
    mutating func remove(_ position: Int32, hash: UInt32) {
        var gap = slot(of: position, hash: hash)
        // Later slots of the same run move up, unless they would move in front of their home.
        var slot = next(after: gap)
        while !slots[slot].isEmpty {
            let distance = (slot &- home(of: slots[slot].hash)) & (slots.count - 1)
            if distance >= (slot &- gap) & (slots.count - 1) {
                slots[gap] = slots[slot]
                gap = slot
            }
            slot = next(after: slot)
        }
        slots[gap] = .empty
        count -= 1
    }

    /// Replaces a position, which must be in the segment.
    mutating func replace(_ position: Int32, by newPosition: Int32, hash: UInt32) {
        slots[slot(of: position, hash: hash)].position = newPosition
    }

    /// Changes the number of slots.
    mutating func resize(to slotCount: Int) {
        let old = slots
        slots = Array(repeating: .empty, count: slotCount)
        for slot in old where !slot.isEmpty { enter(slot) }
    }

    /// Moves the hashes in which a bit is set into a new segment, or returns `nil` if the bit is
    /// set in all hashes or in none.
    ///
    /// - Parameters:
    ///   - bit: The first bit in which hashes of the segment can differ.
    ///   - slotCount: The least number of slots of both segments.
    mutating func takeHashes(with bit: UInt32, slotCount: Int) -> HashSegment? {
        let upperCount = slots.count { !$0.isEmpty && $0.hash & bit != 0 }
        guard upperCount > 0, upperCount < count else { return nil }
        var upper = HashSegment(slotCount: Self.slotCount(for: upperCount, atLeast: slotCount))
        let old = slots
        slots = Array(
            repeating: .empty,
            count: Self.slotCount(for: count - upperCount, atLeast: slotCount)
        )
        for slot in old where !slot.isEmpty {
            if slot.hash & bit == 0 { enter(slot) } else { upper.enter(slot) }
        }
        count -= upperCount
        upper.count = upperCount
        depth += 1
        upper.depth = depth
        return upper
    }

    /// Adds the hashes of the segment whose common bits differ only in the last one.
    mutating func add(_ other: HashSegment, slotCount: Int) {
        resize(to: slotCount)
        for slot in other.slots where !slot.isEmpty { enter(slot) }
        count += other.count
        depth -= 1
    }

    init() {}

    private init(slotCount: Int) { slots = Array(repeating: .empty, count: slotCount) }

    /// Returns the least number of slots that hold some hashes and have room for one more.
    private static func slotCount(for count: Int, atLeast least: Int) -> Int {
        var slotCount = least
        while count >= slotCount / 4 * 3 { slotCount *= 2 }
        return slotCount
    }

    private mutating func enter(_ entered: Slot) {
        var slot = home(of: entered.hash)
        while !slots[slot].isEmpty { slot = next(after: slot) }
        slots[slot] = entered
    }

    private func slot(of position: Int32, hash: UInt32) -> Int {
        var slot = home(of: hash)
        while slots[slot].position != position { slot = next(after: slot) }
        return slot
    }

    // The last bits of the hash determine the slot, since all hashes of the segment share the first
    // ones.
    private func home(of hash: UInt32) -> Int { Int(hash) & (slots.count - 1) }

    private func next(after slot: Int) -> Int { (slot + 1) & (slots.count - 1) }

    /// Traps unless each hash belongs to the segment and can be found; for tests.
    func checkInvariants(belongs: (UInt32) -> Bool) {
        precondition(slots.count { !$0.isEmpty } == count, "The count must be that of the slots.")
        precondition(count <= slots.count / 4 * 3, "A quarter of the slots must be empty.")
        for slot in slots where !slot.isEmpty {
            precondition(belongs(slot.hash), "A hash must be in the segment of its first bits.")
            let found = position(withHash: slot.hash) { $0 == slot.position }
            precondition(found == slot.position, "Probing must find each position.")
        }
    }
}
