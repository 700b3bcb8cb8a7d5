import FlatCache

@testable import FlatCachePersistence

/// The storage as it is on Apple's systems, where every change is announced.
struct AnnouncingStorage: ChannelledStorage {
    let base: UserDefaultsStorage
    let announcesEveryChange = true

    init(_ base: UserDefaultsStorage) { self.base = base }

    var channels: StorageChannels<String, PropertyListValue> { base.channels }
    func storeValue(_ value: PropertyListValue, key: String) throws {
        try base.storeValue(value, key: key)
    }
    func removeValue(for key: String) throws { try base.removeValue(for: key) }
    func retrieveValue(for key: String) throws -> PropertyListValue? {
        try base.retrieveValue(for: key)
    }
}
