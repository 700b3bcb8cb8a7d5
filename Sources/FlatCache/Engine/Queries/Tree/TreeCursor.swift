/// A position in a tree, from which it moves to the next element or past a whole subtree.
@usableFromInline
struct TreeCursor<Order: TreeOrder> {
    @usableFromInline typealias Child = CountedTree<Order>.Child
    @usableFromInline typealias Step = TreeDifference<Order.ID>.Step

    /// The branches above the leaf, from the root on, and the index of the child in each of them.
    @usableFromInline var path: [(branch: Child.Branch, index: Int)] = []
    /// The leaf of the next element, or `nil` after the last one.
    @usableFromInline var leaf: Child.Leaf?
    /// The index of the next element in the leaf.
    @usableFromInline var index = 0
    /// The offset of the next element in the tree.
    @usableFromInline var offset = 0

    /// Creates a cursor to the first element of a tree.
    @usableFromInline
    init(_ tree: CountedTree<Order>) {
        if let root = tree.root { descend(root, height: tree.height) }
    }

    /// Moves to another index in the leaf, which may be its end.
    @usableFromInline
    mutating func move(to index: Int) {
        offset += index - self.index
        self.index = index
        if let leaf, index == leaf.count { leaveSubtree(height: 0) }
    }

    /// Moves this cursor and one in another tree past the largest subtree that begins at both of
    /// them and that the trees share.
    ///
    /// - Returns: `false` if there is none.
    @usableFromInline
    mutating func skipSharedSubtree(with other: inout TreeCursor) -> Bool {
        // Cursors that compare elements in order reach the first element of a shared subtree
        // together, and then skip it. They're never inside of one.
        guard let leaf, leaf === other.leaf else { return false }
        assert(index == 0 && other.index == 0, "The cursors are at the start of a shared leaf.")
        var height = 0
        while let child = child(height: height), let otherChild = other.child(height: height),
            child.branch === otherChild.branch
        {
            height += 1
        }
        // If the whole trees are shared, the offsets no longer matter.
        let count = child(height: height).map { $0.branch.items[$0.index].count } ?? 0
        offset += count
        other.offset += count
        leaveSubtree(height: height)
        other.leaveSubtree(height: height)
        return true
    }

    /// Returns the branch above a subtree on the path, and the index of the subtree, or `nil` if
    /// the subtree is the whole tree.
    @usableFromInline
    func child(height: Int) -> (branch: Child.Branch, index: Int)? {
        height < path.count ? path[path.count - 1 - height] : nil
    }

    /// Moves to the first element after the subtree of a height.
    @usableFromInline
    mutating func leaveSubtree(height: Int) {
        path.removeLast(height)
        leaf = nil
        var height = height
        while let (branch, index) = path.popLast() {
            if index + 1 < branch.count {
                path.append((branch, index + 1))
                descend(branch.items[index + 1], height: height)
                return
            }
            height += 1
        }
    }

    /// Moves to the first element of a subtree.
    @usableFromInline
    mutating func descend(_ child: Child, height: Int) {
        var child = child
        for _ in 0..<height {
            path.append((child.branch, 0))
            child = child.branch.items[0]
        }
        leaf = child.leaf
        index = 0
    }

    /// Returns the step of the element at an index in a leaf, which is the cursor's.
    @usableFromInline
    func step(at index: Int, in leaf: Child.Leaf, _ order: Order) -> Step {
        Step(offset: offset + index - self.index, id: order.id(of: leaf.items[index]))
    }

    /// Appends the steps of all remaining elements.
    @usableFromInline
    mutating func appendRest(to steps: inout [Step], _ order: Order) {
        while let leaf {
            for index in index..<leaf.count {
                steps.append(step(at: index, in: leaf, order))
            }
            move(to: leaf.count)
        }
    }
}
