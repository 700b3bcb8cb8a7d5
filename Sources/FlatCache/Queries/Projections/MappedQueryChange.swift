/// A change that a commit made to the rows of a mapped query, or to their order.
///
/// The identifier of a row is the identifier of its element. A table view applies the difference,
/// and reloads the rows of the changed identifiers:
///
/// ```swift
/// import FlatCache
/// import UIKit
///
/// func apply(_ change: MappedQueryChange<Book, String>, to tableView: UITableView) {
///     for step in change.difference {
///         switch step {
///         case .remove(let row, _, _):
///             tableView.deleteRows(at: [IndexPath(row: row, section: 0)], with: .automatic)
///         case .insert(let row, _, _):
///             tableView.insertRows(at: [IndexPath(row: row, section: 0)], with: .automatic)
///         }
///     }
/// }
/// ```
public struct MappedQueryChange<Element: Identifiable & Sendable, Row: Equatable & Sendable>:
    Sendable
where Element.ID: Sendable {
    /// The number of the commit.
    ///
    /// If an observation begins during the query's first run, its first change includes all commits
    /// from then to the end of the run.
    public let version: UInt64

    @usableFromInline let transition: QueryTransition<Element, MappedRow<Row>>

    init(_ transition: QueryTransition<Element, MappedRow<Row>>, version: UInt64) {
        self.version = version
        self.transition = transition
    }

    /// The identifiers of the elements whose rows the commit has changed.
    ///
    /// They don't include entities that didn't meet the conditions before the commit. They include
    /// an element that has entered the window of a limit or an offset if its row has changed.
    ///
    /// - Complexity: O(*k* log *n*) for *k* changed rows of *n*.
    public var changedIDs: Set<Element.ID> { transition.updatedIDs }

    /// The identifiers of the elements, in their order, after the commit.
    ///
    /// - Complexity: O(*n*) in the number of rows.
    public var ids: [Element.ID] { transition.ids }

    /// The identifiers of the elements, in their order, before the commit.
    ///
    /// - Complexity: O(*n*) in the number of rows.
    public var oldIDs: [Element.ID] { transition.oldIDs }

    /// The rows, in their order, after the commit.
    ///
    /// - Complexity: O(*n*) in the number of rows.
    public var rows: [Row] { self[0...] }

    /// The rows at some positions after the commit, without positions beyond the end.
    ///
    /// - Parameter positions: The positions.
    /// - Complexity: O(log *n* + *k*) for *k* of *n* rows.
    public subscript(positions: some RangeExpression<Int>) -> [Row] {
        transition.new.outputs(at: positions, of: transition.shown)
    }

    /// A Boolean value that indicates whether rows were inserted, removed or moved.
    ///
    /// - Complexity: As for ``difference``.
    public var hasNewOrder: Bool { !transition.difference.isEmpty }

    /// The removals and insertions that turn the old order of the identifiers into the new one.
    ///
    /// To get moves, infer them from the result: `difference.inferringMoves()`.
    ///
    /// - Complexity: O(*k* log *n*) for *k* changed rows of *n*.
    @inlinable public var difference: CollectionDifference<Element.ID> {
        transition.collectionDifference
    }
}
