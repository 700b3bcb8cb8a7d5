/// The elements of an array that could be decoded, and the problems of the others.
///
/// One malformed element makes a plain array fail as a whole. `ValidElements` drops it instead:
///
/// <!-- prelude: ingesting -->
/// ```swift
/// struct Page: Decodable {
///     var items: ValidElements<Related<Book>>
/// }
///
/// let page = try cache.ingest { try decoder.decode(Page.self, from: data) }
/// for problem in page.items.problems { print(problem) }
/// ```
///
/// An entity that is embedded in a dropped element isn't stored.
public struct ValidElements<Element> {
    private let elements: [Element]
    /// The problems of the dropped elements, in the order of the elements.
    public let problems: [Problem]

    /// Creates a collection without problems.
    ///
    /// - Parameter elements: The elements.
    public init(_ elements: some Sequence<Element>) {
        self.elements = Array(elements)
        problems = []
    }
}

extension ValidElements {
    /// The reason for which an element was dropped.
    public struct Problem: Sendable, CustomStringConvertible {
        /// The index of the element in the decoded array.
        public let index: Int
        /// The path of the element in the document.
        public let codingPath: [any CodingKey]
        /// The error of the attempt to decode the element.
        public let error: any Error

        /// The path of the element, unless the error's description contains it, and the error.
        public var description: String {
            let isDescribed = (error as? DecodingError)?.context?.codingPath.isEmpty == false
            return isDescribed ? "\(error)" : "\(codingPath.path): \(error)"
        }
    }
}

extension ValidElements: Equatable where Element: Equatable {
    /// Returns a Boolean value that indicates whether two collections have the same elements.
    ///
    /// Problems aren't compared: an entity doesn't change if its next response has another
    /// malformed element.
    public static func == (left: Self, right: Self) -> Bool { left.elements == right.elements }
}

extension ValidElements: Sendable where Element: Sendable {}

extension ValidElements: RandomAccessCollection {
    /// The position of the first element: zero.
    public var startIndex: Int { elements.startIndex }

    /// The number of elements.
    public var endIndex: Int { elements.endIndex }

    /// The element at a position.
    ///
    /// - Parameter position: A position among the valid elements.
    public subscript(position: Int) -> Element { elements[position] }
}

extension ValidElements: Decodable where Element: Decodable {
    /// Decodes an array.
    ///
    /// - Parameter decoder: The decoder to read from.
    /// - Throws: An error if the data isn't an array, or ends within an element.
    public init(from decoder: any Decoder) throws {
        let ingestion = Ingestion.current(for: decoder)
        var container = try decoder.unkeyedContainer()
        var elements: [Element] = []
        var problems: [Problem] = []
        while !container.isAtEnd {
            let index = container.currentIndex
            let savepoint = ingestion?.state.withLock { $0.savepoint }
            do {
                elements.append(try container.decode(Element.self))
            } catch {
                if let ingestion, let savepoint {
                    _ = ingestion.state.withLock { $0.rollBack(to: savepoint) }
                }
                // A container remains at an element that it couldn't decode. Decoding a type that
                // reads nothing moves it to the next element.
                if container.currentIndex == index { _ = try container.decode(SkippedValue.self) }
                guard container.currentIndex > index else { throw error }
                problems.append(
                    Problem(
                        index: index,
                        codingPath: decoder.codingPath + [AnyCodingKey(intValue: index)],
                        error: error
                    )
                )
            }
        }
        self.elements = elements
        self.problems = problems
    }

    private struct SkippedValue: Decodable {
        init(from decoder: any Decoder) {}
    }
}

extension ValidElements: Encodable where Element: Encodable {
    /// Encodes the elements as an array.
    ///
    /// - Parameter encoder: The encoder to write to.
    /// - Throws: An error if an element can't be encoded.
    public func encode(to encoder: any Encoder) throws {
        try elements.encode(to: encoder)
    }
}

extension ValidElements: EntityContainer {
    static var elementType: Any.Type { Element.self }
    func collectEntities(in ingestion: Ingestion) { elements.collectEntities(in: ingestion) }
}

extension ValidElements: CachedReference where Element: CachedReference {
    /// Inserts the keys of the valid elements.
    ///
    /// - Parameter keys: The set of the keys.
    /// - Complexity: O(*n*) in the number of elements.
    public func insertCacheKeys(into keys: inout Set<CacheKey>) {
        for element in self { element.insertCacheKeys(into: &keys) }
    }
}
