#if canImport(Darwin)
public import FlatCache
public import Foundation

/// A key in iCloud as the place of a ``PersistentObject``.
public struct UbiquitousKeyValueStoreRepository: ObjectRepository {
    /// The key.
    public let key: String

    /// Creates a repository.
    ///
    /// - Parameter key: The key, of at most 64 bytes of UTF-8.
    public init(key: String) {
        self.key = key
    }

    private var place: StorageRepository<UbiquitousKeyValueStorage> {
        StorageRepository(key: key, storedBy: UbiquitousKeyValueStorage())
    }

    /// Returns the data that is stored now, or `nil` if there is none.
    ///
    /// - Throws: If there is something that is no data.
    public func loadData() throws -> Data? { try place.loadData() }

    /// Stores data.
    ///
    /// - Parameter data: The data.
    /// - Throws: ``PersistenceError``, with a ``UbiquitousLimitError`` underneath if it is too
    ///   much.
    public func saveData(_ data: Data) throws { try place.saveData(data) }

    /// Removes the data, if there is any.
    ///
    /// - Throws: Nothing here.
    public func removeData() throws { try place.removeData() }

    /// Keeps a copy of the data under another key, `<key>.corrupt-<time>`.
    ///
    /// - Throws: ``PersistenceError`` if it could not be kept.
    public func keepCorruptData() throws { try place.keepCorruptData() }

    /// Exchanges all values in iCloud with those on the device.
    ///
    /// - Throws: ``PersistenceError`` if that is impossible.
    public func synchronize() throws { try UbiquitousKeyValueStorage().synchronize() }

    /// Calls a closure after each change of the data, on this device or another.
    ///
    /// - Parameter updateListener: The closure; see
    ///   ``Storage/addUpdateListener(forKey:updateListener:)``.
    /// - Returns: A token that ends it.
    public func addUpdateListener(
        _ updateListener: @escaping @Sendable () -> Void
    ) -> Disposable {
        place.addUpdateListener(updateListener)
    }
}

extension UbiquitousKeyValueStoreRepository: PlacedRepository {
    func makePlace() -> any ObjectPlace { place.makePlace(synchronize: synchronize) }
}

extension UbiquitousKeyValueStoreRepository: CustomStringConvertible {
    /// What the repository is called in messages.
    public var description: String { "'\(key)' in iCloud's key-value storage" }
}
#endif
