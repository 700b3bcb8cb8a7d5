import FlatCache

final class ListenerList<Event: Sendable>: Sendable {
    private let listeners = Locked<[Observer]>([])

    func add(
        delivery: CacheDelivery,
        _ receive: @escaping @Sendable (Event) -> Void
    ) -> Disposable {
        let listener = Observer(delivery: delivery, receive)
        listeners.withLock { $0.append(listener) }
        return Disposable(stopping: listener.end) { [weak self] in
            self?.listeners.withLock { $0.removeAll { $0 === listener } }
        }
    }

    /// Returns the calls that notify all listeners of an event.
    ///
    /// Each call creates a separate event.
    func calls(_ event: @escaping @Sendable () -> Event) -> [@Sendable () -> Void] {
        listeners.withLock { $0 }.map { listener in
            { listener.receive(EventBox(event())) }
        }
    }
}
