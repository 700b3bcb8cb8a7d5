/// The rows to which a closure projects the elements of a query, in sections of equal keys.
///
/// ```swift
/// let years = cache.query(Book.self).sorted(by: \.title).sections(by: \.year).map { book, cache in
///     "\(book.title) by \(book.author.flatMap { cache[$0] }?.name ?? "someone")"
/// }
/// for section in years.value { print(section.key ?? 0, section.elements) }
///
/// let observation = years.observeChanges { change in
///     print(change.difference.count, change.sections.map(\.changedIDs))
/// }
/// ```
///
/// The ``CachedProjection/value`` consists of all sections with their rows. The sections and their
/// keys are those of ``QuerySections``.
public final class MappedSections<
    Key: Hashable & Comparable & Sendable,
    Element: Identifiable & Sendable,
    Row: Equatable & Sendable
>:
    CachedProjection<[QuerySection<Key, Row>], MappedSectionsChange<Key, Element, Row>>,
    @unchecked Sendable
where Element.ID: Sendable {
    // The properties are constant and `Sendable`.

    private let live: LiveQuery<Element, SectionMember<Key, Row>>
    private let core: CacheCore
    private let isDescending: Bool

    init(
        _ sections: LiveProjection<Element, SectionMember<Key, Row>, [QuerySection<Key, Row>]>,
        isDescending: Bool
    ) {
        live = sections.live
        core = sections.core
        self.isDescending = isDescending
        super.init(sections) { delivery, body in
            sections.live.observeChanges(in: sections.core, delivery: delivery) {
                let transition = SectionsTransition(rows: $0, isDescending: isDescending)
                body(MappedSectionsChange(transition, version: $1))
            }
        }
    }

    /// The keys of the sections, in their order.
    ///
    /// - Complexity: As for ``QuerySections/keys``.
    public var keys: [Key?] {
        live.read(in: core) { SectionedRows($0.rows, in: $0.shown).keys } ?? []
    }

    /// The rows of a section, in the order of the query.
    ///
    /// - Parameter key: The key of the section. If there is no such section, the result is empty.
    /// - Complexity: O(log *n* + *k*) for *k* of *n* rows, if the sections are current. Otherwise,
    ///   the query runs.
    public subscript(key: Key?) -> [Row] {
        live.read(in: core) { result in
            result.items(ofSection: key, isDescending: isDescending) { $1.payload.output }
        } ?? []
    }
}

extension QuerySections {
    /// Returns the sections with a row that a closure computes in place of each element.
    ///
    /// ```swift
    /// let titles = cache.query(Book.self).sections(by: \.year).map { book, _ in book.title }
    /// print(titles[1968])  // the titles of that year
    /// ```
    ///
    /// See ``CachedQuery/map(_:)-((Element,QueryReader)->Row)``.
    ///
    /// - Parameter transform: A closure that returns the row of a value. It may read other entities
    ///   from its second argument.
    @inlinable
    public func map<Row: Equatable & Sendable>(
        _ transform: @escaping @Sendable (Element, QueryReader) -> Row
    ) -> MappedSections<Key, Element, Row> {
        mapped(usesReader: true, transform)
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
    @inlinable
    public func map<Row: Equatable & Sendable>(
        _ transform: @escaping @Sendable (Element) -> Row
    ) -> MappedSections<Key, Element, Row> {
        mapped(usesReader: false) { value, _ in transform(value) }
    }

    @inlinable
    func mapped<Row: Equatable & Sendable>(
        usesReader: Bool,
        _ transform: @escaping @Sendable (Element, QueryReader) -> Row
    ) -> MappedSections<Key, Element, Row> {
        let definition = sectionSource.definition(
            usesReader: usesReader,
            output: transform,
            isUpdated: { old, new, _ in old != new }
        )
        return sectionSource.query.sectioned(
            definition,
            isDescending: sectionSource.isDescending
        )
    }
}

/// A change that a commit made to sections of rows, to their rows, or to the order of the rows.
///
/// ```swift
/// let rows = cache.query(Book.self).sections(by: \.year).map { book, _ in book.title }
/// let observation = rows.observeChanges { change in
///     for section in change.sections { print(section.key ?? 0, section.difference.count) }
/// }
/// ```
///
/// It describes the sections as a ``QuerySectionsChange`` does, and also contains their rows.
public struct MappedSectionsChange<
    Key: Hashable & Comparable & Sendable,
    Element: Identifiable & Sendable,
    Row: Equatable & Sendable
>: Sendable where Element.ID: Sendable {
    /// The change of a section that exists before and after the commit.
    ///
    /// The changed identifiers are those of the elements whose rows the commit has changed.
    public typealias Section = QuerySectionsChange<Key, Element>.Section

    /// The number of the commit.
    ///
    /// See ``QuerySectionsChange/version``.
    public let version: UInt64

    private let transition: SectionsTransition<Key, Element, Row>

    init(_ transition: SectionsTransition<Key, Element, Row>, version: UInt64) {
        self.version = version
        self.transition = transition
    }

    /// The identifiers of the elements of all sections whose rows or keys the commit has changed.
    ///
    /// See ``QuerySectionsChange/changedIDs``.
    ///
    /// - Complexity: O(*k* log *n*) for *k* changed rows of *n*.
    public var changedIDs: Set<Element.ID> { transition.rows.updatedIDs }

    /// The keys of the sections, in their order, after the commit.
    ///
    /// - Complexity: O(*s* log *n*) for *s* sections and *n* rows.
    public var keys: [Key?] { transition.new.keys }

    /// The keys of the sections, in their order, before the commit.
    ///
    /// - Complexity: As for ``keys``.
    public var oldKeys: [Key?] { transition.old.keys }

    /// Returns the identifiers of a section's elements, in their order, after the commit.
    ///
    /// - Parameter key: The key of the section. If there is no such section, the result is empty.
    /// - Complexity: O(log *n* + *k*) for *k* of *n* rows.
    public func ids(ofSection key: Key?) -> [Element.ID] {
        transition.ids(of: key, in: transition.new)
    }

    /// Returns the identifiers of a section's elements, in their order, before the commit.
    ///
    /// - Parameter key: The key of the section. If there was no such section, the result is empty.
    /// - Complexity: As for ``ids(ofSection:)``.
    public func oldIDs(ofSection key: Key?) -> [Element.ID] {
        transition.ids(of: key, in: transition.old)
    }

    /// Returns the rows of a section, in their order, after the commit.
    ///
    /// - Parameter key: The key of the section. If there is no such section, the result is empty.
    /// - Complexity: As for ``ids(ofSection:)``.
    public func rows(ofSection key: Key?) -> [Row] { transition.outputs(of: key) }

    /// A Boolean value that indicates whether sections or rows were inserted, removed or moved.
    ///
    /// - Complexity: As for ``sections``.
    public var hasNewOrder: Bool { transition.hasNewOrder }

    /// The removals and insertions that turn the old sections into the new ones.
    ///
    /// - Complexity: As for ``sections``.
    public var difference: CollectionDifference<Key?> { transition.difference }

    /// The changes of the sections that exist before and after the commit, in their order.
    ///
    /// They don't include sections whose rows and their order are unchanged.
    ///
    /// - Complexity: O(*k* log *n*) for *k* changed rows of *n*.
    public var sections: [Section] { transition.sections }
}
