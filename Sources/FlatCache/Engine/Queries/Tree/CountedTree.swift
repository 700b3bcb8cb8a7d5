/// A sorted collection whose elements are found by their offset and by their order.
///
/// It's a B+-tree (Comer, "The Ubiquitous B-Tree", 1979) whose branches know the number of elements
/// below them, and a plain value: a change copies the nodes from the root to the changed leaf,
/// unless the tree has the only reference to them. Another copy of the tree is an earlier version,
/// which stays as it is and shares all other nodes (Driscoll et al., "Making Data Structures
/// Persistent", 1989).
///
/// The library specializes the rows of plain queries for the identifiers `Int` and `String`.
@usableFromInline
struct CountedTree<Order: TreeOrder>: @unchecked Sendable {
    // The nodes aren't Sendable. A tree changes only nodes to which it has the only reference, and
    // the elements and summaries are Sendable.

    @usableFromInline typealias Element = Order.Element
    @usableFromInline typealias Child = TreeChild<Order.Element, Order.Summary>

    @usableFromInline let order: Order
    @usableFromInline var root: Child?
    /// The number of branches from the root to a leaf.
    @usableFromInline var height = 0

    /// Creates an empty tree.
    @usableFromInline
    init(_ order: Order) {
        self.order = order
    }

    /// Creates a tree of elements that are in order.
    ///
    /// - Complexity: O(*n*).
    @usableFromInline
    init(_ order: Order, sorted elements: [Element]) {
        self.init(order)
        edit(inserting: elements)
    }

    @usableFromInline var count: Int { root?.count ?? 0 }

    /// The summary of all elements.
    @usableFromInline var summary: Order.Summary { root?.summary ?? order.emptySummary }
}

extension CountedTree: RandomAccessCollection {
    @usableFromInline var startIndex: Int { 0 }
    @usableFromInline var endIndex: Int { count }

    /// Returns the element at an offset.
    ///
    /// - Complexity: O(log *n*).
    @usableFromInline
    subscript(offset: Int) -> Element {
        let (leaf, index) = leaf(at: offset)
        return leaf.items[index]
    }

    /// Returns the leaf that contains an offset, and the index of the element in the leaf.
    @usableFromInline
    func leaf(at offset: Int) -> (leaf: Child.Leaf, index: Int) {
        guard let root, offset >= 0, offset < root.count else {
            preconditionFailure("Offset \(offset) isn't in a tree of \(count) elements.")
        }
        var node = root.node
        var index = offset
        for _ in 0..<height {
            var child = unsafeDowncast(node, to: Child.Branch.self).items
            while index >= child.pointee.count {
                index -= child.pointee.count
                child += 1
            }
            node = child.pointee.node
        }
        return (unsafeDowncast(node, to: Child.Leaf.self), index)
    }
}
