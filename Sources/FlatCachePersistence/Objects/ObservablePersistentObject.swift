public import FlatCache
public import Observation

/// A persistent object for the Observation framework: for SwiftUI views and
/// `withObservationTracking`.
///
/// Whoever reads ``object`` while tracked hears of the next change, by whomever, and of the next
/// error: once, after the change, so that reading again shows it.
///
/// It listens for as long as it lives, and keeps the persistent object alive. Keep it, in a view's
/// `@State` or in a model.
///
/// ## Concurrency
/// See ``ObservablePersister``, which is the same for a persister.
public final class ObservablePersistentObject<Object: Sendable>: Observable, Sendable {
    /// The persistent object that this reads and changes.
    public let persistentObject: PersistentObject<Object>

    private let trackers: Trackers
    private let listening: Disposable

    /// Creates an observable for a persistent object.
    ///
    /// - Parameters:
    ///   - persistentObject: The persistent object.
    ///   - delivery: Where and when trackers are told: on the actor that reads, if no change is to
    ///     be missed.
    public init(
        _ persistentObject: PersistentObject<Object>,
        delivery: CacheDelivery = .isolated(to: MainActor.shared)
    ) {
        let trackers = Trackers()
        self.persistentObject = persistentObject
        self.trackers = trackers
        listening = persistentObject.addUpdateListener(delivery: delivery) { _ in trackers.notify()
        }
    }

    /// The object in memory; the default if there is none.
    public var object: Object? {
        get {
            // Noted before the object is read: what is told in between concerns a tracker, too.
            trackers.access()
            return persistentObject.object
        }
        set { persistentObject.object = newValue }
    }

    /// Changes the object in place; see ``PersistentObject/update(_:)``.
    ///
    /// - Parameter body: Changes the object.
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws.
    @discardableResult
    public func update<Result, Failure: Error>(
        _ body: (inout Object?) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try persistentObject.update(body)
    }
}

extension PersistentObject {
    /// The object for the Observation framework, made anew each time; its trackers are told on the
    /// main actor.
    ///
    /// Keep it: it tells nobody once it has gone. To give it another delivery make it with its
    /// initializer.
    public var observable: ObservablePersistentObject<Object> { ObservablePersistentObject(self) }
}
