public import FlatCache

/// The shared state of a storage's keys: the order of their writes, their known values, and their
/// listeners.
///
/// Use it in a storage of your own, to order writes and notify listeners:
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
/// All storages of the same values share one instance, so that a write through one storage notifies
/// the listeners of all. If every change passes through the channels, return `true` from
/// ``Storage/announcesEveryChange``, so that reads of a remembered value don't ask the storage.
///
/// ## Concurrency
/// Channels may be used on any thread. Writes and reads of one key exclude each other; those of
/// different keys don't. The closures that are passed to ``write(_:forKey:_:)`` and
/// ``read(forKey:_:)`` run while the key is locked. They may use the same key on the same thread,
/// and must not wait for another thread that uses it.
public final class StorageChannels<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// A closure that begins to watch a key for changes by other code or other processes, and
    /// returns a token that ends the watch, or `nil` if the key can't be watched.
    ///
    /// The channels call the closure when the first property, persister, container or listener of
    /// the key is created, and dispose of the token when the last one is released. At each change,
    /// call ``checkForExternalChange(forKey:_:)``.
    ///
    /// ## Concurrency
    /// The closure runs on the thread that creates the persister or the listener. It must not call
    /// the channels before it returns.
    public typealias Watch = @Sendable (_ key: Key, _ channels: StorageChannels) -> Disposable?

    /// An open channel, and the number of its users.
    struct Entry {
        let channel: StorageChannel<Value>
        /// The number of current users of the channel.
        ///
        /// The entry is removed when it reaches zero.
        var users = 0
    }

    let entries = Locked<[ExactKey<Key>: Entry]>([:])
    /// The reported errors of the keys.
    ///
    /// They outlive the containers, since each access of a property creates a container.
    private let errors = Locked<[ExactKey<Key>: ErrorRecord]>([:])
    let areEqual: ValueComparison<Value>?
    let watch: Watch?
    /// The clock that times the attempts to store unsaved values.
    let clock: any PersistenceClock

    /// Creates channels for a storage.
    ///
    /// Storing an equal value isn't a change, if the values are `Equatable`.
    ///
    /// - Parameter watch: A closure that begins to watch a key for changes from outside, and calls
    ///   ``checkForExternalChange(forKey:_:)`` for each. It's called while the key is locked, and
    ///   must not call back before it returns.
    public convenience init(watch: Watch? = nil) {
        self.init(comparison: ValueComparing.found, watch: watch)
    }

    /// Creates channels for a storage with a comparison of its values.
    ///
    /// - Parameters:
    ///   - areEqual: A closure that returns whether two values are equal, so that storing one over
    ///     the other isn't a change. It's called while the key is locked.
    ///   - watch: A closure that begins to watch a key for changes from outside; see
    ///     ``init(watch:)``.
    public convenience init(
        areEqual: @escaping @Sendable (Value, Value) -> Bool,
        watch: Watch? = nil
    ) {
        self.init(comparison: areEqual, watch: watch)
    }

    init(
        comparison: ValueComparison<Value>?,
        clock: any PersistenceClock = SystemClock(),
        watch: Watch? = nil
    ) {
        areEqual = comparison
        self.watch = watch
        self.clock = clock
    }

    /// Stores or removes a value, and notifies its listeners of a change.
    ///
    /// - Parameters:
    ///   - value: The value, or `nil` to remove it.
    ///   - key: Its key.
    ///   - body: Performs the write. It runs while the key is locked.
    /// - Throws: An error of the closure; no listener is called then.
    #if compiler(>=6.3)
    // Without it, a write looks up the metadata of 40 generic types.
    @specialized(where Key == String, Value == PropertyListValue)
    #endif
    public func write(
        _ value: Value?,
        forKey key: Key,
        _ body: () throws -> Void
    ) rethrows {
        try withChannel(key) { try $0.write(value, body) }
    }

    /// Reads a value.
    ///
    /// If the value has changed without a write through the channels, they notify the listeners.
    ///
    /// - Parameters:
    ///   - key: The value's key.
    ///   - body: A closure that reads the value. It's called while the key is locked.
    /// - Returns: The value from the closure, or a newer one that could not be stored.
    /// - Throws: An error of the closure.
    public func read(forKey key: Key, _ body: () throws -> Value?) throws -> Value? {
        try withChannel(key) { try $0.reload(body) }
    }

    /// Checks a value that may have changed from outside, for example by another process.
    ///
    /// ```swift
    /// let channels = StorageChannels<String, Data>()
    /// // Called when the system reports that another program has changed the keychain.
    /// channels.checkForExternalChange(forKey: "token") { try find("token") }
    /// ```
    ///
    /// Listeners are notified if the value differs from the known one, or if it can't be read.
    ///
    /// - Parameters:
    ///   - key: The value's key.
    ///   - read: A closure that reads the value. It's called while the key is locked, and only if a
    ///     persister or a listener uses the key.
    public func checkForExternalChange(forKey key: Key, _ read: () throws -> Value?) {
        guard let channel = entries.withLock({ $0[ExactKey(key)]?.channel }) else { return }
        channel.checkForExternalChange(read)
    }

    /// Marks a value as possibly changed, so that the next read asks the storage.
    ///
    /// Unlike ``checkForExternalChange(forKey:_:)``, this method reads nothing, waits for no write,
    /// and may be called on a thread that holds another key locked.
    func markOutdated(forKey key: Key) {
        entries.withLock { $0[ExactKey(key)]?.channel }?.markOutdated()
    }

    /// Returns the record of a key's reported errors, shared by all containers of the key.
    func errors(forKey key: Key) -> ErrorRecord {
        errors.withLock { errors in
            let record = errors[ExactKey(key)] ?? ErrorRecord()
            errors[ExactKey(key)] = record
            return record
        }
    }

    /// Calls a closure after each change of a value.
    ///
    /// It implements ``Storage/addUpdateListener(forKey:updateListener:)``.
    ///
    /// - Parameters:
    ///   - key: The value's key.
    ///   - read: A closure that reads the initial value, to which later changes from outside are
    ///     compared.
    ///   - updateListener: The closure.
    /// - Returns: A token that ends the calls.
    public func addUpdateListener(
        forKey key: Key,
        read: () throws -> Value?,
        updateListener: @escaping @Sendable (Value?) -> Void
    ) -> Disposable {
        let lease = open(key)
        // If the value can't be read now, a later read or change reports it.
        _ = try? lease.channel.load(read)
        let listener = lease.channel.addListener(delivery: .inline) { event in
            if case .changed(let value, _) = event { updateListener(value) }
        }
        return Disposable(stopping: listener.dispose) { lease.close() }
    }
}
