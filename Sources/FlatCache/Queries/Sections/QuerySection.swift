/// The consecutive elements of a query, or rows that a closure computes, that have equal keys.
///
/// ```swift
/// let decades = cache.query(Book.self).sections(by: { $0.year.map { $0 / 10 * 10 } })
/// for decade in decades.value {
///     print(decade.key.map { "\($0)s" } ?? "unknown", decade.elements.map(\.title))
/// }
/// ```
public struct QuerySection<Key: Hashable & Sendable, Element: Sendable>: Sendable {
    /// The key, or `nil` for the elements without a key.
    public let key: Key?
    /// The elements or rows, in the order of the query.
    public internal(set) var elements: [Element]
}

extension QuerySection: Identifiable {
    /// The key, by which a view identifies the section.
    public var id: Key? { key }
}

extension QuerySection: Equatable where Element: Equatable {}
