#if canImport(Darwin)
public import FlatCache
public import Foundation

/// A repository that stores the data of a ``PersistentObject`` under a key of iCloud's key-value
/// storage.
public struct UbiquitousKeyValueStoreRepository: ObjectRepository {
    /// The key.
    public let key: String

    /// Creates a repository.
    ///
    /// - Parameter key: The key, of at most 64 bytes of UTF-8.
    public init(key: String) {
        self.key = key
    }

    private var repository: StorageRepository<UbiquitousKeyValueStorage> {
        StorageRepository(key: key, storedBy: UbiquitousKeyValueStorage())
    }

    /// Returns the data that is stored now, or `nil` if there is none.
    ///
    /// - Throws: ``PropertyListError`` if the stored value isn't data.
    public func loadData() throws -> Data? { try repository.loadData() }

    /// Stores data.
    ///
    /// - Parameter data: The data.
    /// - Throws: ``PersistenceError``. If the data exceeds a limit, its underlying error is a
    ///   ``UbiquitousLimitError``.
    public func saveData(_ data: Data) throws { try repository.saveData(data) }

    /// Removes the data, if there is any.
    ///
    /// - Throws: Never; the requirement of ``ObjectRepository`` may throw.
    public func removeData() throws { try repository.removeData() }

    /// Keeps a copy of the data under another key, `<key>.corrupt-<time>`.
    ///
    /// - Throws: ``PersistenceError`` if no copy can be kept.
    public func keepCorruptData() throws { try repository.keepCorruptData() }

    /// Synchronizes all values on the device with iCloud.
    ///
    /// - Throws: ``PersistenceError`` if the values can't be synchronized.
    public func synchronize() throws { try UbiquitousKeyValueStorage().synchronize() }

    /// Calls a closure after each change of the data, on this device or another.
    ///
    /// - Parameter updateListener: The closure; see
    ///   ``Storage/addUpdateListener(forKey:updateListener:)``.
    /// - Returns: A token that ends the calls when it is disposed of or deallocated.
    public func addUpdateListener(
        _ updateListener: @escaping @Sendable () -> Void
    ) -> Disposable {
        repository.addUpdateListener(updateListener)
    }
}

extension UbiquitousKeyValueStoreRepository: StorageBackedRepository {
    func makeAccess() -> any ValueAccess<ObjectContent> { repository.makeAccess() }
}

extension UbiquitousKeyValueStoreRepository: CustomStringConvertible {
    /// The repository's name in messages.
    public var description: String { "'\(key)' in iCloud's key-value storage" }
}
#endif
