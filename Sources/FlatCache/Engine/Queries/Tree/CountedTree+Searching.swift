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
