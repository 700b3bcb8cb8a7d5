/// A set that grows and shrinks in small steps.
///
/// A plain value without locks or callbacks.
@usableFromInline
struct ChunkedSet<Element: Hashable> {
    private var elements: ChunkedDictionary<Element, Void>

    /// Creates an empty set.
    ///
    /// - Parameter chunkSize: The least size of a full chunk in bytes; see ``GrowthStep``.
    init(chunkSize: Int = GrowthStep.chunkSize) {
        elements = ChunkedDictionary(chunkSize: chunkSize)
    }

    @usableFromInline var isEmpty: Bool { elements.isEmpty }

    var count: Int { elements.count }

    func contains(_ element: Element) -> Bool { elements[element] != nil }

    /// Returns the element at a position below the count; an insertion or a removal may change all
    /// positions.
    func element(at position: Int) -> Element { elements.key(at: position) }

    @usableFromInline
    mutating func insert(_ element: Element) { elements[element] = () }

    /// Removes an element; returns whether it was in the set.
    ///
    /// The last element takes the position of the removed one.
    @discardableResult
    @usableFromInline
    mutating func remove(_ element: Element) -> Bool {
        elements.removeValue(forKey: element) != nil
    }
}
