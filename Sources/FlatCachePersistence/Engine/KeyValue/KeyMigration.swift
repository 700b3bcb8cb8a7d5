/// The move of a value from an old key to a new one.
struct KeyMigration<Value: Codable & Sendable, Base: Storage>
where Base.Key == String, Base.Value: KeyValueForm {
    let old: KeyAccess<Base>
    let new: KeyAccess<Base>

    /// Moves the value of the old key, if there is one and the new key has no other value.
    func run() throws(PersistenceError) {
        let isStored = try new.channel.exclusively { () throws(PersistenceError) in
            try storeOldValue()
        }
        // Outside of the new key's lock, since the removal calls listeners of the old key. After
        // the write, so that a process that ends in between leaves both values.
        if isStored { try old.store(nil, atOnce: true) }
    }

    /// Stores the value of the old key under the new key.
    ///
    /// - Returns: `true` if the old value must be removed.
    private func storeOldValue() throws(PersistenceError) -> Bool {
        guard let value = try old.reload() else { return false }
        if let newer = try new.reload() {
            // If the values are equal, an earlier move was interrupted. Otherwise an earlier
            // version of the program has written to the old key since; that value remains, unread.
            return newer == value
        }
        do {
            // A value of another type belongs to other code, and a copy of corrupt data would be
            // of no use.
            _ = try value.decoded(as: Value.self)
        } catch {
            throw old.explained(error, .untransform)
        }
        // Another process may have moved the value, so check once more just before the write.
        guard try new.reload() == nil else { return false }
        try new.store(value, atOnce: true)
        return true
    }
}
