public import Observation

/// A projection for the Observation framework: for SwiftUI views and `withObservationTracking`.
///
/// ```swift
/// import FlatCache
/// import Observation
///
/// let copies = cache.query(Book.self).aggregate(.sum(of: \.copies)).observable
/// withObservationTracking {
///     print("\(copies.value ?? 0) copies in stock")
/// } onChange: {
///     print("no longer")
/// }
/// ```
///
/// The object keeps the projection current. It notifies a tracker that reads the value of the next
/// change: once, after the commit has become visible. For the choice of a delivery, see
/// ``ObservableCached``.
public class ObservableProjection<Output: Sendable>: Observable, @unchecked Sendable {
    // The properties, also those of subclasses, are constant and `Sendable`.

    /// The projection.
    public let projection: CachedProjection<Output>

    let trackers: Trackers
    private let observation: Disposable

    /// Creates an observable object for a projection.
    ///
    /// - Parameters:
    ///   - projection: The projection.
    ///   - delivery: The delivery of notifications to trackers. To miss no change, deliver to the
    ///     actor that reads the value.
    public init(
        _ projection: CachedProjection<Output>,
        delivery: CacheDelivery = .isolated(to: MainActor.shared)
    ) {
        let trackers = Trackers()
        self.projection = projection
        self.trackers = trackers
        // The value isn't computed before a tracker reads it.
        observation = projection.source.observe(initial: false, delivery) { _ in trackers.notify() }
    }

    /// The latest value.
    ///
    /// - Complexity: As for ``CachedProjection/value``.
    public var value: Output {
        trackers.access()
        return projection.value
    }
}
