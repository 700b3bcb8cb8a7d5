import FlatCache

/// Someone whom a channel tells of changes.
final class ChannelListener<Value: Sendable>: Sendable {
    private let slot: ObserverSlot<StorageEvent<Value>>
    /// The line of a listener with a delivery of its own.
    private let line: DeliveryLine?

    init(
        delivery: CacheDelivery,
        _ receive: @escaping @Sendable (StorageEvent<Value>) -> Void
    ) {
        slot = ObserverSlot(receive)
        line = delivery.isInline ? nil : DeliveryLine(delivery)
    }

    /// Calls the listener, or has it called where it wants to be, unless it has ended.
    func receive(_ event: StorageEvent<Value>) {
        guard let line else { return slot.call(event) }
        line.append([{ [slot] in slot.call(event) }])
        line.deliverCalls()
    }

    /// Lets no new call start, and releases the closure.
    func end() { slot.end() }
}
