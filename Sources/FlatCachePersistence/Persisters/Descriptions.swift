public import FlatCache

extension Persister: CustomStringConvertible, DescribedByOneLine {
    /// The type, the key and the storage, such as `Persister<Int> of 'count' in memory`.
    public var description: String { "\(Self.self) of \(access.place)" }
}

extension Persisted: CustomStringConvertible, DescribedByOneLine {
    /// The type, the key and the storage, such as `Persisted<Int> of 'count' in memory`.
    public var description: String { "\(Self.self) of \(projectedValue.access.place)" }
}

extension PersistentObject: CustomStringConvertible, DescribedByOneLine {
    /// The type and the repository, such as `PersistentObject<Settings> of /tmp/settings.json`.
    public var description: String { "\(Self.self) of \(access.place)" }
}

extension FileStorage: DescribedByOneLine {}
extension FileWriteMonitor: DescribedByOneLine {}
extension InMemoryStorage: DescribedByOneLine {}
extension StorageChannels: DescribedByOneLine {}
extension UserDefaultsStorage: DescribedByOneLine {}
extension StorageRepository: DescribedByOneLine {}
