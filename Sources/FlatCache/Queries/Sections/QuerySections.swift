/// The elements of a query in sections of equal keys, in the order of the keys.
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
/// The ``CachedProjection/value`` consists of all sections with their elements. A section has at
/// least one element. Elements without a key, or with a key such as NaN that doesn't equal itself,
/// are in the last section, whose key is `nil`.
public final class QuerySections<
    Key: Hashable & Comparable & Sendable,
    Element: Identifiable & Sendable
>:
    CachedProjection<[QuerySection<Key, Element>], QuerySectionsChange<Key, Element>>,
    @unchecked Sendable
where Element.ID: Sendable {
    // The properties are constant and `Sendable`.

    private let live: LiveQuery<Element, SectionMember<Key, Void>>
    private let core: CacheCore
    @usableFromInline let sectionSource: SectionSource<Key, Element>

    init(
        _ sections: LiveProjection<
            Element, SectionMember<Key, Void>, [QuerySection<Key, Element>]
        >,
        _ source: SectionSource<Key, Element>
    ) {
        live = sections.live
        core = sections.core
        sectionSource = source
        let isDescending = source.isDescending
        super.init(sections) { delivery, body in
            sections.live.observeChanges(in: sections.core, delivery: delivery) {
                let transition = SectionsTransition(rows: $0, isDescending: isDescending)
                body(QuerySectionsChange(transition, version: $1))
            }
        }
    }

    /// The keys of the sections, in their order.
    ///
    /// - Complexity: O(*s* log *n*) for *s* sections and *n* elements, if the sections are current.
    ///   Otherwise, the query runs.
    public var keys: [Key?] {
        live.read(in: core) { SectionedRows($0.rows, in: $0.shown).keys } ?? []
    }

    /// The elements of a section, in the order of the query.
    ///
    /// - Parameter key: The key of the section. If there is no such section, the result is empty.
    /// - Complexity: O(log *n* + *k*) for *k* of *n* elements, if the sections are current.
    ///   Otherwise, the query runs.
    public subscript(key: Key?) -> [Element] {
        live.read(in: core) { result in
            result.items(ofSection: key, isDescending: sectionSource.isDescending) {
                $0.value(of: $1.id)
            }
        } ?? []
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
    @inlinable
    public func sections<Key: Hashable & Comparable & Sendable>(
        by key: @escaping @Sendable (Element) -> Key?,
        _ direction: SortDirection = .ascending
    ) -> QuerySections<Key, Element> {
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
    @inlinable
    public func sections<Key: Hashable & Comparable & Sendable>(
        by key: @escaping @Sendable (Element, QueryReader) -> Key?,
        _ direction: SortDirection = .ascending
    ) -> QuerySections<Key, Element> {
        sections(direction, usesReader: true, key)
    }

    @inlinable
    func sections<Key: Hashable & Comparable & Sendable>(
        _ direction: SortDirection,
        usesReader: Bool,
        _ key: @escaping @Sendable (Element, QueryReader) -> Key?
    ) -> QuerySections<Key, Element> {
        let source = SectionSource(
            query: self,
            isDescending: direction == .descending,
            usesReader: usesReader,
            key: key
        )
        let definition = source.definition(
            usesReader: false,
            output: { _, _ in () },
            isUpdated: { _, _, isValueChanged in isValueChanged }
        )
        return sectioned(definition, source)
    }

    @usableFromInline
    func sectioned<Key: Hashable & Comparable & Sendable>(
        _ definition: QueryDefinition<Element, SectionMember<Key, Void>>,
        _ source: SectionSource<Key, Element>
    ) -> QuerySections<Key, Element> {
        QuerySections(sectionProjection(definition) { $0.value(of: $1.id) }, source)
    }

    @usableFromInline
    func sectioned<Key: Hashable & Comparable & Sendable, Row: Equatable & Sendable>(
        _ definition: QueryDefinition<Element, SectionMember<Key, Row>>,
        isDescending: Bool
    ) -> MappedSections<Key, Element, Row> {
        MappedSections(
            sectionProjection(definition) { $1.payload.output },
            isDescending: isDescending
        )
    }

    /// Returns a projection whose value consists of sections of items.
    private func sectionProjection<Key: Hashable & Comparable & Sendable, Output, Item: Sendable>(
        _ definition: QueryDefinition<Element, SectionMember<Key, Output>>,
        _ item: @escaping SectionItem<Element, Key, Output, Item>
    ) -> LiveProjection<Element, SectionMember<Key, Output>, [QuerySection<Key, Item>]> {
        let latest = LatestOutput<Element, SectionMember<Key, Output>, [QuerySection<Key, Item>]>(
            computing: { $0.sections(item) },
            updating: { $2.update(&$0, $1, item) }
        )
        return projection(definition) { latest.output(of: $0) }
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
    public internal(set) var elements: [Element]
}

extension QuerySection: Identifiable {
    /// The key, by which a view identifies the section.
    public var id: Key? { key }
}

extension QuerySection: Equatable where Element: Equatable {}

/// A change that a commit made to the sections of a query, to their elements, or to the order of
/// the elements.
///
/// Sections are in the order of their keys, so they're inserted and removed, but don't move. An
/// element whose key has changed is removed from one section and inserted into another.
///
/// ```swift
/// import FlatCache
/// import UIKit
///
/// func apply(_ change: QuerySectionsChange<Int, Book>, to tableView: UITableView) {
///     for step in change.difference {
///         switch step {
///         case .remove(let index, _, _): tableView.deleteSections([index], with: .automatic)
///         case .insert(let index, _, _): tableView.insertSections([index], with: .automatic)
///         }
///     }
///     for section in change.sections {
///         for step in section.difference {
///             switch step {
///             case .remove(let row, _, _):
///                 let path = IndexPath(row: row, section: section.oldIndex)
///                 tableView.deleteRows(at: [path], with: .automatic)
///             case .insert(let row, _, _):
///                 let path = IndexPath(row: row, section: section.index)
///                 tableView.insertRows(at: [path], with: .automatic)
///             }
///         }
///     }
/// }
/// ```
public struct QuerySectionsChange<
    Key: Hashable & Comparable & Sendable,
    Element: Identifiable & Sendable
>: Sendable where Element.ID: Sendable {
    /// The change of a section that exists before and after the commit.
    public struct Section: Sendable {
        /// The key, or `nil` for the elements without a key.
        public let key: Key?
        /// The position of the section among the sections after the commit.
        public let index: Int
        /// The position of the section among the sections before the commit.
        public let oldIndex: Int
        /// The removals and insertions that turn the section's old order into the new one.
        ///
        /// To get moves inside the section, infer them: `difference.inferringMoves()`.
        public let difference: CollectionDifference<Element.ID>
        /// The identifiers of the elements whose values the commit has changed.
        ///
        /// They don't include elements that have entered the section.
        public let changedIDs: Set<Element.ID>
    }

    /// The number of the commit.
    ///
    /// If an observation begins during the query's first run, its first change includes all commits
    /// from then to the end of the run.
    public let version: UInt64

    private let transition: SectionsTransition<Key, Element, Void>

    init(_ transition: SectionsTransition<Key, Element, Void>, version: UInt64) {
        self.version = version
        self.transition = transition
    }

    /// The identifiers of the elements of all sections whose values or keys the commit has changed.
    ///
    /// They don't include entities that didn't meet the conditions before the commit. They include
    /// an element that has entered the window of a limit or an offset if its value has changed.
    ///
    /// - Complexity: O(*k* log *n*) for *k* changed rows of *n*.
    public var changedIDs: Set<Element.ID> { transition.rows.updatedIDs }

    /// The keys of the sections, in their order, after the commit.
    ///
    /// - Complexity: O(*s* log *n*) for *s* sections and *n* elements.
    public var keys: [Key?] { transition.new.keys }

    /// The keys of the sections, in their order, before the commit.
    ///
    /// - Complexity: As for ``keys``.
    public var oldKeys: [Key?] { transition.old.keys }

    /// Returns the identifiers of a section's elements, in their order, after the commit.
    ///
    /// - Parameter key: The key of the section. If there is no such section, the result is empty.
    /// - Complexity: O(log *n* + *k*) for *k* of *n* elements.
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

    /// A Boolean value that indicates whether sections or elements were inserted, removed or moved.
    ///
    /// - Complexity: As for ``sections``.
    public var hasNewOrder: Bool { transition.hasNewOrder }

    /// The removals and insertions that turn the old sections into the new ones.
    ///
    /// - Complexity: As for ``sections``.
    public var difference: CollectionDifference<Key?> { transition.difference }

    /// The changes of the sections that exist before and after the commit, in their order.
    ///
    /// They don't include sections whose elements and their order are unchanged.
    ///
    /// - Complexity: O(*k* log *n*) for *k* changed rows of *n*.
    public var sections: [Section] { transition.sections }
}
