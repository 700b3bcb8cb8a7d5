public import FlatCache
public import Foundation

/// A repository that stores the data of a ``PersistentObject`` under a key of user defaults.
///
/// ```swift
/// let draft = PersistentObject<Order>(repository: UserDefaultsRepository(key: "draft"))
/// ```
public struct UserDefaultsRepository: ObjectRepository {
    private let repository: StorageRepository<UserDefaultsStorage>

    /// Creates a repository.
    ///
    /// - Parameters:
    ///   - key: The key. It may have dots.
    ///   - userDefaults: The user defaults.
    public init(key: String, userDefaults: UserDefaults = .standard) {
        repository = StorageRepository(key: key, storedBy: UserDefaultsStorage(userDefaults))
    }

    /// Returns the data that is stored now, or `nil` if there is none.
    ///
    /// - Throws: ``PersistenceError`` if there may be data that can't be read, or
    ///   ``PropertyListError`` if the stored value isn't data.
    public func loadData() throws -> Data? { try repository.loadData() }

    /// Stores data.
    ///
    /// - Parameter data: The data.
    /// - Throws: ``PersistenceError`` if the data can't be stored.
    public func saveData(_ data: Data) throws { try repository.saveData(data) }

    /// Removes the data, if there is any.
    ///
    /// - Throws: ``PersistenceError`` if the data can't be removed.
    public func removeData() throws { try repository.removeData() }

    /// Keeps a copy of the stored value under another key, `<key>.corrupt-<time>`.
    ///
    /// - Throws: ``PersistenceError`` if no copy can be kept.
    public func keepCorruptData() throws { try repository.keepCorruptData() }

    /// Calls a closure after the data has changed; changes by other processes may coalesce.
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

extension UserDefaultsRepository: StorageBackedRepository {
    func makeAccess() -> any ValueAccess<ObjectContent> { repository.makeAccess() }
}

extension UserDefaultsRepository: CustomStringConvertible {
    /// The repository's name in messages.
    public var description: String { repository.description }
}
