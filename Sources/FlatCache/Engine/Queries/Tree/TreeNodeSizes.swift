/// The numbers of items of the nodes over which items are distributed evenly.
@usableFromInline
struct TreeNodeSizes: RandomAccessCollection {
    @usableFromInline let total: Int
    /// The number of nodes.
    @usableFromInline let count: Int

    @usableFromInline
    init(of total: Int, capacity: Int) {
        self.total = total
        // Room for a few insertions in each node.
        let size = capacity - capacity / 8
        count = total <= capacity ? 1 : (total + size - 1) / size
    }

    @usableFromInline var startIndex: Int { 0 }
    @usableFromInline var endIndex: Int { count }
    @usableFromInline subscript(index: Int) -> Int {
        total / count + (index < total % count ? 1 : 0)
    }

    /// Returns the number of items below which a node is combined with the next one.
    ///
    /// A third rather than half of the capacity: a node that has just been divided would otherwise
    /// be combined again after a few removals.
    @usableFromInline
    static func minimum(capacity: Int) -> Int { Swift.max(2, (capacity + 2) / 3) }
}
