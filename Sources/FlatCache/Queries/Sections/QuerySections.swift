/// The elements of a query, or rows that a closure computes from them, in sections of equal keys.
///
/// ```swift
/// let years = cache.query(Book.self).sorted(by: \.title).sections(by: \.year)
/// print(years.keys, years[1968].map(\.title))
///
/// let observation = years.observeChanges { change in
///     print(change.difference.count, change.sections.map(\.index))
/// }
/// ```
///
/// The ``CachedProjection/value`` consists of all sections, in the order of their keys. A section
/// has at least one row. Elements without a key, or with a key such as NaN that doesn't equal
/// itself, are in the last section, whose key is `nil`.
///
/// The rows of `sections(by:_:)` are the elements themselves, so the type of `years` above is
/// `QuerySections<Int, Book, Book>`. ``map(_:)-((Element,QueryReader)->Output)`` replaces them.
public final class QuerySections<
    Key: Hashable & Comparable & Sendable,
    Element: Identifiable & Sendable,
    Row: Sendable
>:
    CachedProjection<[QuerySection<Key, Row>], QuerySectionsChange<Key, Element, Row>>,
    @unchecked Sendable
where Element.ID: Sendable {
    // The properties are constant and `Sendable`.

    private let projection: LiveProjection<Element, SectionMember<Key, Row>, State>
    private let source: SectionSource<Key, Element>

    fileprivate init(
        _ projection: LiveProjection<Element, SectionMember<Key, Row>, State>,
        _ source: SectionSource<Key, Element>
    ) {
        self.projection = projection
        self.source = source
        super.init(projection) { delivery, receive in
            projection.live.observeChanges(in: projection.core, delivery: delivery) {
                receive(QuerySectionsChange($0, source.direction, version: $1))
            }
        }
    }

    /// The keys of the sections, in their order.
    ///
    /// - Complexity: O(*s* log *n*) for *s* sections and *n* rows, if the sections are current.
    ///   Otherwise, the query runs.
    public var keys: [Key?] {
        projection.live.read(in: projection.core) { SectionTable($0.rows, $0.shown).keys } ?? []
    }

    /// The rows of a section, in the order of the query.
    ///
    /// - Parameter key: The key of the section. If there is no such section, the result is empty.
    /// - Complexity: O(log *n* + *k*) for *k* of *n* rows, if the sections are current. Otherwise,
    ///   the query runs.
    public subscript(key: Key?) -> [Row] {
        projection.live.read(in: projection.core) { result in
            let positions = result.rows.positions(ofSection: key, source.direction)
            return result.rows.sectionRows(in: positions.clamped(to: result.shown))
        } ?? []
    }
}

extension QuerySections where Row == Element {
    /// Returns the sections with a row that a closure computes in place of each element.
    ///
    /// ```swift
    /// let years = cache.query(Book.self).sorted(by: \.title).sections(by: \.year)
    /// let rows = years.map { book, cache in
    ///     "\(book.title) by \(book.author.flatMap { cache[$0] }?.name ?? "someone")"
    /// }
    /// print(rows[1968])
    /// ```
    ///
    /// See ``CachedQuery/map(_:)-((Element,QueryReader)->Row)``.
    ///
    /// - Parameter transform: A closure that returns the row of a value. It may read other entities
    ///   from its second argument.
    public func map<Output: Equatable & Sendable>(
        _ transform: @escaping @Sendable (Element, QueryReader) -> Output
    ) -> QuerySections<Key, Element, Output> {
        source.sections(usesReader: true, row: transform) { old, new, _ in old != new }
    }

    /// Returns the sections with a row in place of each element that depends on the element alone.
    ///
    /// ```swift
    /// let titles = cache.query(Book.self).sections(by: \.year).map { $0.title }
    /// ```
    ///
    /// See `map(_:)` with a closure of two arguments.
    ///
    /// - Parameter transform: A closure that returns the row of a value.
    public func map<Output: Equatable & Sendable>(
        _ transform: @escaping @Sendable (Element) -> Output
    ) -> QuerySections<Key, Element, Output> {
        source.sections(usesReader: false, row: { value, _ in transform(value) }) { old, new, _ in
            old != new
        }
    }
}

extension CachedQuery {
    /// Returns the elements in sections of equal keys.
    ///
    /// ```swift
    /// let years = cache.query(Book.self).sorted(by: \.title).sections(by: \.year, .descending)
    /// for section in years.value { print(section.key ?? 0, section.elements.map(\.title)) }
    /// ```
    ///
    /// The query's own order applies inside a section. The section of elements without a key comes
    /// last in both directions. `limit` and `offset` apply in the order of the sections.
    ///
    /// ## Concurrency
    /// The cache calls the closure on any thread that reads the query, begins to observe it or
    /// commits. In a commit and in a batch, the closure runs under the writers' lock. It must
    /// depend on its argument alone. If it writes to the cache, the process traps.
    ///
    /// - Parameters:
    ///   - key: A closure that returns the key of a value's section, or `nil`.
    ///   - direction: The direction of the sections.
    public func sections<Key: Hashable & Comparable & Sendable>(
        by key: @escaping @Sendable (Element) -> Key?,
        _ direction: SortDirection = .ascending
    ) -> QuerySections<Key, Element, Element> {
        sections(direction, usesReader: false) { value, _ in key(value) }
    }

    /// Returns the elements in sections of equal keys that depend on other entities.
    ///
    /// If a commit changes an entity that the closure has read for elements, these elements change
    /// their sections in the same commit. See `sections(by:_:)` with a closure of one argument.
    ///
    /// ```swift
    /// let authors = cache.query(Book.self).sorted(by: \.year).sections { book, cache in
    ///     book.author.flatMap { cache[$0] }?.name
    /// }
    /// print(authors["Ursula K. Le Guin"].map(\.title))
    /// ```
    ///
    /// ## Concurrency
    /// The cache calls the closure on any thread that reads the query, begins to observe it or
    /// commits. In a commit and in a batch, the closure runs under the writers' lock. It must
    /// depend on its arguments alone, and read the cache only through the second one. If it
    /// writes to the cache, the process traps.
    ///
    /// - Parameters:
    ///   - key: A closure that returns the key of a value's section, or `nil`. It may read other
    ///     entities from its second argument.
    ///   - direction: The direction of the sections.
    public func sections<Key: Hashable & Comparable & Sendable>(
        by key: @escaping @Sendable (Element, QueryReader) -> Key?,
        _ direction: SortDirection = .ascending
    ) -> QuerySections<Key, Element, Element> {
        sections(direction, usesReader: true, key)
    }

    private func sections<Key: Hashable & Comparable & Sendable>(
        _ direction: SortDirection,
        usesReader: Bool,
        _ key: @escaping @Sendable (Element, QueryReader) -> Key?
    ) -> QuerySections<Key, Element, Element> {
        SectionSource(query: self, direction: direction, usesReader: usesReader, key: key)
            .sections(usesReader: false, row: { value, _ in value }) { _, _, isValueChanged in
                isValueChanged
            }
    }
}

/// The query and the keys from which sections are made.
private struct SectionSource<
    Key: Hashable & Comparable & Sendable,
    Element: Identifiable & Sendable
>: Sendable
where Element.ID: Sendable {
    let query: CachedQuery<Element>
    let direction: SortDirection
    /// `true` if keys may depend on other entities.
    let usesReader: Bool
    /// A closure that returns the key of a value's section, or `nil`.
    let key: @Sendable (Element, QueryReader) -> Key?

    /// Returns sections of rows.
    ///
    /// - Parameters:
    ///   - usesReader: `true` if the rows may depend on other entities.
    ///   - row: A closure that returns the row of a value.
    ///   - isUpdated: A closure that returns whether a row has changed, whose key hasn't.
    func sections<Row: Sendable>(
        usesReader: Bool,
        row: @escaping @Sendable (Element, QueryReader) -> Row,
        isUpdated: @escaping @Sendable (Row, Row, _ isValueChanged: Bool) -> Bool
    ) -> QuerySections<Key, Element, Row> {
        let definition = query.plan.definition(
            groupedBy: { QuerySortKey($0.key, direction) },
            usesReader: self.usesReader || usesReader,
            payload: { SectionMember(key: key($0, $1)?.ifEqualToItself, row: row($0, $1)) },
            isUpdated: { old, new, isValueChanged in
                old.key != new.key || isUpdated(old.row, new.row, isValueChanged)
            },
            combining: NoSummary()
        )
        let projection = query.projection(definition) { SectionTable($0, $1).sections }
        return QuerySections(projection, self)
    }
}

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
    public let elements: [Element]
}

extension QuerySection: Identifiable {
    /// The key, by which a view identifies the section.
    public var id: Key? { key }
}

extension QuerySection: Equatable where Element: Equatable {}
