import Foundation

/// A storage that can exclude other processes from the updates of a value.
protocol LockableStorage<Key, Value>: Storage {
    /// Returns the folder whose lock excludes other processes that change a value.
    ///
    /// The method creates the folder if it doesn't exist.
    func lockedFolder(forKey key: Key) throws -> String
}

extension FileStorage: LockableStorage {
    func lockedFolder(forKey key: URL) throws -> String {
        let folder = AtomicFile.parent(
            of: try FileChannels.path(of: FileChannels.resolvedURL(of: key))
        )
        try AtomicFile.createFolder(folder, isPrivate: false)
        return folder
    }
}

extension UserDefaultsStorage: LockableStorage {
    func lockedFolder(forKey key: String) throws -> String { try domain.lockedFolder() }
}
