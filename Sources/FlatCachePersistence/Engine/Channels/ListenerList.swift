import FlatCache

/// The listeners of one kind of event.
final class ListenerList<Event: Sendable>: Sendable {
    private struct Entries {
        var listeners: [(number: Int, listener: Listener)] = []
        var lastNumber = 0
    }

    private let entries = Locked(Entries())

    func add(
        delivery: CacheDelivery,
        _ receive: @escaping @Sendable (Event) -> Void
    ) -> Disposable {
        let listener = Listener(delivery: delivery, receive)
        let number = entries.withLock { entries in
            entries.lastNumber += 1
            entries.listeners.append((entries.lastNumber, listener))
            return entries.lastNumber
        }
        return Disposable(stopping: listener.end) { [weak self] in
            self?.entries.withLock { $0.listeners.removeAll { $0.number == number } }
        }
    }

    /// Returns the calls that notify all listeners of an event.
    ///
    /// Each call creates an event of its own.
    func calls(_ event: @escaping @Sendable () -> Event) -> [@Sendable () -> Void] {
        entries.withLock { $0.listeners }.map { entry in
            { [listener = entry.listener] in listener.receive(event()) }
        }
    }

    private final class Listener: Sendable {
        private let observer: ObserverSlot<Event>
        /// The delivery queue of a listener that isn't called inline.
        private let queue: DeliveryQueue?

        init(delivery: CacheDelivery, _ receive: @escaping @Sendable (Event) -> Void) {
            observer = ObserverSlot(receive)
            queue = delivery.isInline ? nil : DeliveryQueue(delivery)
        }

        func receive(_ event: Event) {
            guard let queue else { return observer.call(event) }
            queue.append([{ [observer] in observer.call(event) }])
            queue.deliverCalls()
        }

        func end() { observer.end() }
    }
}
