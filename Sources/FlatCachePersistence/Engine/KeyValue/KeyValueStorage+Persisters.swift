extension KeyValueStorage {
    /// Returns the access to a key, to which the prefix of this storage is added.
    func access<Value: Sendable>(
        _ key: String,
        as form: StoredForm<Value, Base.Value>,
        migratingFrom oldKey: String? = nil
    ) -> KeyAccess<Value, Base> {
        let oldKey = oldKey.map { keyPrefix + $0 }
        return KeyAccess(storage, keyPrefix + key, migratingFrom: oldKey, as: form)
    }

    /// Returns a persister of an optional value without a default.
    func persister<Value: Codable & Sendable>(
        _ key: String,
        _ type: Value.Type
    ) -> Persister<Value?> {
        let form = StoredForm<Value?, _>(CodableTransformer<Value, Base.Value>())
        return persister(access(key, as: form), []) { nil }
    }

    private func persister<Value: Sendable>(
        _ access: KeyAccess<Value, Base>,
        _ behaviour: DefaultValuePersistBehaviour,
        _ defaultValue: @escaping @Sendable () -> Value
    ) -> Persister<Value> {
        Persister(
            access,
            defaultValue: DefaultValue(name: access.name, defaultValue),
            behaviour: behaviour,
            onError: errorHandler,
            errors: access.errors
        )
    }

    /// Returns a container of a value, and moves the value of its old key.
    func container<Value: Sendable>(
        _ key: String,
        _ oldKey: String?,
        as form: StoredForm<Value, Base.Value>,
        _ behaviour: DefaultValuePersistBehaviour,
        _ defaultValue: @escaping @Sendable () -> Value
    ) -> KeyValueContainer<Value> {
        let access = access(key, as: form, migratingFrom: oldKey)
        // If the old value could not be moved, no default may take its place.
        let mayStoreDefault = oldKey.map { migrate(to: access, from: $0) } ?? true
        return KeyValueContainer(
            storage: self,
            key: key,
            storedKey: access.key,
            persister: persister(access, mayStoreDefault ? behaviour : [], defaultValue)
        )
    }

    // MARK: Old keys

    /// Moves the value of the old key of a container once.
    ///
    /// - Returns: `false` if the old value could not be moved.
    private func migrate<Value: Sendable>(
        to new: KeyAccess<Value, Base>,
        from oldKey: String
    ) -> Bool {
        if new.records?.isMigrated(new.key) == true { return true }
        let old = access(oldKey, as: new.form)
        do throws(PersistenceError) {
            let isStored = try new.exclusively { () throws(PersistenceError) in
                try storeValue(of: old, to: new)
            }
            // Outside of the new key's lock, since the removal calls listeners of the old key.
            // After the write, so that a process that ends in between leaves both values.
            if isStored { try old.write(nil, atOnce: true) }
            new.records?.recordMigration(to: new.key)
            return true
        } catch {
            if old.errors.record(error) {
                (errorHandler ?? PersistenceError.defaultHandler)(error)
            }
            return false
        }
    }

    /// Stores the value of an old key under the new key.
    ///
    /// - Returns: `true` if the old value must be removed.
    private func storeValue<Value: Sendable>(
        of old: KeyAccess<Value, Base>,
        to new: KeyAccess<Value, Base>
    ) throws(PersistenceError) -> Bool {
        guard let value = try old.reloadStored() else { return false }
        // If the values are equal, an earlier move was interrupted. Otherwise an earlier version of
        // the program has written to the old key since; that value remains, unread.
        if let newer = try new.reloadStored() { return newer == value }
        // A value of another type belongs to other code, and a copy of corrupt data would be of no
        // use.
        if case .corrupt(let error) = old.content(of: value) { throw error }
        // Another process may have moved the value, so check once more just before the write.
        guard try new.reloadStored() == nil else { return false }
        try new.write(value, atOnce: true)
        return true
    }
}

/// The conversion of `Codable` values to the form in which a storage holds them.
struct CodableTransformer<Value: Codable & Sendable, Form: KeyValueForm>: Transformer {
    func transformValue(_ value: Value) throws -> Form { try Form(encoding: value) }
    func untransformValue(_ output: Form) throws -> Value { try output.decoded(as: Value.self) }
}
