extension KeyValueStorage {
    /// Not available: a value that isn't optional needs a default.
    @available(
        *,
        unavailable,
        message: """
            a value that isn't optional needs a default: write 'makeContainer(defaultValue: value)', or \
            make it a container of an optional
            """
    )
    public func makeContainer<Value: Codable & Sendable>(
        key: String = #function,
        migratingFrom oldKey: String? = nil,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = []
    ) -> KeyValueContainer<Value> {
        preconditionFailure("This container needs a default value. Pass one as defaultValue.")
    }
}
