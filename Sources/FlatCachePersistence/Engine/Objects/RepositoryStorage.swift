import FlatCache
import Foundation

/// A storage of one value that wraps a custom repository, so that a persistent object uses it like
/// any other storage.
final class RepositoryStorage: ChannelledStorage, CorruptValueKeeping {
    /// The only key: the name of the object in messages.
    static let key = "object"

    let announcesEveryChange = true
    let channels: StorageChannels<String, Data>
    private let repository: any ObjectRepository

    init(_ repository: any ObjectRepository) {
        self.repository = repository
        channels = StorageChannels(areEqual: ==) { key, channels in
            repository.addUpdateListener { [weak channels] in
                channels?.checkForExternalChange(forKey: key) { try repository.loadData() }
            }
        }
    }

    func storeValue(_ value: Data, key: String) throws {
        try channels.write(value, forKey: key) { try repository.saveData(value) }
    }

    func removeValue(for key: String) throws {
        try channels.write(nil, forKey: key) { try repository.removeData() }
    }

    func retrieveValue(for key: String) throws -> Data? {
        try channels.read(forKey: key) { try repository.loadData() }
    }

    func keepCorruptValue(for key: String) throws -> String? {
        try repository.keepCorruptData()
        return nil
    }
}

extension RepositoryStorage {
    /// The access to the repository's data.
    var access: some ValueAccess<ObjectContent> {
        KeyAccess(self, Self.key, as: StoredForm(encode: \.data, decode: { .data($0) }))
    }
}

extension RepositoryStorage: CustomStringConvertible {
    var description: String { String(describing: repository) }
}

/// A storage that synchronizes its values with a remote one.
protocol RemoteStorage<Key, Value>: Storage {
    func synchronize() throws
}
