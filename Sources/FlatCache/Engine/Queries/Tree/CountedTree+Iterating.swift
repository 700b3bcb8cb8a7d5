extension CountedTree {
    /// An iterator over the elements in a range of offsets, which searches once for each leaf.
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
