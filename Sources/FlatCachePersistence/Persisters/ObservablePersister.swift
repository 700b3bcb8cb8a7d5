public import FlatCache
public import Observation

/// A persisted value for the Observation framework: for SwiftUI views and
/// `withObservationTracking`.
///
/// ```swift
/// import SwiftUI
///
/// struct ThemeLabel: View {
///     @State private var theme = settings.$theme.observable
///
///     var body: some View { Text(theme.value) }
/// }
/// ```
///
/// Code that reads ``value`` while tracked is notified once: after the next change, regardless of
/// who makes it, or after the next error. Reading again returns the new value.
///
/// The observable listens for as long as it exists. Keep it in a view's `@State` or in a model:
/// when it is deallocated, the notifications end.
///
/// ## Concurrency
/// You can use the observable on any thread. It notifies trackers on the main actor unless you pass
/// another delivery. To miss no change, pass a delivery that runs on the actor that reads.
/// `Observed` is the counterpart for an entity of a cache.
public final class ObservablePersister<Value: Sendable>: Observable, Sendable {
    /// The persister that this reads and writes through.
    public let persister: Persister<Value>

    private let trackers: Trackers
    private let listening: Disposable

    /// Creates an observable for a persister.
    ///
    /// - Parameters:
    ///   - persister: The persister.
    ///   - delivery: The delivery of notifications to trackers. To miss no change, pass a delivery
    ///     that runs on the actor that reads.
    public init(
        _ persister: Persister<Value>,
        delivery: CacheDelivery = .isolated(to: MainActor.shared)
    ) {
        let trackers = Trackers()
        self.persister = persister
        self.trackers = trackers
        listening = persister.addUpdateListener(delivery: delivery) { _ in trackers.notify() }
    }

    /// The stored value, or the default if no value is stored, or if the stored value is corrupt or
    /// can't be read.
    ///
    /// Setting this property stores the value as setting a ``Persisted`` property does.
    public var value: Value {
        get {
            // Registered before the value is read, so that no change in between is missed.
            trackers.access()
            return persister.retrieveValue()
        }
        set { persister.assign(newValue) }
    }

    /// Changes the value in place; see ``Persister/update(_:)``.
    ///
    /// ```swift
    /// let visits = Persister(key: "visits", defaultValue: 0).observable
    /// try visits.update { $0 += 1 }
    /// ```
    ///
    /// - Parameter body: A closure that changes the value.
    /// - Returns: The result of the closure.
    /// - Throws: Any error that the closure throws, or a ``PersistenceError``.
    @discardableResult
    public func update<Result>(_ body: (inout Value) throws -> Result) throws -> Result {
        try persister.update(body)
    }
}

extension Persister {
    /// A new observable for this persister.
    ///
    /// It notifies its trackers on the main actor.
    ///
    /// Keep the observable, because its notifications end when it is deallocated. For another
    /// delivery, call ``ObservablePersister/init(_:delivery:)``.
    public var observable: ObservablePersister<Value> { ObservablePersister(self) }
}
