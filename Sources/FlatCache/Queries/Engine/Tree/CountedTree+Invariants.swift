extension CountedTree {
    /// Traps unless the elements are in order, the nodes have enough and not too many items, and
    /// the counts, first elements and summaries agree with the elements.
    ///
    /// For tests.
    ///
    /// - Complexity: O(*n*).
    func checkInvariants(isEqual: (Order.Summary, Order.Summary) -> Bool) {
        guard let root else {
            precondition(height == 0, "An empty tree must have no branches.")
            return
        }
        if height > 0 { precondition(root.branch.count > 1, "A root must have children.") }
        precondition(root.count > 0, "A root must have elements.")
        checkInvariants(of: root, height: height, isEqual: isEqual)
        let elements = Array(self)
        precondition(elements.count == count, "The count must be that of the elements.")
        precondition(isInOrder(elements), "The elements must be in order.")
    }

    private func checkInvariants(
        of child: Child,
        height: Int,
        isEqual: (Order.Summary, Order.Summary) -> Bool
    ) {
        let isRoot = height == self.height
        precondition(isRoot || !isUnderfull(child, height: height), "Nodes must not be sparse.")
        guard height > 0 else {
            let leaf = child.leaf
            precondition(leaf.count == child.count, "A branch must count its leaf.")
            precondition(leaf.count <= leaf.itemCapacity, "A leaf must have room.")
            precondition(isFirst(child.first, leaf.items[0]), "The first element must agree.")
            precondition(isEqual(child.summary, summary(of: leaf)), "A summary must agree.")
            precondition(
                leaf.references == .any || leaf.copyOfItems().allSatisfy(order.isPlain),
                "A leaf must know that its elements refer to objects."
            )
            return
        }
        let branch = child.branch
        precondition(branch.count <= Order.branchCapacity, "A branch must have room.")
        let children = branch.copyOfItems()
        precondition(
            branch.references == .any || children.allSatisfy { refersOnlyToNode($0) },
            "A branch must know that its children refer to other objects than nodes."
        )
        precondition(children.reduce(0) { $0 + $1.count } == child.count, "A branch must count.")
        precondition(isFirst(child.first, children[0].first), "The first element must agree.")
        precondition(isEqual(child.summary, summary(of: branch)), "A summary must agree.")
        for child in children { checkInvariants(of: child, height: height - 1, isEqual: isEqual) }
    }

    private func isFirst(_ known: Element, _ first: Element) -> Bool {
        !order.precedes(known, first) && !order.precedes(first, known)
    }
}
