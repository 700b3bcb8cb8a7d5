import FlatCache
import Foundation

@testable import FlatCachePersistence

/// A simulation of the system's values in iCloud.
final class FakeUbiquitousStore: UbiquitousStore {
    private struct State {
        var values: [String: PropertyListValue] = [:]
        var arriving: [String: PropertyListValue?] = [:]
        var listener: (@Sendable () -> Void)?
        var setCount = 0
        var synchronizes = true
    }

    private let state = Locked(State())

    var setCount: Int { state.withLock { $0.setCount } }

    func change(_ values: [String: PropertyListValue?]) {
        state.withLock { state in
            for (key, value) in values { state.values[key] = value }
        }
        state.withLock { $0.listener }?()
    }

    /// The values that the next synchronization delivers.
    func arriving(_ values: [String: PropertyListValue?]) {
        state.withLock { $0.arriving = values }
    }

    func refuseToSynchronize() { state.withLock { $0.synchronizes = false } }

    func value(forKey key: String) -> PropertyListValue? { state.withLock { $0.values[key] } }

    func set(_ value: PropertyListValue, forKey key: String) {
        state.withLock { state in
            state.values[key] = value
            state.setCount += 1
        }
    }

    func removeValue(forKey key: String) { state.withLock { $0.values[key] = nil } }

    func values() -> [String: PropertyListValue] {
        // The point at which other code may intervene.
        defer { for _ in 0..<100 { sched_yield() } }
        return state.withLock { $0.values }
    }

    func synchronize() -> Bool {
        state.withLock { state in
            for (key, value) in state.arriving { state.values[key] = value }
            state.arriving = [:]
            return state.synchronizes
        }
    }

    func addChangeListener(_ listener: @escaping @Sendable () -> Void) -> Disposable {
        state.withLock { $0.listener = listener }
        return Disposable { [weak self] in self?.state.withLock { $0.listener = nil } }
    }
}
