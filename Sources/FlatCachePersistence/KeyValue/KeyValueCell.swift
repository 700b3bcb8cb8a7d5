/// The operations of a container, independent of its storage and of the optionality of its value.
protocol KeyValueCell<Value>: Sendable {
    associatedtype Value: Sendable

    var storedKey: String { get }
    var defaultValue: DefaultValue<Value> { get }
    /// Returns the stored value or the default, and reports errors to the handler.
    func read() -> Value
    func readOrThrow() throws -> Value
    func assign(_ value: Value)
    func store(_ value: Value) throws
    func remove() throws
    func makePersister() -> Persister<Value>
}

/// The cell of a value that isn't optional.
struct RequiredKeyValueCell<Value: Codable & Sendable, Place: Storage>: KeyValueCell
where Place.Key == String, Place.Value: KeyValueForm {
    let slot: KeyValueSlot<Value, Place>
    let defaultValue: DefaultValue<Value>
    let behaviour: DefaultValuePersistBehaviour

    var storedKey: String { slot.key }

    func read() -> Value {
        guard behaviour.isEmpty else { return makePersister().retrieveValue() }
        return slot.loadOrReport() ?? defaultValue()
    }

    func readOrThrow() throws -> Value {
        guard behaviour.isEmpty else { return try makePersister().retrieveValueOrThrow() }
        return try slot.load() ?? defaultValue()
    }

    func assign(_ value: Value) { slot.assign(value, isRead: behaviour.isEmpty) }
    func store(_ value: Value) throws { try slot.store(value) }
    func remove() throws { try slot.store(nil) }

    func makePersister() -> Persister<Value> {
        slot.persister(defaultValue: defaultValue, behaviour: behaviour)
    }
}

/// The cell of an optional value; storing `nil` removes the stored value.
struct OptionalKeyValueCell<Wrapped: Codable & Sendable, Place: Storage>: KeyValueCell
where Place.Key == String, Place.Value: KeyValueForm {
    let slot: KeyValueSlot<Wrapped, Place>
    let defaultValue: DefaultValue<Wrapped?>
    let behaviour: DefaultValuePersistBehaviour

    var storedKey: String { slot.key }

    func read() -> Wrapped? {
        guard behaviour.isEmpty else { return makePersister().retrieveValue() }
        return slot.loadOrReport() ?? defaultValue()
    }

    func readOrThrow() throws -> Wrapped? {
        guard behaviour.isEmpty else { return try makePersister().retrieveValueOrThrow() }
        return try slot.load() ?? defaultValue()
    }

    func assign(_ value: Wrapped?) { slot.assign(value, isRead: behaviour.isEmpty) }
    func store(_ value: Wrapped?) throws { try slot.store(value) }
    func remove() throws { try slot.store(nil) }

    func makePersister() -> Persister<Wrapped?> {
        slot.optionalPersister(defaultValue: defaultValue, behaviour: behaviour)
    }
}
