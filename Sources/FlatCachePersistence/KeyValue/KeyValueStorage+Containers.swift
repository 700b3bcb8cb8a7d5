extension KeyValueStorage {
    /// Returns the container of one value.
    ///
    /// ```swift
    /// extension UserDefaultsStorage {
    ///     var theme: KeyValueContainer<Theme> { makeContainer(defaultValue: .light) }
    /// }
    /// ```
    ///
    /// A key belongs to values of one type. A container that is made for another type, in this
    /// process and in the same place, is a programmer's error: it traps in debug builds, and is
    /// reported to the error handler in others.
    ///
    /// When a key is renamed, the value of the old one, which has the same prefix, is moved once:
    /// stored under the new key, then removed from the old. If both have values the new one counts, and the old one stays
    /// where it is. What can't be read, or is no value of this type, stays as well, and the error
    /// handler is told. Removing the new value removes the old one, too. The move is not atomic
    /// between processes: what another one that has moved the value stores within the moment
    /// between this one's last look and its write, is overwritten.
    ///
    /// - Parameters:
    ///   - key: The key, without the prefix: unless given, the name of the property.
    ///   - oldKey: The key that the value had in earlier versions, without the prefix.
    ///   - defaultValue: What is read while nothing is stored; evaluated when it is first needed,
    ///     at most once by each container.
    ///   - behaviour: When the default value is stored.
    /// - Returns: The container.
    public func makeContainer<Value: Codable & Sendable>(
        key: String = #function,
        migratingFrom oldKey: String? = nil,
        defaultValue: @autoclosure @escaping @Sendable () -> Value,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = []
    ) -> KeyValueContainer<Value> {
        var slot = slot(key, Value.self)
        let isMoved = prepare(&slot, oldKey)
        return KeyValueContainer(
            storage: self,
            key: key,
            cell: RequiredKeyValueCell(
                slot: slot,
                defaultValue: DefaultValue(name: slot.name, defaultValue),
                behaviour: isMoved ? behaviour : []
            )
        )
    }

    /// Returns the container of one optional value; setting it to `nil` removes what is stored.
    ///
    /// - Parameters:
    ///   - key: The key, without the prefix: unless given, the name of the property.
    ///   - oldKey: The key that the value had in earlier versions, without the prefix; see
    ///     ``makeContainer(key:migratingFrom:defaultValue:defaultValuePersistBehaviour:)``.
    ///   - defaultValue: What is read while nothing is stored; evaluated when it is first needed,
    ///     at most once by each container.
    ///   - behaviour: When the default value is stored.
    /// - Returns: The container.
    public func makeContainer<Wrapped: Codable & Sendable>(
        key: String = #function,
        migratingFrom oldKey: String? = nil,
        defaultValue: @autoclosure @escaping @Sendable () -> Wrapped? = nil,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = []
    ) -> KeyValueContainer<Wrapped?> {
        var slot = slot(key, Wrapped.self)
        let isMoved = prepare(&slot, oldKey)
        return KeyValueContainer(
            storage: self,
            key: key,
            cell: OptionalKeyValueCell(
                slot: slot,
                defaultValue: DefaultValue(name: slot.name, defaultValue),
                behaviour: isMoved ? behaviour : []
            )
        )
    }

    /// Claims a key, and moves the value of its old one.
    ///
    /// - Returns: Whether a default value may be stored: not over what could not be moved.
    private func prepare<Value>(
        _ slot: inout KeyValueSlot<Value, Place>,
        _ oldKey: String?
    ) -> Bool {
        if let conflict = slot.claim() {
            assertionFailure("\(conflict.underlying)")
            slot.report(conflict)
        }
        guard let oldKey else { return true }
        let old = self.slot(oldKey, Value.self)
        slot.oldKey = old.key
        return slot.move(from: old)
    }
}
