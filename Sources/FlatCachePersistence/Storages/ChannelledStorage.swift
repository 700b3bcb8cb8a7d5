public import FlatCache
import Foundation

/// A storage that leaves its listeners, and the order of its writes, to ``StorageChannels``.
///
/// ```swift
/// final class Shelf: ChannelledStorage {
///     let channels = StorageChannels<String, Data>()
///
///     func storeValue(_ value: Data, key: String) throws {
///         try channels.write(value, forKey: key) { print("put \(key)") }
///     }
///
///     func removeValue(for key: String) throws {
///         try channels.write(nil, forKey: key) { print("delete \(key)") }
///     }
///
///     func retrieveValue(for key: String) throws -> Data? {
///         try channels.read(forKey: key) { nil }
///     }
/// }
/// ```
///
/// A channelled storage doesn't implement the registration of listeners. After a thread has written
/// a value, all threads read it, through any persister of the key. If
/// ``Storage/announcesEveryChange`` is `true`, reads don't ask the storage.
public protocol ChannelledStorage<Key, Value>: Storage {
    /// The channels, shared by all storages of the same values.
    var channels: StorageChannels<Key, Value> { get }

    /// Returns the key that the channels use for a key, so that two keys can identify one value.
    ///
    /// The default implementation returns the key unchanged. The returned key must be a valid key
    /// that maps to itself; a ``Persister`` uses it from then on.
    ///
    /// - Parameter key: The key.
    func channelKey(for key: Key) -> Key
}

extension ChannelledStorage {
    /// Returns the key unchanged.
    ///
    /// - Parameter key: The key.
    public func channelKey(for key: Key) -> Key { key }

    /// Calls a closure after each change of a value.
    ///
    /// ```swift
    /// let listening = Keychain().addUpdateListener(forKey: "token") { token in
    ///     print(token == nil ? "signed out" : "signed in")
    /// }
    /// ```
    ///
    /// ## Concurrency
    /// See ``Storage/addUpdateListener(forKey:updateListener:)``.
    ///
    /// - Parameters:
    ///   - key: The value's key.
    ///   - updateListener: A closure that receives the stored value, or `nil` after a removal.
    /// - Returns: A token that ends the calls.
    public func addUpdateListener(
        forKey key: Key,
        updateListener: @escaping @Sendable (Value?) -> Void
    ) -> Disposable {
        let (channelKey, following) = follow(key)
        let listening = channels.addUpdateListener(
            forKey: channelKey,
            read: { try retrieveValue(for: key) },
            updateListener: updateListener
        )
        return Disposable(stopping: listening.dispose) { following?.dispose() }
    }

    /// Begins to use a key.
    ///
    /// - Returns: The key of the channel, and for a file, a token that keeps its path in use, so
    ///   that a link is followed when it's pointed elsewhere.
    func follow(_ key: Key) -> (channelKey: Key, following: Disposable?) {
        guard self is FileStorage, let url = key as? URL,
            case let (found, token) = FileChannels.follow(url), let found = found as? Key
        else { return (channelKey(for: key), nil) }
        return (found, token)
    }
}
