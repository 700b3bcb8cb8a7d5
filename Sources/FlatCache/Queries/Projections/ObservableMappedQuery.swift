/// The rows of a mapped query for the Observation framework: for SwiftUI views and
/// `withObservationTracking`.
///
/// ```swift
/// import FlatCache
/// import Observation
///
/// let titles = cache.query(Book.self).sorted(by: \.title).map { book, _ in book.title }
/// let screen = ObservableMappedQuery(titles)
/// withObservationTracking {
///     print(screen.count, screen[..<20])
/// } onChange: {
///     print("no longer")
/// }
/// ```
///
/// Besides the ``ObservableProjection/value``, which consists of all rows, a view can read the
/// identifiers and parts of the rows.
public final class ObservableMappedQuery<
    Element: Identifiable & Sendable,
    Row: Equatable & Sendable
>: ObservableProjection<[Row]>, @unchecked Sendable where Element.ID: Sendable {
    // The properties are constant and `Sendable`.

    /// The mapped query.
    public let query: MappedQuery<Element, Row>

    /// Creates an observable object for a mapped query.
    ///
    /// - Parameters:
    ///   - query: The mapped query.
    ///   - delivery: The delivery of notifications to trackers. To miss no change, deliver to the
    ///     actor that reads the rows.
    public init(
        _ query: MappedQuery<Element, Row>,
        delivery: CacheDelivery = .isolated(to: MainActor.shared)
    ) {
        self.query = query
        super.init(query, delivery: delivery)
    }

    /// The identifiers of the elements, in their order.
    ///
    /// - Complexity: O(*n*) in the number of rows.
    public var ids: [Element.ID] {
        trackers.access()
        return query.ids
    }

    /// The number of rows.
    public var count: Int {
        trackers.access()
        return query.count
    }

    /// The rows at some positions, in their order, without positions beyond the end.
    ///
    /// - Parameter positions: The positions.
    /// - Complexity: O(log *n* + *k*) for *k* of *n* rows.
    public subscript(positions: some RangeExpression<Int>) -> [Row] {
        trackers.access()
        return query[positions]
    }

    /// Returns the position of an element's row, or `nil` if there is no such row.
    ///
    /// - Parameter id: The identifier of the element.
    /// - Complexity: O(log *n*) in the number of rows.
    public func index(ofID id: Element.ID) -> Int? {
        trackers.access()
        return query.index(ofID: id)
    }

    /// Returns the row of an element, or `nil` if there is no such row.
    ///
    /// - Parameter id: The identifier of the element.
    /// - Complexity: As for ``index(ofID:)``.
    public func row(ofID id: Element.ID) -> Row? {
        trackers.access()
        return query.row(ofID: id)
    }
}
