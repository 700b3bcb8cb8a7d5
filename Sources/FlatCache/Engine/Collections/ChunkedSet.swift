/// A set that grows and shrinks in small steps.
///
/// Its elements are in no particular order, and an insertion or a removal may change all positions.
/// A plain value without locks or callbacks.
@usableFromInline
package struct ChunkedSet<Element: Hashable> {
    private var elements: ChunkedDictionary<Element, Void>

    /// Creates an empty set.
    ///
    /// - Parameter chunkSize: The least size of a full chunk in bytes; see ``GrowthStep``.
    init(chunkSize: Int = GrowthStep.chunkSize) {
        elements = ChunkedDictionary(chunkSize: chunkSize)
    }

    /// Creates a set with the elements of a sequence.
    package init(_ elements: some Sequence<Element>) {
        self.init()
        formUnion(elements)
    }

    @usableFromInline package var isEmpty: Bool { elements.isEmpty }

    @usableFromInline package var count: Int { elements.count }

    package func contains(_ element: Element) -> Bool { elements[element] != nil }

    @usableFromInline
    package mutating func insert(_ element: Element) { elements[element] = () }

    /// Removes an element; returns whether it was in the set.
    ///
    /// The last element takes the position of the removed one.
    @discardableResult
    @usableFromInline
    mutating func remove(_ element: Element) -> Bool {
        elements.removeValue(forKey: element) != nil
    }

    /// Inserts the elements of a sequence.
    package mutating func formUnion(_ other: some Sequence<Element>) {
        for element in other { insert(element) }
    }
}

extension ChunkedSet: RandomAccessCollection {
    @usableFromInline package var startIndex: Int { 0 }

    @usableFromInline package var endIndex: Int { count }

    @usableFromInline
    package subscript(position: Int) -> Element { elements.key(at: position) }
}

extension ChunkedSet: Sendable where Element: Sendable {}
