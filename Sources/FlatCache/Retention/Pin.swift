/// Keeps an entity from being evicted, until it is left to be ended.
final class Pin<Value: Identifiable & Sendable>: AnyRecipient, @unchecked Sendable
where Value.ID: Sendable {
    // Constant, so nothing guards it.
    private let id: Value.ID
    /// The table stays with its cache's core, which whoever ends this holds.
    private unowned let table: Table<Value>

    init(registration: UInt64, id: Value.ID, table: Table<Value>) {
        self.id = id
        self.table = table
        super.init(registration: registration, delivery: .inline)
    }

    override func leave(_ writer: Writer) { table.unpin(id) }
}
