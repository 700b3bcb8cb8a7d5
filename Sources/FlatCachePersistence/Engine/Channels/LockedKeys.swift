import FlatCache

/// The keys that each thread has locked, as a number, and the delivery queues that wait until the
/// thread has unlocked all of them.
///
/// An update of one key may write another key. The listeners of the second key are called after the
/// first key is unlocked as well, so that they may use both.
enum LockedKeys {
    private struct Holder {
        var depth = 0
        var queues: [DeliveryQueue] = []
    }

    private static let holders = Locked<[UInt: Holder]>([:])

    /// Records that this thread is about to lock a key.
    static func begin() {
        holders.withLock { $0[currentThread, default: Holder()].depth += 1 }
    }

    /// Records that this thread has unlocked a key whose queue may hold calls.
    ///
    /// - Returns: The queues to deliver if this was the last key; otherwise an empty array.
    static func end(_ queue: DeliveryQueue) -> [DeliveryQueue] {
        holders.withLock { holders in
            guard var holder = holders[currentThread] else { return [queue] }
            holder.depth -= 1
            if !holder.queues.contains(where: { $0 === queue }) { holder.queues.append(queue) }
            holders[currentThread] = holder.depth > 0 ? holder : nil
            return holder.depth > 0 ? [] : holder.queues
        }
    }

    /// Postpones the calls of a queue if this thread has locked a key.
    ///
    /// - Returns: `true` if the calls are postponed.
    static func postpone(_ queue: DeliveryQueue) -> Bool {
        holders.withLock { holders in
            guard holders[currentThread] != nil else { return false }
            holders[currentThread]?.queues.append(queue)
            return true
        }
    }
}

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

extension Locked {
    /// Changes the state, and releases the previous values after the lock, because a deinitializer
    /// may run user code.
    ///
    /// A collection that the closure changes is copied.
    func change(_ body: (inout State) -> Void) {
        let previous = withLock { state in
            defer { body(&state) }
            return state
        }
        withExtendedLifetime(previous) {}
    }
}
