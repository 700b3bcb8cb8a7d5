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

    /// Returns a new leaf, which may be too full, with the elements of a leaf after edits.
    ///
    /// - Parameter isUnique: A Boolean value that indicates whether the leaf can be emptied,
    ///   because no other tree shares it.
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

    /// Returns the references of elements.
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
