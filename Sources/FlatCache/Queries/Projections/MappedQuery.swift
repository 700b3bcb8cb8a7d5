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
    IncrementalProjection<[Row], MappedQueryChange<Element, Row>>, @unchecked Sendable
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
    /// - Parameter positions: The positions.
    /// - Complexity: O(log *n* + *k*) for *k* of *n* rows, if the rows are current. Otherwise, the
    ///   query runs.
    public subscript(positions: some RangeExpression<Int>) -> [Row] {
        live.read(in: core) { $0.rows.outputs(at: positions, of: $0.shown) } ?? []
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

    /// A new observable object for the rows, which notifies its trackers on the main actor.
    ///
    /// Keep the object for as long as you observe the rows: after its deallocation, trackers aren't
    /// notified, and the rows aren't kept current.
    public override var observable: ObservableMappedQuery<Element, Row> {
        ObservableMappedQuery(self)
    }
}
