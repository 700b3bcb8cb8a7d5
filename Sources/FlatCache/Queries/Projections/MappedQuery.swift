/// The rows to which a closure projects the elements of a query, in the order of the query.
///
/// ```swift
/// struct BookRow: Equatable, Sendable { var title: String, author: String? }
///
/// let rows = cache.query(Book.self).sorted(by: \.title).map { book, cache in
///     BookRow(title: book.title, author: book.author.flatMap { cache[$0] }?.name)
/// }
/// print(rows.count, rows[0..<20].map(\.title), rows.row(ofID: 7)?.author ?? "")
///
/// let observation = rows.observeChanges { change in
///     print(change.difference.count, change.changedIDs)
/// }
/// ```
///
/// The ``CachedProjection/value`` consists of all rows. The identifier of a row is the one of its
/// element.
public final class MappedQuery<Element: Identifiable & Sendable, Row: Equatable & Sendable>:
    CachedProjection<[Row], MappedQueryChange<Element, Row>>, @unchecked Sendable
where Element.ID: Sendable {
    // The properties are constant and `Sendable`.

    private let live: LiveQuery<Element, MappedRow<Row>>
    private let core: CacheCore

    init(_ rows: LiveProjection<Element, MappedRow<Row>, [Row]>) {
        live = rows.live
        core = rows.core
        super.init(rows) { delivery, body in
            rows.live.observeChanges(in: rows.core, delivery: delivery) {
                body(MappedQueryChange($0, version: $1))
            }
        }
    }

    /// The identifiers of the elements, in their order.
    ///
    /// - Complexity: O(*n*) in the number of rows, if the rows are current. Otherwise, the query
    ///   runs.
    public var ids: [Element.ID] { live.read(in: core) { $0.ids } ?? [] }

    /// The number of rows.
    ///
    /// - Complexity: O(1), if the rows are current. Otherwise, the query runs.
    public var count: Int { live.read(in: core) { $0.shown.count } ?? 0 }

    /// The rows at some positions, in their order, without positions beyond the end.
    ///
    /// For example, `[0..<20]` returns the first 20 rows, or all of them if there are fewer.
    ///
    /// - Parameter positions: The positions.
    /// - Complexity: O(log *n* + *k*) for *k* of *n* rows, if the rows are current. Otherwise, the
    ///   query runs.
    public subscript(positions: some RangeExpression<Int>) -> [Row] {
        live.read(in: core) { $0.rows.outputs(in: $0.shown.positions(positions)) } ?? []
    }

    /// Returns the position of an element's row, or `nil` if there is no such row.
    ///
    /// - Parameter id: The identifier of the element.
    /// - Complexity: O(log *n*) in the number of rows, if the rows are current. Otherwise, the
    ///   query runs.
    public func index(ofID id: Element.ID) -> Int? {
        live.read(in: core) { $0.index(of: id) } ?? nil
    }

    /// Returns the row of an element, or `nil` if there is no such row.
    ///
    /// ```swift
    /// let titles = cache.query(Book.self).sorted(by: \.title).map { book, _ in book.title }
    /// print(titles.row(ofID: 1) ?? "not in the result")
    /// ```
    ///
    /// - Parameter id: The identifier of the element.
    /// - Complexity: As for ``index(ofID:)``.
    public func row(ofID id: Element.ID) -> Row? {
        live.read(in: core) { result in
            result.index(of: id).map { result.rows[result.shown.lowerBound + $0].payload.output }
        } ?? nil
    }
}

extension CachedQuery {
    /// Returns a projection of each element to a row that a closure computes.
    ///
    /// The cache computes a row again only if a commit changes its element or an entity that the
    /// closure has read for the row.
    ///
    /// ```swift
    /// struct BookRow: Equatable, Sendable { var title: String, author: String? }
    ///
    /// let rows = cache.query(Book.self).sorted(by: \.title).map { book, cache in
    ///     BookRow(title: book.title, author: book.author.flatMap { cache[$0] }?.name)
    /// }
    /// let observation = rows.observeChanges { change in print(change.difference.count) }
    /// ```
    ///
    /// ## Concurrency
    /// The cache calls the closure on any thread that reads the projection, begins to observe it or
    /// commits. In a commit and in a batch, the closure runs under the writers' lock. It must
    /// depend on its arguments alone, and read the cache only through the second one. If it
    /// writes to the cache, the process traps.
    ///
    /// - Parameter transform: A closure that returns the row of a value. It may read other entities
    ///   from its second argument.
    @inlinable
    public func map<Row: Equatable & Sendable>(
        _ transform: @escaping @Sendable (Element, QueryReader) -> Row
    ) -> MappedQuery<Element, Row> {
        mapped(usesReader: true, transform)
    }

    /// Returns a projection of each element to a row that depends on the element alone.
    ///
    /// ```swift
    /// let titles = cache.query(Book.self).sorted(by: \.year).map { $0.title }
    /// ```
    ///
    /// See `map(_:)` with a closure of two arguments.
    ///
    /// ## Concurrency
    /// As for a closure of two arguments. The closure must depend on its argument alone.
    ///
    /// - Parameter transform: A closure that returns the row of a value.
    @inlinable
    public func map<Row: Equatable & Sendable>(
        _ transform: @escaping @Sendable (Element) -> Row
    ) -> MappedQuery<Element, Row> {
        mapped(usesReader: false) { value, _ in transform(value) }
    }

    @inlinable
    func mapped<Row: Equatable & Sendable>(
        usesReader: Bool,
        _ transform: @escaping @Sendable (Element, QueryReader) -> Row
    ) -> MappedQuery<Element, Row> {
        mapped(
            plan.definition(
                usesReader: usesReader,
                payload: { MappedRow(output: transform($0, $1)) },
                isUpdated: { old, new, _ in old.output != new.output },
                combining: NoSummary()
            )
        )
    }

    @usableFromInline
    func mapped<Row: Equatable & Sendable>(
        _ definition: QueryDefinition<Element, MappedRow<Row>>
    ) -> MappedQuery<Element, Row> {
        MappedQuery(
            projection(definition, updating: { $1.new.update(&$0, $1) }) { $0.outputs(in: $1) }
        )
    }

    /// Returns a projection whose value a closure computes from the rows of a definition's result
    /// and the positions that are shown.
    func projection<Payload: QueryPayload, Output: Sendable>(
        _ definition: QueryDefinition<Element, Payload>,
        isChanged: (@Sendable (QueryTransition<Element, Payload>) -> Bool)? = nil,
        updating update: (@Sendable (inout Output, QueryTransition<Element, Payload>) -> Void)? =
            nil,
        _ value: @escaping @Sendable (QueryRows<Element.ID, Payload>, Range<Int>) -> Output
    ) -> LiveProjection<Element, Payload, Output> {
        LiveProjection(
            LiveQuery(definition, number: core.nextRegistration(), of: live.table),
            in: core,
            isChanged: isChanged,
            updating: update,
            value
        )
    }
}

/// A change that a commit made to the rows of a mapped query, or to their order.
///
/// The identifier of a row is the identifier of its element. A table view applies the difference,
/// and configures the rows of the changed identifiers again:
///
/// ```swift
/// import FlatCache
/// import UIKit
///
/// func apply(_ change: MappedQueryChange<Book, String>, to tableView: UITableView) {
///     tableView.performBatchUpdates {
///         for step in change.difference {
///             switch step {
///             case .remove(let row, _, _):
///                 tableView.deleteRows(at: [IndexPath(row: row, section: 0)], with: .automatic)
///             case .insert(let row, _, _):
///                 tableView.insertRows(at: [IndexPath(row: row, section: 0)], with: .automatic)
///             }
///         }
///     }
///     let changed = change.changedIDs
///     let rows = change.ids.enumerated().filter { changed.contains($0.element) }
///     tableView.reconfigureRows(at: rows.map { IndexPath(row: $0.offset, section: 0) })
/// }
/// ```
///
/// The data source of the table view returns the rows of the change. The latest rows may already
/// belong to a later commit.
public struct MappedQueryChange<Element: Identifiable & Sendable, Row: Equatable & Sendable>:
    Sendable
where Element.ID: Sendable {
    /// The number of the commit.
    ///
    /// If an observation begins during the query's first run, its first change includes all commits
    /// from then to the end of the run.
    public let version: UInt64

    private let transition: QueryTransition<Element, MappedRow<Row>>

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
        transition.new.outputs(in: transition.shown.positions(positions))
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
    public var difference: CollectionDifference<Element.ID> {
        transition.difference.collectionDifference()
    }
}
