import FlatCache
import FlatCachePersistence
import Foundation

@testable import FlatCache

/// A storage without channels, as a client may write one, which calls its listeners itself.
final class PlainStorage: Storage {
    private struct State {
        var values: [String: Data] = [:]
        var listeners: [Int: (key: String, call: @Sendable (Data?) -> Void)] = [:]
        var last = 0

        func listeners(of key: String) -> [@Sendable (Data?) -> Void] {
            listeners.sorted { $0.key < $1.key }.map(\.value).filter { $0.key == key }.map(\.call)
        }
    }

    private let state = Locked(State())
    private let callsListeners: Bool
    let announcesEveryChange: Bool

    /// Creates an empty storage.
    ///
    /// - Parameters:
    ///   - callsListeners: A Boolean value that indicates whether each write calls the listeners.
    ///     If it's `false`, only ``callListeners(to:)`` calls them, as another thread would.
    ///   - announcesEveryChange: The answer to ``Storage/announcesEveryChange``.
    init(callsListeners: Bool = true, announcesEveryChange: Bool = true) {
        self.callsListeners = callsListeners
        self.announcesEveryChange = announcesEveryChange
    }

    /// Removes all values, and announces nothing.
    func removeAllSilently() { state.withLock { $0.values = [:] } }

    /// Changes a value, and announces nothing.
    func changeSilently(_ key: String, to value: Data?) {
        state.withLock { $0.values[key] = value }
    }

    func storeValue(_ value: Data, key: String) { change(key, value) }

    func removeValue(for key: String) { change(key, nil) }

    func retrieveValue(for key: String) -> Data? { state.withLock { $0.values[key] } }

    func addUpdateListener(
        forKey key: String,
        updateListener: @escaping @Sendable (Data?) -> Void
    ) -> Disposable {
        let number = state.withLock { state in
            state.last += 1
            state.listeners[state.last] = (key, updateListener)
            return state.last
        }
        return Disposable { [weak self] in
            self?.state.withLock { $0.listeners[number] = nil }
        }
    }

    private func change(_ key: String, _ value: Data?) {
        let calls = state.withLock { state in
            state.values[key] = value
            return callsListeners ? state.listeners(of: key) : []
        }
        for call in calls { call(value) }
    }

    /// Calls the listeners to a key.
    func callListeners(to key: String) {
        let (calls, value) = state.withLock { ($0.listeners(of: key), $0.values[key]) }
        for call in calls { call(value) }
    }
}
