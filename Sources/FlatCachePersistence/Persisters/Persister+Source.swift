public import FlatCache

/// A persister is a source: it's read and observed like an entity of a cache.
///
/// ```swift
/// let observation = settings.$theme.observe(initial: true) { theme in print(theme) }
/// for await theme in settings.$theme.values { print(theme) }
/// ```
///
/// An observer of the state receives the newest value after each change and each error. An observer
/// of the changes receives the results that a listener receives. Each observation and each iterator
/// keeps the persister alive.
extension Persister: CacheSource {
    /// A change of the value, or an error that no caller could receive.
    public typealias Change = Result<Update, any Error>

    /// The stored value, or the default if no value is stored, or if the stored value is corrupt or
    /// can't be read.
    ///
    /// Setting this property stores the value as setting a ``Persisted`` property does.
    public var value: Value {
        get { retrieveValue() }
        set { assign(newValue) }
    }

    /// The ``value``.
    public var state: Value { retrieveValue() }

    /// Calls a closure after each change and each error.
    public func _observe(
        initial: Bool,
        delivery: CacheDelivery,
        _ receive: @escaping @Sendable (StateNotification<Value>) -> Void
    ) -> Disposable {
        observeLatest(initial, delivery, inOrder: access.call, receive)
    }

    /// Calls a closure with each change and each error.
    public func _observeChanges(
        delivery: CacheDelivery,
        _ receive: @escaping @Sendable (Change) -> Void
    ) -> Disposable {
        addUpdateListener(delivery: delivery, receive)
    }
}

extension CacheSource {
    /// Observes the changes, and reads the latest state for each delivery.
    ///
    /// - Parameter call: A closure that makes calls in order with those of the changes, under no
    ///   lock.
    func observeLatest(
        _ initial: Bool,
        _ delivery: CacheDelivery,
        inOrder call: ([@Sendable () -> Void]) -> Void,
        _ receive: @escaping @Sendable (StateNotification<State>) -> Void
    ) -> Disposable {
        let newest = StateNotification<State>.latest { [self] in .some(state) }
        let observer = Observer(delivery: delivery) { (_: Void) in receive(newest) }
        let listening = _observeChanges(delivery: .inline) { _ in observer.receive(EventBox(())) }
        if initial { call([{ observer.receive(EventBox(())) }]) }
        return Disposable(stopping: {
            observer.end()
            listening.dispose()
        }) {}
    }
}
