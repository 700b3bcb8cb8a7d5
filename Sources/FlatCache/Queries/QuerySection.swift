/// The consecutive elements of a query that have equal keys.
public struct QuerySection<Key: Hashable & Sendable, Element: Identifiable & Sendable>: Sendable {
    /// The key, or `nil` for the elements without a key.
    public let key: Key?
    /// The elements, in the order of the query.
    public internal(set) var elements: [Element]
}

extension QuerySection: Identifiable {
    /// The key, by which a view identifies the section.
    public var id: Key? { key }
}

extension QuerySection: Equatable where Element: Equatable {}
