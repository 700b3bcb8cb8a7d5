public import Observation

/// The result of a query for the Observation framework: for SwiftUI views and
/// `withObservationTracking`.
///
/// ```swift
/// import FlatCache
/// import Observation
///
/// let newest = cache.query(Book.self).sorted(by: \.year, .descending).limit(20).observable
/// withObservationTracking {
///     print(newest.elements.map(\.title))
/// } onChange: {
///     print("no longer")
/// }
/// ```
///
/// The object keeps the query current. It notifies a tracker that reads the result of the next
/// commit that changes an element or the order: once, after the commit has become visible. For the
/// choice of a delivery, see ``ObservableCached``.
public final class ObservableQuery<Element: Identifiable & Sendable>: Observable, Sendable
where Element.ID: Sendable {
    /// The query.
    public let query: CachedQuery<Element>

    private let trackers: Trackers
    private let observation: Disposable

    /// Creates an observable object for a query.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - delivery: The delivery of notifications to trackers. To miss no change, deliver to the
    ///     actor that reads the result.
    public init(
        _ query: CachedQuery<Element>,
        delivery: CacheDelivery = .isolated(to: MainActor.shared)
    ) {
        let trackers = Trackers()
        self.query = query
        self.trackers = trackers
        observation = query.observeChanges(delivery: delivery) { _ in trackers.notify() }
    }

    /// The elements, in their order, all from one consistent state.
    ///
    /// - Complexity: O(*n*) in the number of elements.
    public var elements: [Element] {
        trackers.access()
        return query.elements
    }

    /// The identifiers of the elements, in their order.
    ///
    /// - Complexity: O(*n*) in the number of elements.
    public var ids: [Element.ID] {
        trackers.access()
        return query.ids
    }

    /// The number of elements.
    public var count: Int {
        trackers.access()
        return query.count
    }

    /// The elements at some positions, in their order, without positions beyond the end.
    ///
    /// For example, `[0..<20]` returns the first 20 elements, or all of them if there are fewer.
    ///
    /// - Parameter positions: The positions.
    /// - Complexity: O(log *n* + *k*) for *k* of *n* elements.
    public subscript(positions: some RangeExpression<Int>) -> [Element] {
        trackers.access()
        return query[positions]
    }

    /// Returns the position of an element, or `nil` if the result doesn't contain it.
    ///
    /// - Parameter id: The identifier of the element.
    /// - Complexity: O(log *n*) in the number of elements.
    public func index(ofID id: Element.ID) -> Int? {
        trackers.access()
        return query.index(ofID: id)
    }
}

extension CachedQuery {
    /// A new observable object for the result, notifying its trackers on the main actor.
    ///
    /// Keep the object for as long as you observe the query: after its deallocation, trackers
    /// aren't notified, and the query isn't kept current.
    public var observable: ObservableQuery<Element> { ObservableQuery(self) }
}
