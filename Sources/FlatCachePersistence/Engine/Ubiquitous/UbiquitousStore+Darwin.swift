#if canImport(Darwin)
import FlatCache
import Foundation

final class SystemUbiquitousStore: UbiquitousStore, @unchecked Sendable {
    // Guarded by `lock`: the system does not say whether several threads may use it at a time.
    private let store = NSUbiquitousKeyValueStore.default
    private let lock = WriterLock()

    func value(forKey key: String) throws -> PropertyListValue? {
        lock.acquire()
        defer { lock.release() }
        return try store.object(forKey: key).map { try PropertyListValue(propertyList: $0) }
    }

    func set(_ value: PropertyListValue, forKey key: String) {
        lock.acquire()
        defer { lock.release() }
        store.set(value.propertyList, forKey: key)
    }

    func removeValue(forKey key: String) {
        lock.acquire()
        defer { lock.release() }
        store.removeObject(forKey: key)
    }

    func values() -> [String: PropertyListValue] {
        lock.acquire()
        defer { lock.release() }
        return store.dictionaryRepresentation.compactMapValues {
            try? PropertyListValue(propertyList: $0)
        }
    }

    func synchronize() -> Bool {
        lock.acquire()
        defer { lock.release() }
        return store.synchronize()
    }

    func addChangeListener(_ listener: @escaping @Sendable () -> Void) -> Disposable {
        let token = NotificationToken(
            NotificationCenter.default.addObserver(
                forName: NSUbiquitousKeyValueStore.didChangeExternallyNotification,
                object: nil,
                queue: nil
            ) { _ in listener() }
        )
        return Disposable { token.end() }
    }
}

/// A removable observer of a notification center.
private struct NotificationToken: @unchecked Sendable {
    // Constant, and only passed back to the notification center. That's allowed on any thread.
    private let observer: any NSObjectProtocol

    init(_ observer: any NSObjectProtocol) {
        self.observer = observer
    }

    func end() { NotificationCenter.default.removeObserver(observer) }
}
#endif
