/// The number of items of a `TreeNode`, its capacity, and the references of its items.
@usableFromInline
struct TreeNodeHeader {
    @usableFromInline var count: UInt32
    /// The number of items that the node has room for.
    @usableFromInline let capacity: UInt32
    @usableFromInline var references: References

    /// The objects that the items refer to.
    ///
    /// The runtime would ask each item for its references.
    @usableFromInline
    enum References {
        /// No objects: the items are elements that are copied bit by bit.
        case none
        /// Only the nodes at which the items, which are children, begin.
        case nodes
        /// Any objects.
        case any
    }

    @usableFromInline
    init(count: Int, capacity: Int, _ references: References) {
        self.references = references
        self.count = UInt32(truncatingIfNeeded: count)
        self.capacity = UInt32(truncatingIfNeeded: capacity)
    }
}
