/// The nodes of a watch graph by their keys.
///
/// A hash table with open addressing. It stores a part of each key's hash and the node, which has
/// the key. So a slot takes eight bytes instead of the size of a key, and most searches read one
/// key, the one that they find.
struct NodeIndex {
    private struct Slot {
        var hash: UInt32
        var node: WatchNodeID

        static var empty: Slot { Slot(hash: 0, node: .none) }
    }

    /// The slots, a power of two of them, of which at least a quarter is empty.
    private var slots: [Slot] = []
    private(set) var count = 0

    /// Returns the part of a key's hash that the index stores.
    static func hash(of key: CacheKey) -> UInt32 { UInt32(truncatingIfNeeded: key.hashValue) }

    /// Returns the node with a hash that matches.
    func node(withHash hash: UInt32, where isMatch: (WatchNodeID) -> Bool) -> WatchNodeID? {
        guard count > 0 else { return nil }
        var position = home(of: hash)
        while slots[position].node != .none {
            if slots[position].hash == hash, isMatch(slots[position].node) {
                return slots[position].node
            }
            position = next(after: position)
        }
        return nil
    }

    /// Adds a node whose key isn't in the index.
    ///
    /// - Complexity: O(1), amortized.
    mutating func insert(_ node: WatchNodeID, hash: UInt32) {
        reserveCapacity(count + 1)
        enter(Slot(hash: hash, node: node))
        count += 1
    }

    /// Removes a node, which must be in the index.
    mutating func remove(_ node: WatchNodeID, hash: UInt32) {
        var gap = home(of: hash)
        while slots[gap].node != node { gap = next(after: gap) }
        // Later nodes of the same run move up, unless they would move in front of their home.
        var position = next(after: gap)
        while slots[position].node != .none {
            let distance = (position &- home(of: slots[position].hash)) & (slots.count - 1)
            if distance >= (position &- gap) & (slots.count - 1) {
                slots[gap] = slots[position]
                gap = position
            }
            position = next(after: position)
        }
        slots[gap] = .empty
        count -= 1
    }

    mutating func removeAll() { self = NodeIndex() }

    /// Makes room for a total number of nodes.
    mutating func reserveCapacity(_ capacity: Int) {
        guard capacity > slots.count / 4 * 3 else { return }
        var slotCount = max(slots.count, 16)
        while capacity > slotCount / 4 * 3 { slotCount *= 2 }
        let old = slots
        slots = Array(repeating: .empty, count: slotCount)
        for slot in old where slot.node != .none { enter(slot) }
    }

    private mutating func enter(_ slot: Slot) {
        var position = home(of: slot.hash)
        while slots[position].node != .none { position = next(after: position) }
        slots[position] = slot
    }

    private func home(of hash: UInt32) -> Int { Int(hash) & (slots.count - 1) }

    private func next(after position: Int) -> Int { (position + 1) & (slots.count - 1) }
}
