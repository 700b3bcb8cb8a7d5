public import FlatCache

/// A storage that has its listeners, and the order of its writes, kept by ``StorageChannels``.
///
/// It need not say how listeners are added. All that use it agree at once: each thread reads the
/// value that another has written. If ``Storage/announcesEveryChange`` is `true`, reads don't ask
/// the storage.
public protocol ChannelledStorage<Key, Value>: Storage {
    /// The channels, shared by all storages for the same place.
    var channels: StorageChannels<Key, Value> { get }

    /// Returns what a key is called in the channels, where two keys may stand for one place.
    ///
    /// Unless it says otherwise, a storage uses its keys as they are. What it returns is a key, too, and
    /// is called the same in the channels; a ``Persister`` goes on to use it.
    ///
    /// - Parameter key: The key.
    func channelKey(for key: Key) -> Key
}

extension ChannelledStorage {
    /// Returns the key as it is.
    ///
    /// - Parameter key: The key.
    public func channelKey(for key: Key) -> Key { key }

    /// Calls a closure after each change of a value.
    ///
    /// - Parameters:
    ///   - key: The value's key.
    ///   - updateListener: The closure, with what is stored, or `nil` if it has been removed.
    /// - Returns: A token that ends it.
    public func addUpdateListener(
        forKey key: Key,
        updateListener: @escaping @Sendable (Value?) -> Void
    ) -> Disposable {
        channels.addUpdateListener(
            forKey: channelKey(for: key),
            read: { try retrieveValue(for: key) },
            updateListener: updateListener
        )
    }
}
