public import FlatCache
public import Foundation

/// A repository that stores the data of a ``PersistentObject`` under a key of a storage.
///
/// ```swift
/// let storage = InMemoryStorage<String, Data>()
/// let repository = StorageRepository(key: "draft", storedBy: storage)
/// let draft = PersistentObject<Order>(repository: repository)
/// ```
public struct StorageRepository<Base: Storage>: ObjectRepository {
    /// The storage.
    public let storage: Base

    /// The key.
    public let key: Base.Key

    let content: @Sendable (Base.Value) -> ObjectContent
    let value: @Sendable (Data) -> Base.Value

    /// Creates a repository in a storage of data.
    ///
    /// - Parameters:
    ///   - key: The key of the data.
    ///   - storage: The storage.
    public init(key: Base.Key, storedBy storage: Base) where Base.Value == Data {
        self.storage = storage
        self.key = key
        content = { .data($0) }
        value = { $0 }
    }

    /// Creates a repository in a storage of property-list values.
    ///
    /// - Parameters:
    ///   - key: The key of the data.
    ///   - storage: The storage.
    public init(key: Base.Key, storedBy storage: Base) where Base.Value == PropertyListValue {
        self.storage = storage
        self.key = key
        content = { value in
            if case .data(let data) = value { .data(data) } else { .foreign(value) }
        }
        value = { .data($0) }
    }

    /// Returns the data that is stored now, or `nil` if there is none.
    ///
    /// - Throws: The storage's error if the value can't be read, or ``PropertyListError`` if it
    ///   isn't data.
    public func loadData() throws -> Data? {
        switch try storage.retrieveValue(for: key).map(content) {
        case .data(let data): data
        case .foreign(let value): throw ObjectContent.mismatch(value)
        case .absent, nil: nil
        }
    }

    /// Stores data.
    ///
    /// - Parameter data: The data.
    /// - Throws: An error if the data can't be stored.
    public func saveData(_ data: Data) throws { try storage.storeValue(value(data), key: key) }

    /// Removes the data, if there is any.
    ///
    /// - Throws: An error if the data can't be removed.
    public func removeData() throws { try storage.removeValue(for: key) }

    /// Keeps a copy of the data, if the storage is ``CorruptValueKeeping``.
    ///
    /// - Throws: An error if no copy can be kept.
    public func keepCorruptData() throws {
        try KeyAccess(storage, key, isWatched: false).copyCorruptValue()
    }

    /// Calls a closure after each change of the data.
    ///
    /// - Parameter updateListener: The closure; see
    ///   ``Storage/addUpdateListener(forKey:updateListener:)``.
    /// - Returns: A token that ends the calls when it is disposed of or deallocated.
    public func addUpdateListener(
        _ updateListener: @escaping @Sendable () -> Void
    ) -> Disposable {
        storage.addUpdateListener(forKey: key) { _ in updateListener() }
    }
}

extension StorageRepository: StorageBackedRepository {
    func makeAccess() -> any ValueAccess<ObjectContent> {
        // The announcements of a storage without channels are enough if they are complete.
        guard storage is any ChannelledStorage || !storage.announcesEveryChange else {
            return RepositoryStorage(self).access
        }
        return CodedKeyAccess(
            KeyAccess(storage, key),
            encode: { [value] in $0.data.map(value) },
            decode: content
        )
    }
}

extension StorageRepository: CustomStringConvertible {
    /// The repository's name in messages.
    public var description: String { "'\(key)' in \(storage)" }
}
