public import FlatCache
public import Observation

/// A persisted value for the Observation framework: for SwiftUI views and `withObservationTracking`.
///
/// Whoever reads ``value`` while tracked hears of the next change, by whomever, and of the next error:
/// once, after the change, so that reading again shows it.
///
/// It listens for as long as it lives. Keep it, in a view's `@State` or in a model: once it has gone
/// nobody is told any more.
///
/// ## Concurrency
/// It may be used on any thread. Trackers are told on the main actor, unless another delivery is given:
/// give one that runs on the actor that reads, if no change is to be missed. See `ObservableCached`, which
/// is the same for an entity of a cache.
public final class ObservablePersister<Value: Sendable>: Observable, Sendable {
    /// The persister that this reads and writes through.
    public let persister: Persister<Value>

    private let trackers: Trackers
    private let listening: Disposable

    /// Creates an observable for a persister.
    ///
    /// - Parameters:
    ///   - persister: The persister.
    ///   - delivery: Where and when trackers are told: on the actor that reads, if no change is to be
    ///     missed.
    public init(
        _ persister: Persister<Value>,
        delivery: CacheDelivery = .isolated(to: MainActor.shared)
    ) {
        let trackers = Trackers()
        self.persister = persister
        self.trackers = trackers
        listening = persister.addUpdateListener(delivery: delivery) { _ in trackers.notify() }
    }

    /// The value that is stored, or the default if there is none or it can't be had.
    ///
    /// Setting it stores it, as setting a ``Persisted`` property does.
    public var value: Value {
        get {
            // Noted before the value is read: what is told in between concerns a tracker, too.
            trackers.access()
            return persister.retrieveValue()
        }
        set { persister.assign(newValue) }
    }

    /// Changes the value in place; see ``Persister/update(_:)``.
    ///
    /// - Parameter body: Changes the value.
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws, or ``PersistenceError``.
    @discardableResult
    public func update<Result>(_ body: (inout Value) throws -> Result) throws -> Result {
        try persister.update(body)
    }
}

extension Persister {
    /// The value for the Observation framework, made anew each time; its trackers are told on the main
    /// actor.
    ///
    /// Keep it: it tells nobody once it has gone. To give it another delivery make it with its
    /// initializer.
    public var observable: ObservablePersister<Value> { ObservablePersister(self) }
}
