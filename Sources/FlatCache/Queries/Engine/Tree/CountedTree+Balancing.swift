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

extension CountedTree {
    /// Applies a single edit to a leaf that no other tree shares.
    ///
    /// - Returns: `false` if the leaf has no room.
    @usableFromInline
    func editInPlace(_ leaf: Child.Leaf, _ edits: TreeEdits<Element>) -> Bool {
        if edits.removals.count > 0 {
            let removed = edits.removals[0]
            let index = index(of: removed, in: leaf)
            if contains(removed, at: index, in: leaf) { leaf.remove(at: index) }
        } else {
            let inserted = edits.insertions[0]
            if !order.isPlain(inserted) { leaf.references = .any }
            let index = index(of: inserted, in: leaf)
            if contains(inserted, at: index, in: leaf) {
                leaf.items[index] = inserted
            } else if leaf.count < leaf.itemCapacity {
                leaf.insert(inserted, at: index)
            } else {
                return false
            }
        }
        return true
    }

    /// Returns a new leaf with the elements of a leaf after edits.
    ///
    /// The new leaf may be too full.
    ///
    /// - Parameter isUnique: `true` if the leaf can be emptied, because no other tree shares it.
    @usableFromInline
    func merge(_ leaf: Child.Leaf, isUnique: Bool, _ edits: TreeEdits<Element>) -> Child.Leaf {
        let (elements, count) = (leaf.items, leaf.count)
        let result = Child.Leaf.make(
            capacity: Child.Leaf.capacity(
                for: count + edits.insertions.count,
                limit: Order.leafCapacity
            ),
            leaf.references == .none ? references(of: edits.insertions) : .any
        )
        if isUnique { leaf.count = 0 }
        /// The number of elements that have been merged or removed.
        var merged = 0
        func append(upTo index: Int) {
            if isUnique {
                result.append(moving: elements + merged, count: index - merged)
            } else {
                result.append(copying: elements + merged, count: index - merged)
            }
            merged = index
        }
        var (removal, insertion) = (0, 0)
        while removal < edits.removals.count || insertion < edits.insertions.count {
            // If an element is removed and inserted, either edit can be the first.
            let isInsertion =
                insertion < edits.insertions.count
                && (removal == edits.removals.count
                    || order.precedes(edits.insertions[insertion], edits.removals[removal]))
            let edit = isInsertion ? edits.insertions[insertion] : edits.removals[removal]
            let index = leaf.firstIndex(from: merged, to: count) { !order.precedes($0, edit) }
            append(upTo: index)
            if index < count, !order.precedes(edit, elements[index]) {
                if isUnique { (elements + index).deinitialize(count: 1) }
                merged += 1
            }
            if isInsertion {
                result.append(edit)
                insertion += 1
            } else {
                removal += 1
            }
        }
        append(upTo: count)
        return result
    }

    /// Returns the index of the first element of a leaf that doesn't precede another element.
    @usableFromInline
    func index(of element: Element, in leaf: Child.Leaf) -> Int {
        leaf.firstIndex(from: 0, to: leaf.count) { !order.precedes($0, element) }
    }

    @usableFromInline
    func references(of elements: UnsafeBufferPointer<Element>) -> TreeNodeHeader.References {
        for index in 0..<elements.count where !order.isPlain(elements[index]) { return .any }
        return .none
    }

    @usableFromInline
    func contains(_ element: Element, at index: Int, in leaf: Child.Leaf) -> Bool {
        index < leaf.count && !order.precedes(element, leaf.items[index])
    }
}

/// The numbers of items of the nodes over which items are distributed evenly.
@usableFromInline
struct TreeNodeSizes: RandomAccessCollection {
    @usableFromInline let total: Int
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
