import FlatCache

/// A listener of a channel.
final class ChannelListener<Value: Sendable>: Sendable {
    private let slot: ObserverSlot<StorageEvent<Value>>
    /// The delivery queue of a listener that isn't called inline.
    private let queue: DeliveryQueue?

    init(
        delivery: CacheDelivery,
        _ receive: @escaping @Sendable (StorageEvent<Value>) -> Void
    ) {
        slot = ObserverSlot(receive)
        queue = delivery.isInline ? nil : DeliveryQueue(delivery)
    }

    /// Calls the listener, inline or through its delivery, unless it has ended.
    func receive(_ event: StorageEvent<Value>) {
        guard let queue else { return slot.call(event) }
        queue.append([{ [slot] in slot.call(event) }])
        queue.deliverCalls()
    }

    /// Prevents new calls, and releases the closure.
    func end() { slot.end() }
}
