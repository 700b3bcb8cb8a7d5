/// An observation of an entity of some type, as the watch graph knows it.
class AnySubscription: AnyRecipient, @unchecked Sendable {
    // Constant, so nothing guards it.

    final let key: CacheKey
    final let following: Following
    /// Whether the observer is told which keys have changed; finding them costs time.
    final let wantsCauses: Bool

    init(
        registration: UInt64,
        key: CacheKey,
        following: Following,
        wantsCauses: Bool,
        delivery: Delivery
    ) {
        self.key = key
        self.following = following
        self.wantsCauses = wantsCauses
        super.init(registration: registration, delivery: delivery)
    }

    override final func leave(_ writer: Writer) { writer.graph.remove(self) }
}

/// An observation of an entity.
final class Subscription<Value: Identifiable & Sendable>: AnySubscription, @unchecked Sendable
where Value.ID: Sendable {
    // Constant, so nothing guards it; the slot is safe by itself.

    private let slot: ObserverSlot<Change<Value>>

    init(
        registration: UInt64,
        key: CacheKey,
        following: Following,
        wantsCauses: Bool,
        delivery: Delivery = .inline,
        observer: @escaping @Sendable (Change<Value>) -> Void
    ) {
        slot = ObserverSlot(observer)
        super.init(
            registration: registration,
            key: key,
            following: following,
            wantsCauses: wantsCauses,
            delivery: delivery
        )
    }

    override func call(_ event: AnyObject) {
        slot.call(unsafeDowncast(event, to: EventBox<Change<Value>>.self).event)
    }

    override func end() { slot.end() }
}
