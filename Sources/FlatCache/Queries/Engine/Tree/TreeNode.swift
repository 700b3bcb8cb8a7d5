/// A node of a `CountedTree`: the elements of a leaf, or the children of a branch, side by side.
///
/// Several trees can share a node. A tree changes a node only if it has the only reference to it
/// and to all nodes above it.
@usableFromInline
final class TreeNode<Item>: ManagedBuffer<TreeNodeHeader, Item> {
    /// Creates a node without items.
    ///
    /// - Parameter references: The objects that its items will refer to.
    @usableFromInline
    static func make(capacity: Int, _ references: TreeNodeHeader.References) -> TreeNode {
        let node = create(minimumCapacity: capacity) { _ in
            TreeNodeHeader(count: 0, capacity: capacity, references)
        }
        return unsafeDowncast(node, to: TreeNode.self)
    }

    /// Returns a capacity for a number of items and a few more, so that the leaves of small trees
    /// are small.
    @usableFromInline
    static func capacity(for count: Int, limit: Int) -> Int {
        count > limit ? count : min(limit, (count + count / 8 + 3) & ~3)
    }

    /// The memory of the items, valid as long as the node is.
    @usableFromInline var items: UnsafeMutablePointer<Item> {
        withUnsafeMutablePointerToElements { $0 }
    }

    // The accessor of `header` checks for exclusive access at run time. That takes longer than a
    // search.
    @usableFromInline var count: Int {
        get { withUnsafeMutablePointerToHeader { Int(truncatingIfNeeded: $0.pointee.count) } }
        set {
            withUnsafeMutablePointerToHeader {
                $0.pointee.count = UInt32(truncatingIfNeeded: newValue)
            }
        }
    }

    @usableFromInline var itemCapacity: Int {
        withUnsafeMutablePointerToHeader { Int(truncatingIfNeeded: $0.pointee.capacity) }
    }

    @usableFromInline var references: TreeNodeHeader.References {
        get { withUnsafeMutablePointerToHeader { $0.pointee.references } }
        set { withUnsafeMutablePointerToHeader { $0.pointee.references = newValue } }
    }

    @usableFromInline
    func append(_ item: Item) {
        (items + count).initialize(to: item)
        count += 1
    }

    @usableFromInline
    func append(copying source: UnsafePointer<Item>, count added: Int) {
        let target = items + count
        if references == .none {
            UnsafeMutableRawPointer(target).copyMemory(
                from: source,
                byteCount: added * MemoryLayout<Item>.stride
            )
        } else {
            // A loop, because the compiler then copies each item without a call to the runtime.
            for index in 0..<added { (target + index).initialize(to: source[index]) }
        }
        count += added
    }

    @usableFromInline
    func append(moving source: UnsafeMutablePointer<Item>, count added: Int) {
        (items + count).moveInitialize(from: source, count: added)
        count += added
    }

    @usableFromInline
    func insert(_ item: Item, at index: Int) {
        let place = items + index
        (place + 1).moveInitialize(from: place, count: count - index)
        place.initialize(to: item)
        count += 1
    }

    @usableFromInline
    func remove(at index: Int) {
        let place = items + index
        place.deinitialize(count: 1)
        place.moveInitialize(from: place + 1, count: count - index - 1)
        count -= 1
    }

    @usableFromInline
    func takeItems() -> [Item] {
        let taken = Array(unsafeUninitializedCapacity: count) { target, takenCount in
            target.baseAddress?.moveInitialize(from: items, count: count)
            takenCount = count
        }
        count = 0
        return taken
    }

    @usableFromInline
    func copyOfItems() -> [Item] { Array(UnsafeBufferPointer(start: items, count: count)) }

    /// Returns the index of the first item for which a condition holds, or `upper` if there is
    /// none.
    ///
    /// The condition holds for all items after that one.
    @usableFromInline
    func firstIndex(from lower: Int, to upper: Int, where condition: (Item) -> Bool) -> Int {
        let items = items
        var (lower, upper) = (lower, upper)
        while lower < upper {
            let middle = (lower &+ upper) &>> 1
            if condition(items[middle]) { upper = middle } else { lower = middle &+ 1 }
        }
        return lower
    }

    /// Distributes the items over nodes that aren't too full.
    ///
    /// The node has no items afterwards, unless it's the only result.
    @usableFromInline
    func divided(capacity: Int) -> [TreeNode] {
        let sizes = TreeNodeSizes(of: count, capacity: capacity)
        guard sizes.count > 1 else { return [self] }
        var source = items
        let nodes = sizes.map { size in
            let node = TreeNode.make(
                capacity: TreeNode.capacity(for: size, limit: capacity),
                references
            )
            node.append(moving: source, count: size)
            source += size
            return node
        }
        count = 0
        return nodes
    }

    @usableFromInline
    deinit {
        withUnsafeMutablePointers { header, items in
            let count = Int(truncatingIfNeeded: header.pointee.count)
            switch header.pointee.references {
            case .none: break
            case .nodes:
                for index in 0..<count {
                    // The node is the first property of a child.
                    let node = UnsafeMutableRawPointer(items + index)
                    node.assumingMemoryBound(to: AnyObject.self).deinitialize(count: 1)
                }
            case .any: items.deinitialize(count: count)
            }
        }
    }
}

/// The number of items of a `TreeNode`, its capacity, and the references of its items.
@usableFromInline
struct TreeNodeHeader {
    @usableFromInline var count: UInt32
    @usableFromInline let capacity: UInt32
    @usableFromInline var references: References

    /// The objects that the items refer to.
    ///
    /// The runtime would ask each item for its references.
    @usableFromInline
    enum References {
        /// No objects: the items are elements that are copied bit by bit.
        case none
        /// Only nodes: the items are children, and each of them begins with a node.
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

/// A subtree of a `CountedTree`, as the branch above it knows it.
@usableFromInline
struct TreeChild<Element, Summary> {
    /// The root of the subtree, a `TreeNode` of elements or of children.
    ///
    /// All leaves have the same depth, so the height of the subtree determines the type, and the
    /// class needn't be checked.
    @usableFromInline var node: AnyObject
    /// The number of elements.
    @usableFromInline var count: Int
    @usableFromInline var first: Element
    @usableFromInline var summary: Summary

    @usableFromInline typealias Leaf = TreeNode<Element>
    @usableFromInline typealias Branch = TreeNode<TreeChild>

    @usableFromInline
    init(node: AnyObject, count: Int, first: Element, summary: Summary) {
        self.node = node
        self.count = count
        self.first = first
        self.summary = summary
    }

    /// The root of a subtree of height zero.
    @usableFromInline var leaf: Leaf { unsafeDowncast(node, to: Leaf.self) }

    /// The root of a subtree whose height is greater than zero.
    @usableFromInline var branch: Branch { unsafeDowncast(node, to: Branch.self) }

    @usableFromInline
    func itemCount(height: Int) -> Int { height == 0 ? count : branch.count }

    /// Returns a Boolean value that indicates whether this is the only reference to the root.
    @usableFromInline
    mutating func isUnshared() -> Bool {
        // In a direct call, the compiler would open the existential and so add a reference.
        let isUnique: (inout AnyObject) -> Bool = isKnownUniquelyReferenced
        return isUnique(&node)
    }
}
