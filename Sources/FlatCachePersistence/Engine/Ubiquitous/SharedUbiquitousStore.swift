import FlatCache
import Foundation

/// The values of one store in iCloud, with the channels and listeners that all storages share.
final class SharedUbiquitousStore: ChannelledStorage, CorruptValueKeeping, RemoteStorage {
    let channels = StorageChannels<String, PropertyListValue>()
    private let store: any UbiquitousStore
    private let listeners = ListenerList<UbiquitousChange>()
    private let queue = DeliveryQueue(.inline)
    /// Held while a write checks the limits and stores its value.
    private let measuring = WriterLock()
    private let listening = Locked<Disposable?>(nil)

    init(_ store: any UbiquitousStore) {
        self.store = store
        let token = store.addChangeListener { [weak self] change in self?.handle(change) }
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
        for key in channels.openKeys() { checkForExternalChange(key) }
    }

    func addChangeListener(
        delivery: CacheDelivery,
        _ listener: @escaping @Sendable (UbiquitousChange) -> Void
    ) -> Disposable {
        listeners.add(delivery: delivery, listener)
    }

    private func handle(_ change: UbiquitousChange) {
        // Another account changes all values, even if the system reports only some keys. After a
        // quota violation the system doesn't report which values remain.
        let reportsAllKeys =
            switch change.reason {
            case .serverChange, .initialSync: !change.keys.isEmpty
            case .quotaViolation, .accountChange, .other: false
            }
        let keys = Array(change.keys) + (reportsAllKeys ? [] : channels.openKeys())
        for key in Set(keys.map(ExactString.init)) { checkForExternalChange(key.key) }
        queue.append(listeners.calls { change })
        queue.deliverCalls()
    }

    private func checkForExternalChange(_ key: String) {
        channels.checkForExternalChange(forKey: key) { try store.value(forKey: key) }
    }

    /// Throws an error if the value would exceed a limit of the system.
    private func checkLimits(_ value: PropertyListValue, _ key: String) throws {
        let length = key.utf8.count
        guard length <= UbiquitousLimitError.maximumKeyBytes else {
            throw UbiquitousLimitError.keyTooLong(bytes: length)
        }
        let size = try size(of: value)
        guard size <= UbiquitousLimitError.maximumTotalBytes else {
            throw UbiquitousLimitError.valueTooLarge(bytes: size)
        }
        let others = store.values().filter { !$0.key.hasSameBytes(as: key) }
        guard others.count < UbiquitousLimitError.maximumKeyCount else {
            throw UbiquitousLimitError.tooManyKeys(count: others.count + 1)
        }
        let total = try others.values.reduce(size) { $0 + (try self.size(of: $1)) }
        guard total <= UbiquitousLimitError.maximumTotalBytes else {
            throw UbiquitousLimitError.totalTooLarge(bytes: total)
        }
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
