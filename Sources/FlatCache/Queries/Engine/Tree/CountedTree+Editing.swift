extension CountedTree {
    /// Inserts an element, or replaces the element at its place in the order.
    ///
    /// - Complexity: O(log *n*).
    @usableFromInline
    mutating func insert(_ element: Element) {
        withUnsafePointer(to: element) { element in
            edit(TreeEdits(insertions: UnsafeBufferPointer(start: element, count: 1)))
        }
    }

    /// Removes an element if the tree contains it.
    ///
    /// - Complexity: O(log *n*).
    @usableFromInline
    mutating func remove(_ element: Element) {
        withUnsafePointer(to: element) { element in
            edit(TreeEdits(removals: UnsafeBufferPointer(start: element, count: 1)))
        }
    }

    /// Removes elements and then inserts others.
    ///
    /// Both must be in order and distinct. The method ignores elements to remove that the tree
    /// doesn't contain. Inserted elements replace the ones at their places in the order.
    ///
    /// - Complexity: O(*k* log *n*) for *k* edits, and O(*k* + *n*) for many.
    @usableFromInline
    mutating func edit(removing removals: [Element] = [], inserting insertions: [Element] = []) {
        assert(isInOrder(removals) && isInOrder(insertions), "Edits of a tree must be in order.")
        removals.withUnsafeBufferPointer { removals in
            insertions.withUnsafeBufferPointer { insertions in
                edit(TreeEdits(removals: removals, insertions: insertions))
            }
        }
    }

    @usableFromInline
    func isInOrder(_ elements: [Element]) -> Bool {
        zip(elements, elements.dropFirst()).allSatisfy { order.precedes($0, $1) }
    }

    @usableFromInline
    mutating func edit(_ edits: TreeEdits<Element>) {
        guard edits.count > 0 else { return }
        var children: [Child] = []
        if var child = root {
            // Gives up the reference of the property, so that `child` has the only one.
            root = nil
            edit(&child, edits, height: height, siblings: &children)
            guard !children.isEmpty else {
                root = child
                removeUpperLevels()
                return
            }
            children.insert(child, at: 0)
        } else if let first = edits.insertions.baseAddress {
            let count = edits.insertions.count
            let leaf = Child.Leaf.make(
                capacity: Child.Leaf.capacity(for: count, limit: Order.leafCapacity),
                .any
            )
            leaf.append(copying: first, count: count)
            children = leaves(of: leaf)
        }
        while children.count > 1 {
            height += 1
            children = branches(of: children)
        }
        root = children.first
    }

    /// Removes the root as long as it's empty or has only one child.
    @usableFromInline
    mutating func removeUpperLevels() {
        if count == 0 {
            root = nil
            height = 0
        }
        while height > 0, let child = root, child.branch.count == 1 {
            root = child.branch.items[0]
            height -= 1
        }
    }

    /// Edits a subtree.
    ///
    /// The root of the subtree may have too few items afterwards. If it has too many, it's divided.
    ///
    /// - Parameter siblings: The subtrees of the same height that follow. The method appends the
    ///   parts of a divided subtree.
    @usableFromInline
    func edit(
        _ child: inout Child,
        _ edits: TreeEdits<Element>,
        height: Int,
        siblings: inout [Child]
    ) {
        if height == 0 {
            editLeaf(&child, edits, siblings: &siblings)
        } else {
            editBranch(&child, edits, height: height, siblings: &siblings)
        }
    }

    @usableFromInline
    func editBranch(
        _ child: inout Child,
        _ edits: TreeEdits<Element>,
        height: Int,
        siblings: inout [Child]
    ) {
        if !child.isUnshared() {
            let shared = child.branch
            let copy = Child.Branch.make(capacity: Order.branchCapacity, shared.references)
            copy.append(copying: shared.items, count: shared.count)
            child.node = copy
        }
        let branch = child.branch
        let children = branch.items
        var isBalanced = true
        var added: [(index: Int, children: [Child])] = []
        var index = 0
        var rest = edits
        while rest.count > 0 {
            index = self.index(ofChildFor: rest, in: branch, from: index)
            let part = removePrefix(of: &rest, forChild: index, in: branch)
            var new: [Child] = []
            child.count -= children[index].count
            edit(&children[index], part, height: height - 1, siblings: &new)
            child.count += children[index].count
            if isUnderfull(children[index], height: height - 1) { isBalanced = false }
            if !refersOnlyToNode(children[index]) { branch.references = .any }
            if !new.isEmpty { added.append((index, new)) }
            index += 1
        }
        if isBalanced, added.isEmpty {
            child.first = children[0].first
            child.summary = summary(of: branch)
            return
        }
        var parts = branch.takeItems()
        for (index, new) in added.reversed() {
            parts.insert(contentsOf: new, at: index + 1)
        }
        combineUnderfull(&parts, height: height - 1)
        replace(&child, with: branches(of: parts), siblings: &siblings)
    }

    /// Returns the index of the child that contains, or would contain, the first edited element.
    @usableFromInline
    func index(
        ofChildFor edits: TreeEdits<Element>,
        in branch: Child.Branch,
        from lower: Int
    ) -> Int {
        branch.firstIndex(from: lower + 1, to: branch.count) { child in
            edits.firstSatisfies { order.precedes($0, child.first) }
        } - 1
    }

    @usableFromInline
    func removePrefix(
        of edits: inout TreeEdits<Element>,
        forChild index: Int,
        in branch: Child.Branch
    ) -> TreeEdits<Element> {
        guard index + 1 < branch.count else {
            defer { edits = TreeEdits() }
            return edits
        }
        let next = branch.items + index + 1
        return edits.removePrefix { order.precedes($0, next.pointee.first) }
    }

    /// Replaces a subtree by the parts into which it has been divided, or marks it as empty if
    /// there are none.
    @usableFromInline
    func replace(_ child: inout Child, with parts: [Child], siblings: inout [Child]) {
        if let first = parts.first {
            child = first
            siblings += parts.dropFirst()
        } else {
            child.count = 0
        }
    }

    @usableFromInline
    func editLeaf(_ child: inout Child, _ edits: TreeEdits<Element>, siblings: inout [Child]) {
        let isUnique = child.isUnshared()
        var leaf = child.leaf
        if !isUnique || edits.count > 1 || !editInPlace(leaf, edits) {
            leaf = merge(leaf, isUnique: isUnique, edits)
        }
        if 1...Order.leafCapacity ~= leaf.count {
            child = subtree(of: leaf)
        } else {
            replace(&child, with: leaves(of: leaf), siblings: &siblings)
        }
    }
}

/// The elements to remove from a subtree and to insert into it, both in order.
@usableFromInline
struct TreeEdits<Element> {
    @usableFromInline typealias Elements = UnsafeBufferPointer<Element>

    // The memory is valid during the call that edits the tree.

    @usableFromInline var removals: Elements
    @usableFromInline var insertions: Elements

    @usableFromInline
    init(
        removals: Elements = Elements(start: nil, count: 0),
        insertions: Elements = Elements(start: nil, count: 0)
    ) {
        self.removals = removals
        self.insertions = insertions
    }

    @usableFromInline var count: Int { removals.count + insertions.count }

    // These methods call no generic methods of collections. Those are slow where they aren't
    // specialized.

    /// Returns a Boolean value that indicates whether a condition holds for the first edit.
    ///
    /// As in the other methods, the condition holds for all elements before a certain one.
    @usableFromInline
    func firstSatisfies(_ condition: (Element) -> Bool) -> Bool {
        if removals.count > 0, condition(removals[0]) { return true }
        return insertions.count > 0 && condition(insertions[0])
    }

    @usableFromInline
    mutating func removePrefix(while condition: (Element) -> Bool) -> TreeEdits {
        TreeEdits(
            removals: Self.removePrefix(of: &removals, while: condition),
            insertions: Self.removePrefix(of: &insertions, while: condition)
        )
    }

    @usableFromInline
    static func removePrefix(
        of elements: inout Elements,
        while condition: (Element) -> Bool
    ) -> Elements {
        // Often a subtree has all of the edits, or none.
        let count = elements.count
        if count == 0 || condition(elements[count - 1]) {
            defer { elements = Elements(start: nil, count: 0) }
            return elements
        }
        var (lower, upper) = (0, count - 1)
        if !condition(elements[0]) { upper = 0 }
        while lower < upper {
            let middle = (lower &+ upper) &>> 1
            if condition(elements[middle]) { lower = middle &+ 1 } else { upper = middle }
        }
        defer {
            elements = Elements(
                start: elements.baseAddress.map { $0 + lower },
                count: count - lower
            )
        }
        return Elements(start: elements.baseAddress, count: lower)
    }
}
