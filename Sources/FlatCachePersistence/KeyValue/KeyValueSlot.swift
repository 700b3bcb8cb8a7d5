import FlatCache

/// One key of a storage of `Codable` values.
///
/// Creating a slot opens no channel, so a container can create one at each access.
struct KeyValueSlot<Value: Codable & Sendable, Place: Storage>: Sendable
where Place.Key == String, Place.Value: KeyValueForm {
    let place: Place
    /// The key, with the prefix.
    let key: String
    let errorHandler: PersistenceErrorHandler?
    /// The key of the value in earlier versions, which a removal clears as well.
    var oldKey: String?
    private let channels: StorageChannels<String, Place.Value>?
    private let channelKey: String

    init(_ place: Place, _ key: String, _ errorHandler: PersistenceErrorHandler?) {
        self.place = place
        self.key = key
        self.errorHandler = errorHandler
        if let shared = place as? any ChannelledStorage<String, Place.Value> {
            channels = shared.channels
            channelKey = shared.channelKey(for: key)
        } else {
            channels = nil
            channelKey = key
        }
    }

    private var notes: KeyValueNotes<String>? { channels?.notes }

    /// The name of the value in messages.
    var name: @Sendable () -> String { { "'\(key)' in \(place)" } }

    // MARK: Reading and writing

    /// Returns the stored value, or `nil` if there is none.
    func load() throws(PersistenceError) -> Value? {
        guard let form = try form() else { return nil }
        do {
            return try form.decoded(as: Value.self)
        } catch {
            throw explained(error, .untransform)
        }
    }

    private func form() throws(PersistenceError) -> Place.Value? {
        notes?.saveAgain(forKey: channelKey)
        do {
            return try place.retrieveValue(for: key)
        } catch {
            throw explained(error, .read)
        }
    }

    /// Stores a value; `nil` removes the stored one.
    func store(_ value: Value?) throws(PersistenceError) {
        let form = try encoded(value)
        do {
            if let form {
                try place.storeValue(form, key: key)
            } else {
                // The old key comes first: a process that ends in between leaves the newer value.
                if let oldKey { try place.removeValue(for: oldKey) }
                try place.removeValue(for: key)
            }
        } catch {
            throw explained(error, form == nil ? .remove : .write)
        }
        notes?.keepUnsaved(nil, forKey: channelKey)
    }

    /// Stores a value or, if it can't be stored, reports the error and keeps the value in memory
    /// until another value is stored.
    ///
    /// - Parameters:
    ///   - value: The value. It may be derived from a default that was read in place of corrupt
    ///     data.
    ///   - isRead: A Boolean value that indicates whether reads through this storage have noted
    ///     their errors, so that corrupt data needs no further read.
    func assign(_ value: Value?, isRead: Bool) {
        if isRead ? notes?.hasError(forKey: channelKey) ?? isCorrupt : isCorrupt {
            return assignWithCare(value)
        }
        do {
            try store(value)
            notes?.noteSuccess(forKey: channelKey)
        } catch {
            assignWithCare(value)
        }
    }

    private var isCorrupt: Bool {
        do {
            _ = try load()
            return false
        } catch {
            return true
        }
    }

    private func assignWithCare(_ value: Value?) {
        let coded = coded()
        do throws(UnsavedValue) {
            try coded.storeOrKeep(value, keepingCorrupt: true)
            notes?.keepUnsaved(nil, forKey: channelKey)
            notes?.noteSuccess(forKey: channelKey)
        } catch {
            if error.isKept {
                notes?.keepUnsaved(coded, forKey: channelKey)
            } else {
                coded.report(error.reason)
            }
            report(error.reason)
        }
    }

    private func encoded(_ value: Value?) throws(PersistenceError) -> Place.Value? {
        do {
            return try value.map { try Place.Value(encoding: $0) }
        } catch {
            throw explained(error, .transform)
        }
    }

    /// Returns a slot that opens the key's channel; storing `nil` removes the stored value.
    private func coded() -> CodedSlot<Value?, Place> {
        CodedSlot(
            KeySlot(place, key),
            encode: { try $0.map { try Place.Value(encoding: $0) } },
            decode: { try $0.decoded(as: Value.self) }
        )
    }

    // MARK: Errors

    /// Returns the stored value, or `nil` after reporting the error of the read.
    func loadOrReport() -> Value? {
        do throws(PersistenceError) {
            let value = try load()
            notes?.noteSuccess(forKey: channelKey)
            return value
        } catch {
            report(error)
            return nil
        }
    }

    /// Reports an error to the handler, unless it equals the last reported one.
    func report(_ error: PersistenceError) {
        guard notes?.noteError(error, forKey: channelKey) ?? true else { return }
        (errorHandler ?? PersistenceError.defaultHandler)(error)
    }

    private func explained(
        _ error: any Error,
        _ operation: PersistenceError.Operation
    ) -> PersistenceError {
        place.explained(error, operation, key)
    }

    // MARK: Claiming

    /// Claims the key for values of this type.
    ///
    /// - Returns: An error if the key is claimed for another type; `nil` if that is reported.
    func claim() -> PersistenceError? {
        guard let channels, let other = channels.claim(channelKey, for: Value.self),
            channels.notes.noteConflict(forKey: channelKey)
        else { return nil }
        let conflict = KeyConflict(key: key, first: other, second: Value.self)
        return explained(conflict, .claim)
    }

    // MARK: Moving

    /// Moves the value of an old key to this key, once, and reports errors.
    ///
    /// - Returns: A Boolean value that indicates whether the move has succeeded or wasn't needed.
    func move(from old: KeyValueSlot) -> Bool {
        if notes?.hasMoved(channelKey) ?? false { return true }
        do throws(PersistenceError) {
            let isDone = try exclusively { () throws(PersistenceError) in try takeOver(old) }
            // Outside of this key's lock, since the removal calls listeners of the old key. After
            // the write, so that a process that ends in between leaves both values.
            if isDone { try old.discard() }
            notes?.noteMoved(channelKey)
            return true
        } catch {
            old.report(error)
            return false
        }
    }

    /// Stores the value of an old key under this key.
    ///
    /// - Returns: A Boolean value that indicates whether the old value must be removed.
    private func takeOver(_ old: KeyValueSlot) throws(PersistenceError) -> Bool {
        guard let value = try old.form() else { return false }
        if let newer = try form() {
            // If the values are equal, an earlier move was interrupted. Otherwise an earlier
            // version of the program has written to the old key since; that value stays, unread.
            return newer == value
        }
        do {
            // A value of another type belongs to other code, and a copy of corrupt data would be
            // of no use.
            _ = try value.decoded(as: Value.self)
        } catch {
            throw old.explained(error, .untransform)
        }
        do {
            // Another process may have moved the value first, so look again just before the write.
            guard try form() == nil else { return false }
            try place.storeValue(value, key: key)
            return true
        } catch {
            throw explained(error, .write)
        }
    }

    private func discard() throws(PersistenceError) {
        do {
            try place.removeValue(for: key)
        } catch {
            throw explained(error, .remove)
        }
    }

    private func exclusively<Result>(
        _ body: () throws(PersistenceError) -> Result
    ) throws(PersistenceError) -> Result {
        guard let lease = channels?.open(channelKey) else { return try body() }
        defer { lease.close() }
        return try lease.channel.exclusively(body)
    }
}

extension KeyValueSlot {
    /// Returns a persister with a default value.
    func persister(
        defaultValue: DefaultValue<Value>,
        behaviour: DefaultValuePersistBehaviour
    ) -> Persister<Value> {
        let slot = CodedSlot<Value, Place>(
            KeySlot(place, key),
            encode: { try Place.Value(encoding: $0) },
            decode: { try $0.decoded(as: Value.self) }
        )
        return Persister(
            slot,
            defaultValue: defaultValue,
            behaviour: behaviour,
            onError: errorHandler
        )
    }

    /// Returns a persister of optional values; storing `nil` removes the stored value.
    func optionalPersister(
        defaultValue: DefaultValue<Value?>,
        behaviour: DefaultValuePersistBehaviour
    ) -> Persister<Value?> {
        Persister(
            coded(),
            defaultValue: defaultValue,
            behaviour: behaviour,
            onError: errorHandler
        )
    }
}

/// An error: a key was claimed for values of two types.
struct KeyConflict: Error, CustomStringConvertible {
    let key: String
    let first: any Any.Type
    let second: any Any.Type

    var description: String {
        """
        The key '\(key)' holds values of the type \(first), and a container was made for values \
        of the type \(second) under the same key. Give one of the two another key, or their \
        storages different prefixes.
        """
    }
}
