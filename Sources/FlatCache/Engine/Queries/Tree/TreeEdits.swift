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

    // These methods call no generic methods of collections, which are slow where they aren't
    // specialized.

    /// Returns a Boolean value that indicates whether a condition holds for the first edit.
    ///
    /// As in the other methods, the condition holds for all elements before a certain one.
    @usableFromInline
    func firstSatisfies(_ condition: (Element) -> Bool) -> Bool {
        if removals.count > 0, condition(removals[0]) { return true }
        return insertions.count > 0 && condition(insertions[0])
    }

    /// Removes and returns the edits for which a condition holds.
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
