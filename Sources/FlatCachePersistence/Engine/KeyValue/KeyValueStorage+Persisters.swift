extension KeyValueStorage {
    /// Returns the access to a key, to which the prefix of this storage is added.
    func keyAccess(_ key: String, migratingFrom oldKey: String? = nil) -> KeyAccess<Base> {
        KeyAccess(storage, keyPrefix + key, migratingFrom: oldKey.map { keyPrefix + $0 })
    }

    /// Returns a persister of a value that isn't optional.
    func persister<Value: Codable & Sendable>(
        _ keyAccess: KeyAccess<Base>,
        _ behaviour: DefaultValuePersistBehaviour,
        _ defaultValue: @escaping @Sendable () -> Value
    ) -> Persister<Value> {
        persister(
            CodedKeyAccess(
                keyAccess,
                encode: { try Base.Value(encoding: $0) },
                decode: { try $0.decoded(as: Value.self) }
            ),
            keyAccess,
            behaviour,
            defaultValue
        )
    }

    /// Returns a persister of an optional value; storing `nil` removes the stored one.
    func optionalPersister<Wrapped: Codable & Sendable>(
        _ keyAccess: KeyAccess<Base>,
        _ behaviour: DefaultValuePersistBehaviour = [],
        _ defaultValue: @escaping @Sendable () -> Wrapped? = { nil }
    ) -> Persister<Wrapped?> {
        persister(
            CodedKeyAccess(
                keyAccess,
                encode: { try $0.map { try Base.Value(encoding: $0) } },
                decode: { try $0.decoded(as: Wrapped.self) }
            ),
            keyAccess,
            behaviour,
            defaultValue
        )
    }

    /// Returns a persister of an optional value without a default.
    func persister<Value: Codable & Sendable>(
        _ key: String,
        _ type: Value.Type
    ) -> Persister<Value?> {
        optionalPersister(keyAccess(key))
    }

    private func persister<Value: Sendable>(
        _ access: CodedKeyAccess<Value, Base>,
        _ keyAccess: KeyAccess<Base>,
        _ behaviour: DefaultValuePersistBehaviour,
        _ defaultValue: @escaping @Sendable () -> Value
    ) -> Persister<Value> {
        Persister(
            access,
            defaultValue: DefaultValue(name: keyAccess.name, defaultValue),
            behaviour: behaviour,
            onError: errorHandler,
            errors: keyAccess.errors
        )
    }

    // MARK: Old keys

    /// Moves the value of the old key of a container, if it has one.
    ///
    /// - Returns: `true` if a default may be stored. If the old value could not be moved, no
    ///   default may take its place.
    func migrate<Value: Codable & Sendable>(
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
