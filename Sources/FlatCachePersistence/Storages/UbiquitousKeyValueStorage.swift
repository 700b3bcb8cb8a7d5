#if canImport(Darwin)
public import FlatCache

/// Keeps values in iCloud, where all devices of a user see them.
///
/// The app needs the entitlement for iCloud's key-value storage. There may be 1,024 keys, of 64
/// bytes of UTF-8, and all values together may have one megabyte; what would be more is refused
/// with a ``UbiquitousLimitError``.
///
/// All storages are one: they share what they know. A value is on the device when it has been
/// stored; the system brings it to iCloud, and what other devices have stored from there, when it
/// sees fit.
public struct UbiquitousKeyValueStorage: ChannelledStorage, CorruptValueKeeping {
    static let place = UbiquitousPlace(SystemUbiquitousStore())

    /// Creates a storage.
    public init() {}

    /// The channels of all values in iCloud.
    public var channels: StorageChannels<String, PropertyListValue> { Self.place.channels }

    /// Always `true`: every change goes through the channels.
    public var announcesEveryChange: Bool { true }

    /// Stores a value.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - key: Its key.
    /// - Throws: ``PersistenceError``, with a ``UbiquitousLimitError`` underneath if it is too
    ///   much.
    /// - Complexity: O(*n*) in the size of all values.
    public func storeValue(_ value: PropertyListValue, key: String) throws {
        try Self.place.storeValue(value, key: key)
    }

    /// Removes a value, if there is one.
    ///
    /// - Parameter key: The value's key.
    /// - Throws: Nothing here.
    public func removeValue(for key: String) throws {
        try Self.place.removeValue(for: key)
    }

    /// Returns a value, or `nil` if there is none.
    ///
    /// - Parameter key: The value's key.
    /// - Throws: ``PersistenceError`` if it is none that a property list holds.
    public func retrieveValue(for key: String) throws -> PropertyListValue? {
        try Self.place.retrieveValue(for: key)
    }

    /// Copies a value to another key, `<key>.corrupt-<time>-<number>`.
    ///
    /// - Parameter key: The value's key.
    /// - Returns: The other key; `nil` if there is no value.
    /// - Throws: ``PersistenceError`` if it could not be copied, as where the other key is too
    ///   long.
    public func keepCorruptValue(for key: String) throws -> String? {
        try Self.place.keepCorruptValue(for: key)
    }

    /// Exchanges the values in memory with those on the device; listeners are told of what is new.
    ///
    /// The system recommends to do so when an app has been started, and does it by itself later.
    ///
    /// - Throws: ``PersistenceError`` if that is impossible, as without the entitlement.
    public func synchronize() throws { try Self.place.synchronize() }

    /// Calls a closure for each change from outside, with the reason: other values of the same
    /// account, another account, or values that are too large to be kept.
    ///
    /// ## Concurrency
    /// The closure is called on the thread on which the system tells of the change, under no lock,
    /// after the listeners to the values have been.
    ///
    /// - Parameters:
    ///   - delivery: Where and when the closure is called.
    ///   - listener: The closure.
    /// - Returns: A token: when it is disposed of or goes, no new call starts.
    public func addChangeListener(
        delivery: CacheDelivery = .inline,
        _ listener: @escaping @Sendable (UbiquitousChange) -> Void
    ) -> Disposable {
        Self.place.addChangeListener(delivery: delivery, listener)
    }
}

extension UbiquitousKeyValueStorage: KeyEnumerating, KeyValueStorage {
    /// The keys that have values, sorted.
    public var keys: [String] { Self.place.keys }

    /// The storage itself.
    public var storage: UbiquitousKeyValueStorage { self }
}

extension UbiquitousKeyValueStorage: CustomStringConvertible {
    /// What the storage is called in messages.
    public var description: String { Self.place.description }
}
#endif
