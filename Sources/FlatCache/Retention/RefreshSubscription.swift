/// An observation of what is stale and watched.
final class RefreshSubscription: AnyRecipient, @unchecked Sendable {
    // Constant, so nothing guards it.
    private let slot: ObserverSlot<[CacheKey]>

    init(registration: UInt64, observer: @escaping @Sendable ([CacheKey]) -> Void) {
        slot = ObserverSlot(observer)
        super.init(registration: registration, delivery: .inline)
    }

    override func call(_ event: AnyObject) {
        slot.call(unsafeDowncast(event, to: EventBox<[CacheKey]>.self).event)
    }

    override func end() { slot.end() }

    override func leave(_ writer: Writer) { writer.refreshObservers.remove(registration) }
}
