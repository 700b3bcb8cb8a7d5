#if canImport(Darwin)
/// A storage that keeps values in iCloud, shared by all devices of a user.
///
/// ```swift
/// import FlatCachePersistence
/// import UIKit
///
/// let iCloud = UbiquitousKeyValueStorage()
/// let theme = Persister(key: "theme", storedBy: iCloud, defaultValue: "light")
/// ```
///
/// The app needs the entitlement for iCloud's key-value storage. iCloud holds up to 1,024 keys, of
/// up to 64 bytes of UTF-8 each, and one megabyte for all values together. The storage refuses a
/// value beyond these limits.
///
/// All instances share their state. A stored value is on the device when the call returns. The
/// system decides when it sends values to iCloud and receives the values that other devices have
/// stored.
public struct UbiquitousKeyValueStorage: ChannelledStorage, CorruptValueKeeping {
    static let shared = SharedUbiquitousStore(SystemUbiquitousStore())

    /// Creates a storage.
    public init() {}

    /// The channels of all values in iCloud.
    public var channels: StorageChannels<String, PropertyListValue> { Self.shared.channels }

    /// Always `true`: every change passes through the channels.
    public var announcesEveryChange: Bool { true }

    /// Stores a value.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - key: Its key.
    /// - Throws: ``PersistenceError``, also if the value exceeds a limit.
    /// - Complexity: O(*n*), where *n* is the size of all values.
    public func storeValue(_ value: PropertyListValue, key: String) throws {
        try Self.shared.storeValue(value, key: key)
    }

    /// Removes a value, if there is one.
    ///
    /// - Parameter key: The value's key.
    /// - Throws: This storage throws no error.
    public func removeValue(for key: String) throws {
        try Self.shared.removeValue(for: key)
    }

    /// Returns a value, or `nil` if there is none.
    ///
    /// - Parameter key: The value's key.
    /// - Throws: ``PersistenceError`` if the value isn't one that a property list can hold.
    public func retrieveValue(for key: String) throws -> PropertyListValue? {
        try Self.shared.retrieveValue(for: key)
    }

    /// Copies a value to another key, `<key>.corrupt-<time>-<number>`.
    ///
    /// - Parameter key: The value's key.
    /// - Returns: The other key; `nil` if there is no value.
    /// - Throws: ``PersistenceError`` if the value could not be copied, for example because the
    ///   other key is too long.
    public func keepCorruptValue(for key: String) throws -> String? {
        try Self.shared.keepCorruptValue(for: key)
    }

    /// Synchronizes the values in memory with those on the device, and notifies listeners of
    /// changed values.
    ///
    /// Call this method when the app launches; later, the system synchronizes by itself.
    ///
    /// - Throws: ``PersistenceError`` if the synchronization failed, for example because the
    ///   entitlement is missing.
    public func synchronize() throws { try Self.shared.synchronize() }
}

extension UbiquitousKeyValueStorage: KeyEnumerating {
    /// The keys that have values, sorted.
    public var keys: [String] { Self.shared.keys }
}

extension UbiquitousKeyValueStorage: CustomStringConvertible {
    /// The name of the storage in messages.
    public var description: String { Self.shared.description }
}
#endif
