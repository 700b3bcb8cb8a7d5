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
