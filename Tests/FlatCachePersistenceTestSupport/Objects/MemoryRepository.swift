import FlatCache
import FlatCachePersistence
import Foundation

@testable import FlatCache

/// A custom repository in memory, which fails and changes when a test says so.
final class MemoryRepository: ObjectRepository {
    struct Refusal: Error {}

    private struct State {
        var data: Data?
        var failsToLoad = false
        var failsToSave = false
        var saveCount = 0
        var listeners: [Int: @Sendable () -> Void] = [:]
        var last = 0
        var exchanged: Data?
    }

    private let state = Locked(State())
    let kept = Recorder<Data>()

    init(_ text: String? = nil) {
        data = text.map { Data($0.utf8) }
    }

    /// The stored data; setting it notifies no listener.
    var data: Data? {
        get { state.withLock { $0.data } }
        set { state.withLock { $0.data = newValue } }
    }

    var text: String? { data.map { String(decoding: $0, as: UTF8.self) } }

    /// The number of saves and removals.
    var saveCount: Int { state.withLock { $0.saveCount } }

    func failToLoad(_ fails: Bool) { state.withLock { $0.failsToLoad = fails } }

    func failToSave(_ fails: Bool) { state.withLock { $0.failsToSave = fails } }

    /// Sets the data that `synchronize()` loads.
    func exchange(for text: String) { state.withLock { $0.exchanged = Data(text.utf8) } }

    func changeFromOutside(to text: String?) {
        data = text.map { Data($0.utf8) }
        callListeners()
    }

    func callListeners() {
        for listener in state.withLock({ Array($0.listeners.values) }) { listener() }
    }

    func loadData() throws -> Data? {
        try state.withLock { state in
            if state.failsToLoad { throw Refusal() }
            return state.data
        }
    }

    func saveData(_ data: Data) throws { try change(data) }

    func removeData() throws { try change(nil) }

    private func change(_ data: Data?) throws {
        try state.withLock { state in
            if state.failsToSave { throw Refusal() }
            state.data = data
            state.saveCount += 1
        }
        callListeners()
    }

    func keepCorruptData() throws {
        if let data { kept.append(data) }
    }

    func synchronize() {
        state.withLock { state in
            if let exchanged = state.exchanged.take() { state.data = exchanged }
        }
    }

    func addUpdateListener(_ updateListener: @escaping @Sendable () -> Void) -> Disposable {
        let number = state.withLock { state in
            state.last += 1
            state.listeners[state.last] = updateListener
            return state.last
        }
        return Disposable { [weak self] in
            self?.state.withLock { $0.listeners[number] = nil }
        }
    }
}

/// A repository that keeps no copies.
struct CarelessRepository: ObjectRepository {
    let inner: MemoryRepository

    func loadData() throws -> Data? { try inner.loadData() }
    func saveData(_ data: Data) throws { try inner.saveData(data) }
    func removeData() throws { try inner.removeData() }
    func addUpdateListener(_ updateListener: @escaping @Sendable () -> Void) -> Disposable {
        inner.addUpdateListener(updateListener)
    }
}

/// The JSON of numbers, in the form in which an object stores them.
func json(_ numbers: Int...) -> String { "\(numbers)".filter { $0 != " " } }

/// A document of numbers, which merges with another.
struct Notes: Codable, Hashable, Sendable, Mergeable {
    var numbers: Set<Int> = []

    init(_ numbers: Set<Int> = []) {
        self.numbers = numbers
    }

    init(from decoder: any Decoder) throws {
        numbers = try Set([Int](from: decoder))
    }

    func encode(to encoder: any Encoder) throws { try numbers.sorted().encode(to: encoder) }

    func merged(with other: Notes) -> Notes { Notes(numbers.union(other.numbers)) }
}
