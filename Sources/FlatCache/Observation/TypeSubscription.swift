/// An observation of all entities of a type.
final class TypeSubscription<Value: Identifiable & Sendable>: AnyRecipient, @unchecked Sendable
where Value.ID: Sendable {
    // Constant, so nothing guards it.

    /// The table stays with its cache's core, which whoever ends this observation holds.
    private unowned let table: Table<Value>
    private let slot: ObserverSlot<TypeChanges<Value>>

    init(
        registration: UInt64,
        table: Table<Value>,
        delivery: Delivery,
        observer: @escaping @Sendable (TypeChanges<Value>) -> Void
    ) {
        self.table = table
        slot = ObserverSlot(observer)
        super.init(registration: registration, delivery: delivery)
    }

    override func call(_ event: AnyObject) {
        slot.call(unsafeDowncast(event, to: EventBox<TypeChanges<Value>>.self).event)
    }

    override func end() { slot.end() }

    override func leave(_ writer: Writer) { table.typeObservers.remove(registration) }
}
