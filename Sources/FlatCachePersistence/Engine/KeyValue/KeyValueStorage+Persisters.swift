extension KeyValueStorage {
    /// Returns the access to a key, to which the prefix of this storage is added.
    func keyAccess(_ key: String, migratingFrom oldKey: String? = nil) -> KeyAccess<Base> {
        KeyAccess(storage, keyPrefix + key, migratingFrom: oldKey.map { keyPrefix + $0 })
    }

    /// Returns a persister of an optional value without a default.
    func persister<Value: Codable & Sendable>(
        _ key: String,
        _ type: Value.Type
    ) -> Persister<Value?> {
        let form = StoredForm<Value?, _>(CodableTransformer<Value, Base.Value>())
        return persister(keyAccess(key), form, []) { nil }
    }

    private func persister<Value: Sendable>(
        _ keyAccess: KeyAccess<Base>,
        _ form: StoredForm<Value, Base.Value>,
        _ behaviour: DefaultValuePersistBehaviour,
        _ defaultValue: @escaping @Sendable () -> Value
    ) -> Persister<Value> {
        Persister(
            CodedKeyAccess(keyAccess, form),
            defaultValue: DefaultValue(name: keyAccess.name, defaultValue),
            behaviour: behaviour,
            onError: errorHandler,
            errors: keyAccess.errors
        )
    }

    /// Returns a container of a value, and moves the value of its old key.
    func container<Value: Sendable, Coded: Codable & Sendable>(
        _ key: String,
        _ oldKey: String?,
        _ type: Coded.Type,
        _ form: StoredForm<Value, Base.Value>,
        _ behaviour: DefaultValuePersistBehaviour,
        _ defaultValue: @escaping @Sendable () -> Value
    ) -> KeyValueContainer<Value> {
        let keyAccess = keyAccess(key, migratingFrom: oldKey)
        let mayStoreDefault = migrate(to: keyAccess, from: oldKey, type)
        return KeyValueContainer(
            storage: self,
            key: key,
            storedKey: keyAccess.key,
            persister: persister(keyAccess, form, mayStoreDefault ? behaviour : [], defaultValue)
        )
    }

    // MARK: Old keys

    /// Moves the value of the old key of a container, if it has one.
    ///
    /// - Returns: `true` if a default may be stored. If the old value could not be moved, no
    ///   default may take its place.
    private func migrate<Value: Codable & Sendable>(
        to keyAccess: KeyAccess<Base>,
        from oldKey: String?,
        _ type: Value.Type
    ) -> Bool {
        guard let oldKey, keyAccess.records?.isMigrated(keyAccess.key) != true else { return true }
        let old = self.keyAccess(oldKey)
        do throws(PersistenceError) {
            try KeyMigration<Value, Base>(old: old, new: keyAccess).run()
            keyAccess.records?.recordMigration(to: keyAccess.key)
            return true
        } catch {
            if old.errors.record(error) {
                (errorHandler ?? PersistenceError.defaultHandler)(error)
            }
            return false
        }
    }
}

/// The conversion of `Codable` values to the form in which a storage holds them.
struct CodableTransformer<Value: Codable & Sendable, Form: KeyValueForm>: Transformer {
    func transformValue(_ value: Value) throws -> Form { try Form(encoding: value) }
    func untransformValue(_ output: Form) throws -> Value { try output.decoded(as: Value.self) }
}
