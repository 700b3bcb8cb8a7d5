import FlatCache
import Foundation

/// The values of one store in iCloud, with the channels and listeners that all storages share.
final class SharedUbiquitousStore: ChannelledStorage, CorruptValueKeeping, RemoteStorage {
    let channels = StorageChannels<String, PropertyListValue>()
    private let store: any UbiquitousStore
    /// Held while a write checks the limits and stores its value.
    private let measuring = WriterLock()
    private let listening = Locked<Disposable?>(nil)

    init(_ store: any UbiquitousStore) {
        self.store = store
        let token = store.addChangeListener { [weak self] in self?.checkForExternalChanges() }
        listening.withLock { $0 = token }
    }

    func storeValue(_ value: PropertyListValue, key: String) throws {
        try explaining(.write, key) {
            try channels.write(value, forKey: key) {
                measuring.acquire()
                defer { measuring.release() }
                try checkLimits(value, key)
                store.set(value, forKey: key)
            }
        }
    }

    func removeValue(for key: String) throws {
        channels.write(nil, forKey: key) { store.removeValue(forKey: key) }
    }

    func retrieveValue(for key: String) throws -> PropertyListValue? {
        try explaining(.read, key) {
            try channels.read(forKey: key) { try store.value(forKey: key) }
        }
    }

    func keepCorruptValue(for key: String) throws -> String? {
        try explaining(.keepCorrupt, key) {
            guard let value = try store.value(forKey: key) else { return nil }
            let copy = "\(key).\(uniqueCorruptMarker())"
            try storeValue(value, key: copy)
            return copy
        }
    }

    /// The keys that have values, sorted.
    var keys: [String] { store.values().keys.sorted() }

    func synchronize() throws {
        guard store.synchronize() else {
            throw PersistenceError(
                .read,
                key: "*",
                storage: self,
                underlying: StorageFailure(
                    """
                    the system did not synchronize; does the app have the entitlement for iCloud's \
                    key-value storage?
                    """
                )
            )
        }
        // Announced as well, but perhaps later.
        checkForExternalChanges()
    }

    /// Compares all values in use with those on the device.
    ///
    /// The system doesn't always report which values have changed, and reading one is cheap.
    private func checkForExternalChanges() {
        for key in channels.openKeys() {
            channels.checkForExternalChange(forKey: key) { try store.value(forKey: key) }
        }
    }

    /// Throws an error if the value would exceed a limit of the system.
    private func checkLimits(_ value: PropertyListValue, _ key: String) throws {
        let others = store.values().filter { !$0.key.hasSameBytes(as: key) }
        let size = try others.values.reduce(size(of: value)) { $0 + (try self.size(of: $1)) }
        try check(key.utf8.count, atMost: 64, "bytes in a key")
        try check(others.count + 1, atMost: 1024, "keys")
        try check(size, atMost: 1 << 20, "bytes in all values")
    }

    private func check(_ count: Int, atMost limit: Int, _ what: String) throws {
        if count > limit { throw StorageFailure("iCloud takes \(limit) \(what), not \(count)") }
    }

    private func size(of value: PropertyListValue) throws -> Int {
        switch value {
        case .data(let data): data.count
        case .string(let string): string.utf8.count
        case .bool: 1
        case .integer, .unsignedInteger, .double, .date: 8
        case .array, .dictionary: try value.propertyListData(format: .binary).count
        }
    }
}

extension SharedUbiquitousStore: CustomStringConvertible {
    var description: String { "iCloud's key-value storage" }
}

/// The system's store of values in iCloud, or its replacement in tests.
protocol UbiquitousStore: Sendable {
    func value(forKey key: String) throws -> PropertyListValue?
    func set(_ value: PropertyListValue, forKey key: String)
    func removeValue(forKey key: String)

    /// Returns all values that a property list can hold, and omits the others.
    func values() -> [String: PropertyListValue]

    /// Synchronizes the values in memory with those on the device, and returns whether that
    /// succeeded.
    func synchronize() -> Bool

    /// Calls a closure for each change from outside.
    func addChangeListener(_ listener: @escaping @Sendable () -> Void) -> Disposable
}
