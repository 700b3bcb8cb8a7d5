extension CountedTree {
    @usableFromInline typealias Difference = TreeDifference<Order.ID>

    /// Returns the difference from an earlier version, from the edits that led from it to this
    /// version.
    ///
    /// Each identifier must belong to one element at most. An edit that replaces an element with
    /// another one at the same place in the order must be in both lists.
    ///
    /// - Parameters:
    ///   - removals: The removed elements, in order.
    ///   - insertions: The inserted elements, in order.
    /// - Complexity: O(*k* log *n*) for *k* edits.
    @usableFromInline
    func difference(
        from old: CountedTree,
        removing removals: [Element],
        inserting insertions: [Element]
    ) -> Difference {
        Difference(removals: old.steps(to: removals), insertions: steps(to: insertions))
    }

    @usableFromInline
    func steps(to elements: [Element]) -> [Difference.Step] {
        elements.compactMap { element in
            offset(of: element).map { Difference.Step(offset: $0, id: order.id(of: element)) }
        }
    }

    /// Returns the difference from another version, found by comparing the nodes.
    ///
    /// The method doesn't find elements that were replaced with others at the same place in the
    /// order.
    ///
    /// - Complexity: O(*k* log *n*) if the versions differ by *k* edits, because it skips the nodes
    ///   that they share.
    @usableFromInline
    func difference(from old: CountedTree) -> Difference {
        var removals: [Difference.Step] = []
        var insertions: [Difference.Step] = []
        var (oldCursor, newCursor) = (TreeCursor(old), TreeCursor(self))
        while let oldLeaf = oldCursor.leaf, let newLeaf = newCursor.leaf {
            if oldCursor.skipSharedSubtree(with: &newCursor) { continue }
            var (oldIndex, newIndex) = (oldCursor.index, newCursor.index)
            while oldIndex < oldLeaf.count, newIndex < newLeaf.count {
                let (removed, inserted) = (oldLeaf.items + oldIndex, newLeaf.items + newIndex)
                if order.precedes(removed.pointee, inserted.pointee) {
                    removals.append(oldCursor.step(at: oldIndex, in: oldLeaf, order))
                    oldIndex += 1
                } else if order.precedes(inserted.pointee, removed.pointee) {
                    insertions.append(newCursor.step(at: newIndex, in: newLeaf, order))
                    newIndex += 1
                } else {
                    oldIndex += 1
                    newIndex += 1
                }
            }
            oldCursor.move(to: oldIndex)
            newCursor.move(to: newIndex)
        }
        oldCursor.appendRest(to: &removals, order)
        newCursor.appendRest(to: &insertions, order)
        return Difference(removals: removals, insertions: insertions)
    }

    /// Returns the part of a difference from an earlier version that a window shows, as `shown` of
    /// the difference does.
    ///
    /// - Parameters:
    ///   - difference: The difference of the whole trees.
    ///   - old: The earlier version.
    ///   - oldRange: The offsets in the window in the earlier version.
    ///   - newRange: The offsets in the window in this version.
    /// - Complexity: O(*k* log *n*) in the number of steps of both differences.
    @usableFromInline
    func shownPart(
        of difference: Difference,
        from old: CountedTree,
        in oldRange: Range<Int>,
        to newRange: Range<Int>
    ) -> Difference {
        difference.shown(
            from: oldRange,
            to: newRange,
            oldID: { old.order.id(of: old[$0]) },
            newID: { order.id(of: self[$0]) }
        )
    }
}
