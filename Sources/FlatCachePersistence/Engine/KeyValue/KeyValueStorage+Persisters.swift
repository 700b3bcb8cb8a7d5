extension KeyValueStorage {
    /// Returns the access to a key, to which the prefix of this storage is added.
    func access<Value: Sendable>(
        _ key: String,
        as form: StoredForm<Value, Base.Value>
    ) -> KeyAccess<Value, Base> {
        KeyAccess(storage, keyPrefix + key, as: form)
    }

    /// Returns a persister of an optional value without a default.
    func persister<Value: Codable & Sendable>(
        _ key: String,
        _ type: Value.Type
    ) -> Persister<Value?> {
        persister(key, as: StoredForm(CodableTransformer<Value, Base.Value>()), []) { nil }
    }

    func persister<Value: Sendable>(
        _ key: String,
        as form: StoredForm<Value, Base.Value>,
        _ behaviour: DefaultValuePersistBehaviour,
        _ defaultValue: @escaping @Sendable () -> Value
    ) -> Persister<Value> {
        let access = access(key, as: form)
        return Persister(
            access,
            behaviour: behaviour,
            onError: errorHandler,
            errors: access.errors,
            defaultValue: defaultValue
        )
    }
}

/// The conversion of `Codable` values to the form in which a storage holds them.
struct CodableTransformer<Value: Codable & Sendable, Form: KeyValueForm>: Transformer {
    func transformValue(_ value: Value) throws -> Form { try Form(encoding: value) }

    func untransformValue(_ output: Form) throws -> Value { try output.decoded(as: Value.self) }
}
