/// The reference for eviction: a cache that keeps exactly the values that were requested last.
///
/// A doubly linked list in the order of use, and the position of each value in it.
struct LeastRecentlyUsed {
    private struct Node {
        let id: Int
        var older: Int
        var newer: Int
    }

    private static let none = -1

    private let capacity: Int
    private var nodes: [Node] = []
    private var positions: [Int: Int] = [:]
    private var oldest = none
    private var newest = none

    /// Creates an empty cache.
    ///
    /// - Parameter capacity: The number of values that the cache keeps, at least one.
    init(capacity: Int) {
        precondition(capacity > 0, "A cache for \(capacity) values keeps none: give one or more.")
        self.capacity = capacity
    }

    /// Requests a value and keeps it; returns whether the cache had it.
    mutating func request(_ id: Int) -> Bool {
        if let position = positions[id] {
            unlink(position)
            linkAsNewest(position)
            return true
        }
        let position = nodes.count < capacity ? nodes.count : oldest
        let node = Node(id: id, older: Self.none, newer: Self.none)
        if position == nodes.count {
            nodes.append(node)
        } else {
            unlink(position)
            positions[nodes[position].id] = nil
            nodes[position] = node
        }
        positions[id] = position
        linkAsNewest(position)
        return false
    }

    private mutating func unlink(_ position: Int) {
        let node = nodes[position]
        if node.older == Self.none {
            oldest = node.newer
        } else {
            nodes[node.older].newer = node.newer
        }
        if node.newer == Self.none {
            newest = node.older
        } else {
            nodes[node.newer].older = node.older
        }
    }

    private mutating func linkAsNewest(_ position: Int) {
        nodes[position].older = newest
        nodes[position].newer = Self.none
        if newest == Self.none {
            oldest = position
        } else {
            nodes[newest].newer = position
        }
        newest = position
    }
}
