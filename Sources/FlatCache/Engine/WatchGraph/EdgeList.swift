/// The ends of relationships at a node, in no particular order.
///
/// Most nodes have one dependent, and refer to one other node or none. So the first edge is stored
/// inline, and memory is allocated from the second one on. A node may have a million dependents, so
/// the memory grows in chunks.
struct EdgeList: RandomAccessCollection, MutableCollection {
    /// One end of a relationship.
    ///
    /// It stores the node at the other end, and the position of the other end in that node's list,
    /// so that each end finds the other in constant time.
    struct Edge {
        var node: WatchNodeID
        var position: Int32
    }

    /// The first edge; its node is `.none` if the list is empty.
    private var first = Edge(node: .none, position: 0)
    /// The other edges, or `nil` if the list has never had more than one.
    private var others: ChunkedArray<Edge>?

    var startIndex: Int { 0 }

    var endIndex: Int { first.node == .none ? 0 : (others?.count ?? 0) + 1 }

    subscript(position: Int) -> Edge {
        get {
            guard position > 0, let others else { return first }
            return others[position - 1]
        }
        set {
            if position == 0 { first = newValue } else { others?[position - 1] = newValue }
        }
    }

    mutating func append(_ edge: Edge) {
        if first.node == .none { return first = edge }
        if others == nil { others = ChunkedArray() }
        others?.append(edge)
    }

    /// Removes and returns the last edge; the list must not be empty.
    mutating func removeLast() -> Edge {
        if let last = others?.popLast() { return last }
        let last = first
        assert(last.node != .none, "There is no edge to remove.")
        first.node = .none
        return last
    }
}
