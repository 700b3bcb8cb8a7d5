/// The number of items of a `TreeNode`, and its capacity.
@usableFromInline
struct TreeNodeHeader {
    @usableFromInline var count: UInt32
    /// The number of items that the node has room for.
    @usableFromInline let capacity: UInt32

    @inlinable
    init(count: Int, capacity: Int) {
        self.count = UInt32(truncatingIfNeeded: count)
        self.capacity = UInt32(truncatingIfNeeded: capacity)
    }
}
