import FlatCache
import FlatCachePersistence
import Foundation

@testable import FlatCache

/// A storage as somebody else may write one: it knows nothing of channels, and calls its listeners itself.
final class PlainStorage: Storage {
    private struct State {
        var values: [String: Data] = [:]
        var listeners: [Int: (key: String, call: @Sendable (Data?) -> Void)] = [:]
        var last = 0
    }

    private let state = Guarded(State())

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
            return state.listeners.sorted { $0.key < $1.key }.map(\.value).filter { $0.key == key }
        }
        for listener in calls { listener.call(value) }
    }
}
