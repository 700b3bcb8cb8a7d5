import FlatCache

/// One key of a storage of `Codable` values, for those who don't stay with it: making one opens
/// nothing.
struct KeyValueSlot<Value: Codable & Sendable, Place: Storage>: Sendable
where Place.Key == String, Place.Value: KeyValueForm {
    let place: Place
    /// The key, with the prefix.
    let key: String
    let errorHandler: PersistenceErrorHandler?
    /// The key that the value had before, which must not come back when the value is removed.
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

    /// What the value is called in messages.
    var name: @Sendable () -> String { { "'\(key)' in \(place)" } }

    // MARK: Reading and writing

    /// The value that is stored, if there is one.
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

    /// Stores a value, or removes the one that is there.
    func store(_ value: Value?) throws(PersistenceError) {
        let form = try encoded(value)
        do {
            if let form {
                try place.storeValue(form, key: key)
            } else {
                // First, so that whoever ends here leaves the newer one.
                if let oldKey { try place.removeValue(for: oldKey) }
                try place.removeValue(for: key)
            }
        } catch {
            throw explained(error, form == nil ? .remove : .write)
        }
        notes?.keepUnsaved(nil, forKey: channelKey)
    }

    /// Stores a value; if it can't be stored, it is read all the same until something else is, and
    /// the error is told.
    ///
    /// - Parameters:
    ///   - value: The value, which may have been made of the default that was read in the place of
    ///     something that can't be understood.
    ///   - isRead: Whether this knows of what has been read, so that it need not look.
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

    /// The key as those use it who stay; `nil` is stored by removing what is there.
    private func coded() -> CodedSlot<Value?, Place> {
        CodedSlot(
            KeySlot(place, key),
            encode: { try $0.map { try Place.Value(encoding: $0) } },
            decode: { try $0.decoded(as: Value.self) }
        )
    }

    // MARK: Errors

    /// The value that is stored; why it can't be had is told.
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

    /// Tells of an error, unless it was told last time.
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
    /// - Returns: What is wrong, if it has been claimed for another; only the first time.
    func claim() -> PersistenceError? {
        guard let channels, let other = channels.claim(channelKey, for: Value.self),
            channels.notes.noteConflict(forKey: channelKey)
        else { return nil }
        let conflict = KeyConflict(key: key, first: other, second: Value.self)
        return explained(conflict, .claim)
    }

    // MARK: Moving

    /// Moves the value of an old key here, once.
    ///
    /// - Returns: Whether all is well; what is not is told.
    func move(from old: KeyValueSlot) -> Bool {
        if notes?.hasMoved(channelKey) ?? false { return true }
        do throws(PersistenceError) {
            let isDone = try exclusively { () throws(PersistenceError) in try takeOver(old) }
            // Not under the lock of this key, since listeners of the other are told. And only now, so
            // that a process that ends in between leaves both.
            if isDone { try old.discard() }
            notes?.noteMoved(channelKey)
            return true
        } catch {
            old.report(error)
            return false
        }
    }

    /// Stores the value of an old key here.
    ///
    /// - Returns: Whether the old one is to be removed.
    private func takeOver(_ old: KeyValueSlot) throws(PersistenceError) -> Bool {
        guard let value = try old.form() else { return false }
        if let newer = try form() {
            // Equal: an earlier move was cut off. Otherwise an earlier version of the program has
            // written to the old key since; that is kept, and not read.
            return newer == value
        }
        do {
            // What is of another type is somebody else's, and what is damaged is no better
            // elsewhere.
            _ = try value.decoded(as: Value.self)
        } catch {
            throw old.explained(error, .untransform)
        }
        do {
            // Another process may have been faster, so it is looked once more, as late as can be.
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
    /// A persister with a default value of its own.
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

    /// A persister of optional values; storing `nil` removes what is there.
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

/// Says that a key has been claimed for values of two types.
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
