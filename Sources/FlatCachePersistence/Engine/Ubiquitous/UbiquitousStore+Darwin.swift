#if canImport(Darwin)
import FlatCache
import Foundation

final class SystemUbiquitousStore: UbiquitousStore, @unchecked Sendable {
    // Guarded by `lock`: the system does not say whether several threads may use it at a time.
    private let store = NSUbiquitousKeyValueStore.default
    private let lock = WriterLock()

    private func withStore<Result>(
        _ body: (NSUbiquitousKeyValueStore) throws -> Result
    ) rethrows -> Result {
        lock.acquire()
        defer { lock.release() }
        return try body(store)
    }

    func value(forKey key: String) throws -> PropertyListValue? {
        try withStore { store in
            try store.object(forKey: key).map { try PropertyListValue(propertyList: $0) }
        }
    }

    func set(_ value: PropertyListValue, forKey key: String) {
        withStore { $0.set(value.propertyList, forKey: key) }
    }

    func removeValue(forKey key: String) { withStore { $0.removeObject(forKey: key) } }

    func values() -> [String: PropertyListValue] {
        withStore { store in
            store.dictionaryRepresentation.compactMapValues {
                try? PropertyListValue(propertyList: $0)
            }
        }
    }

    func synchronize() -> Bool { withStore { $0.synchronize() } }

    func addChangeListener(_ listener: @escaping @Sendable () -> Void) -> Disposable {
        NotificationCenter.default.observe(
            NSUbiquitousKeyValueStore.didChangeExternallyNotification,
            listener
        )
    }
}
#endif
