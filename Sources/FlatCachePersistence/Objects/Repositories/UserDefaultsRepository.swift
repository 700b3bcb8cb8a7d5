public import FlatCache
public import Foundation

/// A key of the user's defaults as the place of a ``PersistentObject``.
public struct UserDefaultsRepository: ObjectRepository {
    private let place: StorageRepository<UserDefaultsStorage>

    /// Creates a repository.
    ///
    /// - Parameters:
    ///   - key: The key, which may have dots.
    ///   - userDefaults: The defaults.
    public init(key: String, userDefaults: UserDefaults = .standard) {
        place = StorageRepository(key: key, storedBy: UserDefaultsStorage(userDefaults))
    }

    /// Returns the data that is stored now, or `nil` if there is none.
    ///
    /// - Throws: ``PersistenceError`` if there may be data that can't be read, or if there is
    ///   something that is no data.
    public func loadData() throws -> Data? { try place.loadData() }

    /// Stores data.
    ///
    /// - Parameter data: The data.
    /// - Throws: ``PersistenceError`` if it could not be stored.
    public func saveData(_ data: Data) throws { try place.saveData(data) }

    /// Removes the data, if there is any.
    ///
    /// - Throws: ``PersistenceError`` if it could not be removed.
    public func removeData() throws { try place.removeData() }

    /// Keeps a copy of what is stored under another key, `<key>.corrupt-<time>`.
    ///
    /// - Throws: ``PersistenceError`` if it could not be kept.
    public func keepCorruptData() throws { try place.keepCorruptData() }

    /// Calls a closure after the data has changed; changes by other processes may coalesce.
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

extension UserDefaultsRepository: PlacedRepository {
    func makePlace() -> any ObjectPlace { place.makePlace() }
}

extension UserDefaultsRepository: CustomStringConvertible {
    /// What the repository is called in messages.
    public var description: String { place.description }
}
