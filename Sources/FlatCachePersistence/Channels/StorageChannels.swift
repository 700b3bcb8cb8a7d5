public import FlatCache

/// Keeps everybody who uses the keys of a storage in step: the order of its writes, what is known of its
/// values, and who listens to them.
///
/// A storage of your own may have one, and let it do what is hard to do right:
///
/// ```swift
/// final class Keychain: ChannelledStorage {
///     let channels = StorageChannels<String, Data>()
///
///     func storeValue(_ value: Data, key: String) throws {
///         try channels.write(value, forKey: key) { try addOrUpdate(value, key) }
///     }
///
///     func removeValue(for key: String) throws {
///         try channels.write(nil, forKey: key) { try delete(key) }
///     }
///
///     func retrieveValue(for key: String) throws -> Data? {
///         try channels.read(forKey: key) { try find(key) }
///     }
/// }
/// ```
///
/// All storages for the same place share one, so that each notifies the listeners of all. If every
/// change goes through the channels, let the storage return `true` from
/// ``Storage/announcesEveryChange``: then a remembered value is read without asking the storage.
///
/// ## Concurrency
/// It may be used on any thread. Writes and reads of one key take turns; those of different keys don't.
/// Closures that are given to ``write(_:forKey:_:)`` and ``read(forKey:_:)`` run while the key is locked:
/// what they call may use the same key on the same thread, and must not wait for another thread that
/// does.
public final class StorageChannels<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// Begins to watch a key from outside; called when it gets its first listener.
    ///
    /// The token is disposed of when the last has gone.
    public typealias Watch = @Sendable (_ key: Key, _ channels: StorageChannels) -> Disposable?

    private struct Entry {
        let channel: StorageChannel<Value>
        /// How many use the channel right now; without any it is forgotten.
        var users = 0
    }

    private let entries = Guarded<[Key: Entry]>([:])
    private let claims = Guarded<[Key: KeyClaim]>([:])
    /// What those remember of keys who don't stay with them.
    let notes = KeyValueNotes<Key>()
    private let areEqual: ValueComparison<Value>?
    private let watch: Watch?

    /// Creates channels for a storage of values that can't be compared: every write counts as a change.
    ///
    /// - Parameter watch: Begins to watch a key for changes from outside. Whoever watches calls
    ///   ``noteExternalChange(forKey:_:)``.
    public convenience init(watch: Watch? = nil) {
        self.init(comparison: nil, watch: watch)
    }

    /// Creates channels for a storage.
    ///
    /// - Parameters:
    ///   - areEqual: Whether two values are equal, so that storing one over the other changes nothing.
    ///     It is called while the key is locked.
    ///   - watch: Begins to watch a key for changes from outside. Whoever watches calls
    ///     ``noteExternalChange(forKey:_:)``. It is called while the key is locked, and must not call
    ///     back before it returns.
    public convenience init(
        areEqual: @escaping @Sendable (Value, Value) -> Bool,
        watch: Watch? = nil
    ) {
        self.init(comparison: areEqual, watch: watch)
    }

    private init(comparison: ValueComparison<Value>?, watch: Watch?) {
        areEqual = comparison
        self.watch = watch
    }

    /// Creates channels for a storage of values that can be compared.
    ///
    /// - Parameter watch: Begins to watch a key for changes from outside; see ``init(areEqual:watch:)``.
    public convenience init(watch: Watch? = nil) where Value: Equatable {
        self.init(areEqual: ==, watch: watch)
    }

    /// Stores or removes a value, and tells its listeners if that changes anything.
    ///
    /// - Parameters:
    ///   - value: The value, or `nil` to remove it.
    ///   - key: Its key.
    ///   - body: Does it. It runs while the key is locked.
    /// - Throws: What the closure throws; nobody is told anything then.
    public func write(
        _ value: Value?,
        forKey key: Key,
        _ body: () throws -> Void
    ) rethrows {
        try withChannel(key) { try $0.write(value, body) }
    }

    /// Reads a value.
    ///
    /// If somebody else has changed it, listeners are told.
    ///
    /// - Parameters:
    ///   - key: The value's key.
    ///   - body: Reads it. It runs while the key is locked.
    /// - Returns: The value that counts: what the closure has returned, or something newer that could not
    ///   be stored.
    /// - Throws: What the closure throws.
    public func read(forKey key: Key, _ body: () throws -> Value?) throws -> Value? {
        try withChannel(key) { try $0.reload(body) }
    }

    /// Notes that a value may have been changed by somebody else, another process for example.
    ///
    /// Listeners are told if it differs from what was there, and if it can't be read.
    ///
    /// - Parameters:
    ///   - key: The value's key.
    ///   - read: Reads the value. It runs while the key is locked, and only if somebody listens.
    public func noteExternalChange(forKey key: Key, _ read: () throws -> Value?) {
        guard let channel = entries.withLock({ $0[key]?.channel }) else { return }
        channel.noteExternalChange(read)
    }

    /// Notes that a value may have been changed, so that the next read asks the storage.
    ///
    /// Unlike ``noteExternalChange(forKey:_:)`` it reads nothing, waits for no write, and may be
    /// called on a thread that holds another key locked.
    func markOutdated(forKey key: Key) {
        entries.withLock { $0[key]?.channel }?.markOutdated()
    }

    /// Calls a closure after each change of a value.
    ///
    /// See ``Storage/addUpdateListener(forKey:updateListener:)``, which this does.
    ///
    /// - Parameters:
    ///   - key: The value's key.
    ///   - read: Reads the value, so that it is known what a change from outside changes.
    ///   - updateListener: The closure.
    /// - Returns: A token that ends it.
    public func addUpdateListener(
        forKey key: Key,
        read: () throws -> Value?,
        updateListener: @escaping @Sendable (Value?) -> Void
    ) -> Disposable {
        let lease = open(key)
        // What can't be read now is told when it can, or by whoever asks for it.
        _ = try? lease.channel.load(read)
        let listener = lease.channel.addListener(delivery: .inline) { event in
            if case .changed(let value, _) = event { updateListener(value) }
        }
        return Disposable(stopping: listener.dispose) { lease.close() }
    }

    // MARK: For those who stay

    /// Keeps a key's channel, and what it knows in step, until the lease is closed.
    func open(_ key: Key) -> ChannelLease<Value> {
        let channel = take(key)
        channel.beginUse { watch?(key, self) }
        return ChannelLease(channel) { [self] in
            channel.endUse()
            leave(key)
        }
    }

    /// The keys that somebody stays with.
    func openKeys() -> [Key] { entries.withLock { Array($0.keys) } }

    /// Claims a key for values of one type; returns the type that it has been claimed for before, if that
    /// is another.
    func claim(_ key: Key, for type: Any.Type) -> Any.Type? {
        let claim = claims.withLock { claims in
            let claim = claims[key] ?? KeyClaim(type: type)
            claims[key] = claim
            return claim
        }
        return claim.type == type ? nil : claim.type
    }

    private func withChannel<Result>(
        _ key: Key,
        _ body: (StorageChannel<Value>) throws -> Result
    ) rethrows -> Result {
        let channel = take(key)
        defer { leave(key) }
        return try body(channel)
    }

    private func take(_ key: Key) -> StorageChannel<Value> {
        entries.withLock { entries in
            var entry = entries[key] ?? Entry(channel: StorageChannel(areEqual: areEqual))
            entry.users += 1
            entries[key] = entry
            return entry.channel
        }
    }

    private func leave(_ key: Key) {
        let last = entries.withLock { entries -> StorageChannel<Value>? in
            guard var entry = entries[key] else { return nil }
            entry.users -= 1
            entries[key] = entry.users > 0 ? entry : nil
            return entry.channel
        }
        // Released here, outside the lock.
        withExtendedLifetime(last) {}
    }
}

/// The type of values that a key is for.
private struct KeyClaim: @unchecked Sendable {
    // Constant; a metatype is safe to share.
    let type: Any.Type
}
