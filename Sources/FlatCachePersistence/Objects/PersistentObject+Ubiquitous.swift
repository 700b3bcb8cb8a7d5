#if canImport(Darwin)
public import Foundation

/// A repository that stores the data of a ``PersistentObject`` under a key of iCloud's key-value
/// storage.
public typealias UbiquitousKeyValueStoreRepository = StorageRepository<UbiquitousKeyValueStorage>

extension StorageRepository<UbiquitousKeyValueStorage> {
    /// Creates a repository in iCloud.
    ///
    /// - Parameter key: The key, of at most 64 bytes of UTF-8.
    public init(key: String) { self.init(key: key, storedBy: UbiquitousKeyValueStorage()) }
}

extension UbiquitousKeyValueStorage: RemoteStorage {}

extension PersistentObject {
    /// Creates a persistent object in iCloud, and loads it.
    ///
    /// The parameter `ubiquitousKeyValueStoreKey` is the key in iCloud's key-value storage. The
    /// other parameters are those of
    /// ``init(repository:transformer:defaultValue:conflictRule:onError:)``.
    public convenience init<Form: Transformer>(
        ubiquitousKeyValueStoreKey: String,
        transformer: Form,
        defaultValue: @autoclosure @escaping @Sendable () -> Object? = nil,
        conflictRule: ConflictRule = .automatic,
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Form.Input == Object, Form.Output == Data {
        self.init(
            repository: UbiquitousKeyValueStoreRepository(key: ubiquitousKeyValueStoreKey),
            transformer: transformer,
            defaultValue: defaultValue(),
            conflictRule: conflictRule,
            onError: errorHandler
        )
    }
}

extension PersistentObject where Object: Codable {
    /// Creates a persistent object in iCloud, as JSON, and loads it.
    ///
    /// The parameters are those of
    /// ``init(ubiquitousKeyValueStoreKey:transformer:defaultValue:conflictRule:onError:)``.
    public convenience init(
        ubiquitousKeyValueStoreKey: String,
        defaultValue: @autoclosure @escaping @Sendable () -> Object? = nil,
        conflictRule: ConflictRule = .automatic,
        onError errorHandler: PersistenceErrorHandler? = nil
    ) {
        self.init(
            ubiquitousKeyValueStoreKey: ubiquitousKeyValueStoreKey,
            transformer: JSONTransformer(),
            defaultValue: defaultValue(),
            conflictRule: conflictRule,
            onError: errorHandler
        )
    }
}
#endif
