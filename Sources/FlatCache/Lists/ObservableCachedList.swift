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
/// Whoever reads it while tracked hears of the next commit that changes the order, an element, or
/// anything that an element refers to: once, after the commit has become visible. See
/// ``ObservableCached``, also for where trackers should be told.
public final class ObservableCachedList<Element: Identifiable & Sendable>: Observable,
    Identifiable, Sendable
where Element.ID: Sendable {
    /// The handle that this reads through, and through which the list is changed.
    public let list: CachedList<Element>

    private let trackers: Trackers
    private let observation: Disposable

    /// Creates an observable for a handle's list.
    ///
    /// - Parameters:
    ///   - list: The handle.
    ///   - following: How far the relationships of the elements are followed.
    ///   - delivery: Where and when trackers are told: on the actor that reads, if no change is to be
    ///     missed.
    public init(
        _ list: CachedList<Element>,
        following: RelationshipDepth = .allRelationships,
        delivery: CacheDelivery = .isolated(to: MainActor.shared)
    ) {
        let trackers = Trackers()
        self.list = list
        self.trackers = trackers
        observation = list.observeChanges(following: following, delivery: delivery) { _ in
            trackers.tell()
        }
    }

    /// The name of the list.
    public var id: String { list.name }

    /// The identifiers of the elements, in their order.
    public var ids: [Element.ID] {
        trackers.note()
        return list.ids
    }

    /// The values of the elements that are there, in their order, all from one consistent state.
    ///
    /// - Complexity: O(*n*) in the number of elements.
    public var elements: [Element] {
        trackers.note()
        return list.elements
    }
}

extension CachedList {
    /// The list for the Observation framework, made anew each time; its trackers are told on the main
    /// actor.
    ///
    /// Keep it: it tells nobody once it has gone.
    public var observable: ObservableCachedList<Element> { ObservableCachedList(self) }
}
