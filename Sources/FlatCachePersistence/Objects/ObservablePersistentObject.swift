public import FlatCache
public import Observation

/// A persistent object for the Observation framework: for SwiftUI views and
/// `withObservationTracking`.
///
/// ```swift
/// import SwiftUI
///
/// struct OrderScreen: View {
///     @State private var draft = PersistentObject<Order>(file: draftFile).observable
///
///     var body: some View {
///         Text("\(draft.object?.books.count ?? 0) books")
///         Button("Add") { draft.update { $0?.books.append(book) } }
///     }
/// }
/// ```
///
/// Code that reads ``object`` while tracked is notified once: after the next change, regardless of
/// who makes it, or after the next error. Reading again returns the new object.
///
/// The observable listens for as long as it exists, and keeps the persistent object alive. Keep it
/// in a view's `@State` or in a model: when it is deallocated, the notifications end.
///
/// ## Concurrency
/// The rules of ``ObservablePersister``, the counterpart for a persister, apply here too.
public final class ObservablePersistentObject<Object: Sendable>: Observable, Sendable {
    /// The persistent object that this reads and changes.
    public let persistentObject: PersistentObject<Object>

    private let trackers: Trackers
    private let listening: Disposable

    /// Creates an observable for a persistent object.
    ///
    /// - Parameters:
    ///   - persistentObject: The persistent object.
    ///   - delivery: The delivery of notifications to trackers. To miss no change, pass a delivery
    ///     that runs on the actor that reads.
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

    /// The object in memory, or the default if there is none.
    public var object: Object? {
        get {
            // Registered before the object is read, so that no change in between is missed.
            trackers.access()
            return persistentObject.object
        }
        set { persistentObject.object = newValue }
    }

    /// Changes the object in place; see ``PersistentObject/update(_:)``.
    ///
    /// - Parameter body: A closure that changes the object.
    /// - Returns: The result of the closure.
    /// - Throws: Any error that the closure throws.
    @discardableResult
    public func update<Result, Failure: Error>(
        _ body: (inout Object?) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try persistentObject.update(body)
    }
}

extension PersistentObject {
    /// A new observable for this persistent object.
    ///
    /// It notifies its trackers on the main actor.
    ///
    /// Keep the observable, because its notifications end when it is deallocated. For another
    /// delivery, call ``ObservablePersistentObject/init(_:delivery:)``.
    public var observable: ObservablePersistentObject<Object> { ObservablePersistentObject(self) }
}
