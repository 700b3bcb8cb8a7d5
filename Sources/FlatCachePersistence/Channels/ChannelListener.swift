import FlatCache

/// A listener of a channel.
final class ChannelListener<Value: Sendable>: Sendable {
    private let slot: ObserverSlot<StorageEvent<Value>>
    /// The delivery line of a listener that isn't called inline.
    private let line: DeliveryLine?

    init(
        delivery: CacheDelivery,
        _ receive: @escaping @Sendable (StorageEvent<Value>) -> Void
    ) {
        slot = ObserverSlot(receive)
        line = delivery.isInline ? nil : DeliveryLine(delivery)
    }

    /// Calls the listener, inline or through its delivery, unless it has ended.
    func receive(_ event: StorageEvent<Value>) {
        guard let line else { return slot.call(event) }
        line.append([{ [slot] in slot.call(event) }])
        line.deliverCalls()
    }

    /// Prevents new calls, and releases the closure.
    func end() { slot.end() }
}
