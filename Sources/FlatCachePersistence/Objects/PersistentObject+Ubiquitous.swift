#if canImport(Darwin)
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

extension PersistentObject where Object: Codable {
    /// Creates a persistent object in iCloud, as JSON, and loads it.
    ///
    /// The parameter `ubiquitousKeyValueStoreKey` is the key in iCloud's key-value storage. The
    /// other parameters are those of
    /// ``init(repository:transformer:defaultValue:conflictRule:onError:)``.
    public convenience init(
        ubiquitousKeyValueStoreKey: String,
        defaultValue: @autoclosure @escaping @Sendable () -> Object? = nil,
        conflictRule: ConflictRule = .automatic,
        onError errorHandler: PersistenceErrorHandler? = nil
    ) {
        self.init(
            repository: UbiquitousKeyValueStoreRepository(key: ubiquitousKeyValueStoreKey),
            defaultValue: defaultValue(),
            conflictRule: conflictRule,
            onError: errorHandler
        )
    }
}
#endif
