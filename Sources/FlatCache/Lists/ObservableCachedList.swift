public import Observation

/// A list of entities for the Observation framework: for SwiftUI views and
/// `withObservationTracking`.
///
/// ```swift
/// import FlatCache
/// import Observation
///
/// let bestsellers = cache.list("bestsellers", of: Book.self).observable
/// withObservationTracking {
///     print(bestsellers.elements.map(\.title))
/// } onChange: {
///     print("no longer")
/// }
/// ```
///
/// A tracker that reads the list is notified of the next commit that changes the order, an element,
/// anything that an element refers to, or the position of the next page: once, after the commit has
/// become visible. For the choice of a delivery, see ``ObservableCached``.
public final class ObservableCachedList<Element: Identifiable & Sendable>: Observable,
    Identifiable, Sendable
where Element.ID: Sendable {
    /// The handle through which the list is read and changed.
    public let list: CachedList<Element>

    private let trackers: Trackers
    private let observation: Disposable

    /// Creates an observable object for the list of a handle.
    ///
    /// - Parameters:
    ///   - list: The handle.
    ///   - following: The depth to which the relationships of the elements are followed.
    ///   - delivery: The delivery of notifications to trackers. To miss no change, deliver to the
    ///     actor that reads the list.
    public init(
        _ list: CachedList<Element>,
        following: RelationshipDepth = .allRelationships,
        delivery: CacheDelivery = .isolated(to: MainActor.shared)
    ) {
        let trackers = Trackers()
        self.list = list
        self.trackers = trackers
        observation = list.observeChanges(following: following, delivery: delivery) { _ in
            trackers.notify()
        }
    }

    /// The name of the list.
    public var id: String { list.name }

    /// The identifiers of the elements, in their order.
    public var ids: [Element.ID] {
        trackers.access()
        return list.ids
    }

    /// The values of the existing elements, in their order, all from one consistent state.
    ///
    /// - Complexity: O(*n*) in the number of elements.
    public var elements: [Element] {
        trackers.access()
        return list.elements
    }

    /// The position of the next page, by which a view shows that more can be loaded.
    public var next: NextPage {
        trackers.access()
        return list.next
    }
}

extension CachedList {
    /// A new observable object for the list, notifying its trackers on the main actor.
    ///
    /// Keep the object for as long as you observe the list: after its deallocation, trackers aren't
    /// notified.
    public var observable: ObservableCachedList<Element> { ObservableCachedList(self) }
}
