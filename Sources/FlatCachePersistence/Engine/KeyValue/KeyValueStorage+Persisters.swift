// Each access of a property creates a container, and each call with a key a persister. Their slots
// therefore don't watch the key.

extension KeyValueStorage {
    /// Returns a slot of a key, which has the prefix of this storage.
    func slot(_ key: String, migratingFrom oldKey: String? = nil) -> KeySlot<Place> {
        KeySlot(
            storage,
            keyPrefix + key,
            migratingFrom: oldKey.map { keyPrefix + $0 },
            isWatched: false
        )
    }

    /// Returns a persister of a value that isn't optional.
    func persister<Value: Codable & Sendable>(
        _ slot: KeySlot<Place>,
        _ behaviour: DefaultValuePersistBehaviour,
        _ defaultValue: @escaping @Sendable () -> Value
    ) -> Persister<Value> {
        persister(
            CodedSlot(
                slot,
                encode: { try Place.Value(encoding: $0) },
                decode: { try $0.decoded(as: Value.self) }
            ),
            slot,
            behaviour,
            defaultValue
        )
    }

    /// Returns a persister of an optional value; storing `nil` removes the stored one.
    func optionalPersister<Wrapped: Codable & Sendable>(
        _ slot: KeySlot<Place>,
        _ behaviour: DefaultValuePersistBehaviour = [],
        _ defaultValue: @escaping @Sendable () -> Wrapped? = { nil }
    ) -> Persister<Wrapped?> {
        persister(
            CodedSlot(
                slot,
                encode: { try $0.map { try Place.Value(encoding: $0) } },
                decode: { try $0.decoded(as: Wrapped.self) }
            ),
            slot,
            behaviour,
            defaultValue
        )
    }

    /// Returns a persister of an optional value without a default.
    func persister<Value: Codable & Sendable>(
        _ key: String,
        _ type: Value.Type
    ) -> Persister<Value?> {
        optionalPersister(slot(key))
    }

    private func persister<Value: Sendable>(
        _ place: CodedSlot<Value, Place>,
        _ slot: KeySlot<Place>,
        _ behaviour: DefaultValuePersistBehaviour,
        _ defaultValue: @escaping @Sendable () -> Value
    ) -> Persister<Value> {
        Persister(
            place,
            defaultValue: DefaultValue(name: slot.name, defaultValue),
            behaviour: behaviour,
            onError: errorHandler,
            errors: slot.errors
        )
    }

    // MARK: Claims and old keys

    /// Claims a key for values of one type.
    ///
    /// - Returns: An error if the key is claimed for another type and that isn't reported yet.
    func claim<Value: Codable & Sendable>(
        _ slot: KeySlot<Place>,
        _ type: Value.Type
    ) -> PersistenceError? {
        slot.records?.claim(slot.key, for: type).map { other in
            slot.explained(KeyConflict(key: slot.key, first: other, second: type), .claim)
        }
    }

    /// Claims a key, and moves the value of its old key.
    ///
    /// - Returns: A Boolean value that indicates whether a default may be stored. If the old value
    ///   could not be moved, no default may take its place.
    func prepare<Value: Codable & Sendable>(
        _ slot: KeySlot<Place>,
        _ type: Value.Type,
        _ oldKey: String?
    ) -> Bool {
        if let conflict = claim(slot, type) {
            assertionFailure("\(conflict.underlying)")
            report(conflict, slot)
        }
        guard let oldKey, slot.records?.isMigrated(slot.key) != true else { return true }
        let old = self.slot(oldKey)
        do throws(PersistenceError) {
            try KeyMigration<Value, Place>(old: old, new: slot).run()
            slot.records?.recordMigration(to: slot.key)
            return true
        } catch {
            report(error, old)
            return false
        }
    }

    private func report(_ error: PersistenceError, _ slot: KeySlot<Place>) {
        if slot.errors.record(error) { (errorHandler ?? PersistenceError.defaultHandler)(error) }
    }
}
