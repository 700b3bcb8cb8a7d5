/// A change that a commit made to the sections of a query, to their rows, or to the order of the
/// rows.
///
/// Sections are in the order of their keys, so they're inserted and removed, but don't move. An
/// element whose key has changed is removed from one section and inserted into another.
///
/// ```swift
/// import FlatCache
/// import UIKit
///
/// func apply(_ change: QuerySectionsChange<Int, Book, Book>, to tableView: UITableView) {
///     tableView.performBatchUpdates {
///         for step in change.difference {
///             switch step {
///             case .remove(let index, _, _): tableView.deleteSections([index], with: .automatic)
///             case .insert(let index, _, _): tableView.insertSections([index], with: .automatic)
///             }
///         }
///         for section in change.sections {
///             for step in section.difference {
///                 switch step {
///                 case .remove(let row, _, _):
///                     let path = IndexPath(row: row, section: section.oldIndex)
///                     tableView.deleteRows(at: [path], with: .automatic)
///                 case .insert(let row, _, _):
///                     let path = IndexPath(row: row, section: section.index)
///                     tableView.insertRows(at: [path], with: .automatic)
///                 }
///             }
///         }
///     }
/// }
/// ```
///
/// The data source returns the sections of the change, not the latest ones.
public struct QuerySectionsChange<
    Key: Hashable & Comparable & Sendable,
    Element: Identifiable & Sendable,
    Row: Sendable
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
        /// The identifiers of the elements whose values, or mapped rows, the commit has changed.
        ///
        /// They don't include elements that have entered the section.
        public let changedIDs: Set<Element.ID>
    }

    /// The number of the commit.
    ///
    /// If an observation begins during the query's first run, its first change includes all commits
    /// from then to the end of the run.
    public let version: UInt64

    private let transition: QueryTransition<Element, SectionMember<Key, Row>>
    private let direction: SortDirection

    init(
        _ transition: QueryTransition<Element, SectionMember<Key, Row>>,
        _ direction: SortDirection,
        version: UInt64
    ) {
        self.transition = transition
        self.direction = direction
        self.version = version
    }

    /// The identifiers of the elements of all sections whose rows or keys the commit has changed.
    ///
    /// They don't include entities that didn't meet the conditions before the commit. They include
    /// an element that has entered the window of a limit or an offset if its value has changed.
    ///
    /// - Complexity: O(*k* log *n*) for *k* changed rows of *n*.
    public var changedIDs: Set<Element.ID> { transition.updatedIDs }

    /// The keys of the sections, in their order, after the commit.
    ///
    /// - Complexity: O(*s* log *n*) for *s* sections and *n* rows.
    public var keys: [Key?] { SectionTable(transition.new, transition.shown).keys }

    /// The keys of the sections, in their order, before the commit.
    ///
    /// - Complexity: As for ``keys``.
    public var oldKeys: [Key?] { SectionTable(transition.old, transition.oldShown).keys }

    /// Returns the identifiers of a section's elements, in their order, after the commit.
    ///
    /// - Parameter key: The key of the section. If there is no such section, the result is empty.
    /// - Complexity: O(log *n* + *k*) for *k* of *n* rows.
    public func ids(ofSection key: Key?) -> [Element.ID] {
        transition.new.ids(in: positions(ofSection: key))
    }

    /// Returns the identifiers of a section's elements, in their order, before the commit.
    ///
    /// - Parameter key: The key of the section. If there was no such section, the result is empty.
    /// - Complexity: As for ``ids(ofSection:)``.
    public func oldIDs(ofSection key: Key?) -> [Element.ID] {
        let positions = transition.old.positions(ofSection: key, direction)
        return transition.old.ids(in: positions.clamped(to: transition.oldShown))
    }

    /// Returns the rows of a section, in their order, after the commit.
    ///
    /// - Parameter key: The key of the section. If there is no such section, the result is empty.
    /// - Complexity: As for ``ids(ofSection:)``.
    public func rows(ofSection key: Key?) -> [Row] {
        transition.new.sectionRows(in: positions(ofSection: key))
    }

    private func positions(ofSection key: Key?) -> Range<Int> {
        transition.new.positions(ofSection: key, direction).clamped(to: transition.shown)
    }

    /// A Boolean value that indicates whether sections or rows were inserted, removed or moved.
    ///
    /// - Complexity: As for ``sections``.
    public var hasNewOrder: Bool {
        let difference = SectionsDifference(transition)
        return !difference.keys.isEmpty || difference.sections.contains { !$0.difference.isEmpty }
    }

    /// The removals and insertions that turn the old sections into the new ones.
    ///
    /// - Complexity: As for ``sections``.
    public var difference: CollectionDifference<Key?> { SectionsDifference(transition).keys }

    /// The changes of the sections that exist before and after the commit, in their order.
    ///
    /// They don't include sections whose rows and their order are unchanged.
    ///
    /// - Complexity: O((*s* + *k*) log *n*) for *s* sections and *k* changed rows of *n*.
    public var sections: [Section] { SectionsDifference(transition).sections }
}
