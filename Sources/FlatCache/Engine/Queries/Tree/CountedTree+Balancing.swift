extension CountedTree {
    /// Divides a leaf that may be too full, or empty, into subtrees.
    @usableFromInline
    func leaves(of leaf: Child.Leaf) -> [Child] {
        guard leaf.count > 0 else { return [] }
        return leaf.divided(capacity: Order.leafCapacity).map { leaf in
            let elements = UnsafeBufferPointer(start: leaf.items, count: leaf.count)
            leaf.references = references(of: elements)
            return subtree(of: leaf)
        }
    }

    @usableFromInline
    func subtree(of leaf: Child.Leaf) -> Child {
        Child(node: leaf, count: leaf.count, first: leaf.items[0], summary: summary(of: leaf))
    }

    /// Distributes subtrees of the same height over as many branches as needed.
    @usableFromInline
    func branches(of children: [Child]) -> [Child] {
        guard !children.isEmpty else { return [] }
        var rest = children[...]
        return TreeNodeSizes(of: children.count, capacity: Order.branchCapacity).map { size in
            let branch = Child.Branch.make(capacity: Order.branchCapacity, .nodes)
            for child in rest.prefix(size) {
                branch.append(child)
                if !refersOnlyToNode(child) { branch.references = .any }
            }
            defer { rest = rest.dropFirst(size) }
            return Child(
                node: branch,
                count: rest.prefix(size).reduce(0) { $0 + $1.count },
                first: rest[rest.startIndex].first,
                summary: summary(of: branch)
            )
        }
    }

    /// Returns whether a child refers to no object besides its node.
    @usableFromInline
    func refersOnlyToNode(_ child: Child) -> Bool {
        MemoryLayout<Order.Summary>.isPlain && order.isPlain(child.first)
    }

    @usableFromInline
    func isUnderfull(_ child: Child, height: Int) -> Bool {
        let capacity = height == 0 ? Order.leafCapacity : Order.branchCapacity
        return child.itemCount(height: height) < TreeNodeSizes.minimum(capacity: capacity)
    }

    /// Removes empty subtrees and combines subtrees whose root has too few items with a neighbor.
    ///
    /// If only one subtree is left, its root may still have too few items.
    @usableFromInline
    func combineUnderfull(_ children: inout [Child], height: Int) {
        guard children.contains(where: { isUnderfull($0, height: height) }) else { return }
        let parts = children
        children = []
        for part in parts where part.count > 0 {
            // All subtrees before the last one have enough items.
            guard let last = children.last,
                isUnderfull(last, height: height) || isUnderfull(part, height: height)
            else {
                children.append(part)
                continue
            }
            children.removeLast()
            children += combine(last, part, height: height)
        }
    }

    /// Combines two adjacent subtrees into one, or distributes their items evenly over two.
    @usableFromInline
    func combine(_ first: Child, _ second: Child, height: Int) -> [Child] {
        guard height > 0 else {
            let leaf = Child.Leaf.make(
                capacity: Child.Leaf.capacity(
                    for: first.count + second.count,
                    limit: Order.leafCapacity
                ),
                .any
            )
            leaf.append(copying: first.leaf.items, count: first.count)
            leaf.append(copying: second.leaf.items, count: second.count)
            return leaves(of: leaf)
        }
        var children = first.branch.copyOfItems() + second.branch.copyOfItems()
        combineUnderfull(&children, height: height - 1)
        return branches(of: children)
    }

    @usableFromInline
    func summary(of leaf: Child.Leaf) -> Order.Summary {
        var summary = order.emptySummary
        guard Order.isSummarizing else { return summary }
        for index in 0..<leaf.count {
            summary = order.combine(summary, order.summary(of: leaf.items[index]))
        }
        return summary
    }

    @usableFromInline
    func summary(of branch: Child.Branch) -> Order.Summary {
        var summary = order.emptySummary
        guard Order.isSummarizing else { return summary }
        for index in 0..<branch.count {
            summary = order.combine(summary, branch.items[index].summary)
        }
        return summary
    }
}
