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
    IncrementalProjection<[QuerySection<Key, Element>], QuerySectionsChange<Key, Element>>,
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
