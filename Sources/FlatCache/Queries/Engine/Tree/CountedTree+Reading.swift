extension CountedTree {
    /// Returns the offset of the first element for which a condition holds, or the number of
    /// elements if there is none.
    ///
    /// The condition must hold for all elements after that one. Conditions on a part of the
    /// element, such as its key, find the bounds of a range of keys.
    ///
    /// - Complexity: O(log *n*).
    @usableFromInline
    func firstOffset(where condition: (Element) -> Bool) -> Int {
        guard let root else { return 0 }
        var node = root.node
        var offset = 0
        for _ in 0..<height {
            let branch = unsafeDowncast(node, to: Child.Branch.self)
            // The element is in the child before the first one that begins with such an element, or
            // is that child's first.
            let next = branch.firstIndex(from: 1, to: branch.count) { condition($0.first) }
            let children = branch.items
            for index in 0..<(next - 1) { offset += children[index].count }
            node = children[next - 1].node
        }
        let leaf = unsafeDowncast(node, to: Child.Leaf.self)
        return offset + leaf.firstIndex(from: 0, to: leaf.count, where: condition)
    }

    /// Returns the offset of the first element that doesn't precede another element.
    ///
    /// - Complexity: O(log *n*).
    @usableFromInline
    func lowerBound(of element: Element) -> Int {
        firstOffset { !order.precedes($0, element) }
    }

    /// Returns the offset of the first element that another element precedes.
    ///
    /// - Complexity: O(log *n*).
    @usableFromInline
    func upperBound(of element: Element) -> Int {
        firstOffset { order.precedes(element, $0) }
    }

    /// Returns the offset of an element, or `nil` if the tree doesn't contain it.
    ///
    /// - Complexity: O(log *n*).
    @usableFromInline
    func offset(of element: Element) -> Int? {
        let offset = lowerBound(of: element)
        guard offset < count, !order.precedes(element, self[offset]) else { return nil }
        return offset
    }

    /// Combines the summaries of the elements in a range of offsets.
    ///
    /// - Complexity: O(log *n*).
    @usableFromInline
    func summary(of range: Range<Int>) -> Order.Summary {
        precondition(
            range.lowerBound >= 0 && range.upperBound <= count,
            "The range must be in the tree."
        )
        guard let root, !range.isEmpty else { return order.emptySummary }
        return summary(of: range, in: root, height: height)
    }

    @usableFromInline
    func summary(of range: Range<Int>, in child: Child, height: Int) -> Order.Summary {
        if range.count == child.count { return child.summary }
        var summary = order.emptySummary
        guard height > 0 else {
            for index in range {
                summary = order.combine(summary, order.summary(of: child.leaf.items[index]))
            }
            return summary
        }
        let branch = child.branch
        var start = 0
        for index in 0..<branch.count {
            let part = branch.items[index]
            let inside = range.clamped(to: start..<start + part.count)
            if !inside.isEmpty {
                let places = inside.lowerBound - start..<inside.upperBound - start
                let combined = self.summary(of: places, in: part, height: height - 1)
                summary = order.combine(summary, combined)
            }
            start += part.count
        }
        return summary
    }
}

extension CountedTree {
    /// An iterator over the elements in a range of offsets that searches once for each leaf.
    @usableFromInline
    struct Iterator: IteratorProtocol {
        @usableFromInline let tree: CountedTree
        /// The offset of the next element.
        @usableFromInline var offset: Int
        @usableFromInline let end: Int
        @usableFromInline var leaf: Child.Leaf?
        /// The index of the next element in the leaf.
        @usableFromInline var index = 0

        @usableFromInline
        init(_ tree: CountedTree, range: Range<Int>) {
            self.tree = tree
            offset = range.lowerBound
            end = range.upperBound
        }

        @usableFromInline
        mutating func next() -> Element? {
            guard offset < end else { return nil }
            if let leaf, index < leaf.count {
                defer { advance() }
                return leaf.items[index]
            }
            let place = tree.leaf(at: offset)
            leaf = place.leaf
            index = place.index
            defer { advance() }
            return place.leaf.items[index]
        }

        @usableFromInline
        mutating func advance() {
            offset += 1
            index += 1
        }
    }

    @usableFromInline
    func makeIterator() -> Iterator { Iterator(self, range: 0..<count) }

    /// Returns the elements in a range of offsets.
    ///
    /// - Complexity: O(log *n*), and O(1) for each element of the result.
    @usableFromInline
    func elements(in range: Range<Int>) -> IteratorSequence<Iterator> {
        precondition(
            range.lowerBound >= 0 && range.upperBound <= count,
            "The range must be in the tree."
        )
        return IteratorSequence(Iterator(self, range: range))
    }
}

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

    /// Moves to another index in the leaf, or to its end.
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

    /// Returns the step of the element at an index in the cursor's leaf.
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
