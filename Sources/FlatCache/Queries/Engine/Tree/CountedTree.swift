/// A sorted collection whose elements are found by their offset and by their order.
///
/// It's a B+-tree (Comer, "The Ubiquitous B-Tree", 1979) whose branches know the number of elements
/// below them, and a plain value: a change copies the nodes from the root to the changed leaf,
/// unless the tree has the only reference to them. Another copy of the tree is an earlier version.
/// It remains as it is and shares all other nodes (Driscoll et al., "Making Data Structures
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

/// The rules of a `CountedTree`: the order of its elements, their identifiers, and their summaries.
///
/// The order is total: of two elements, one precedes the other, or they are the same element to the
/// tree.
@usableFromInline
protocol TreeOrder: Sendable {
    associatedtype Element: Sendable
    associatedtype ID: Hashable & Sendable
    associatedtype Summary: Sendable = NoSummary

    static var leafCapacity: Int { get }
    static var branchCapacity: Int { get }

    func precedes(_ first: Element, _ second: Element) -> Bool
    func id(of element: Element) -> ID

    /// Returns whether an element refers to no objects.
    func isPlain(_ element: Element) -> Bool

    /// The summary of no elements.
    ///
    /// Combining it with another summary doesn't change that one.
    var emptySummary: Summary { get }
    func summary(of element: Element) -> Summary
    /// Combines the summaries of adjacent elements, associatively.
    func combine(_ first: Summary, _ second: Summary) -> Summary
}

extension TreeOrder {
    // Measurements determined these numbers. An edit copies one leaf and the branches above it, and
    // counts a reference for each child of a copied branch, so branches are smaller than leaves.
    // With leaves of 64 elements and branches of 16 children, edits execute a tenth more
    // instructions, and miss the processor's cache a quarter more often.
    @usableFromInline static var leafCapacity: Int { 48 }
    @usableFromInline static var branchCapacity: Int { 8 }

    @usableFromInline func isPlain(_ element: Element) -> Bool { false }

    /// `true` if the tree has to compute summaries.
    @usableFromInline static var isSummarizing: Bool { Summary.self != NoSummary.self }
}

extension TreeOrder where Summary == NoSummary {
    @usableFromInline var emptySummary: NoSummary { NoSummary() }
    @usableFromInline func summary(of element: Element) -> NoSummary { NoSummary() }
    @usableFromInline func combine(_ first: NoSummary, _ second: NoSummary) -> NoSummary { first }
}

/// The summary of the elements of a tree that summarizes nothing.
@usableFromInline
struct NoSummary: Equatable, Sendable {
    @usableFromInline init() {}
}
