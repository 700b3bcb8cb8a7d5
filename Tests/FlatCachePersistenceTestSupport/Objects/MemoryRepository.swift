import FlatCache
import Foundation

@testable import FlatCache
@testable import FlatCachePersistence

/// A storage of one value in memory, which fails and changes when a test says so.
final class MemoryRepository: ChannelledStorage, CorruptValueKeeping, RemoteStorage {
    struct Refusal: Error {}

    private struct State {
        var data: Data?
        var failsToLoad = false
        var failsToSave = false
        var saveCount = 0
        var exchanged: Data?
    }

    let channels = StorageChannels<String, Data>()
    let announcesEveryChange = true
    private let state = Locked(State())
    let kept = Recorder<Data>()

    init(_ text: String? = nil) {
        data = text.map { Data($0.utf8) }
    }

    var key: StorageRepository<MemoryRepository> { StorageRepository(key: "a", storedBy: self) }

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
        channels.checkForExternalChange(forKey: "a", loadData)
    }

    func loadData() throws -> Data? {
        try state.withLock { state in
            if state.failsToLoad { throw Refusal() }
            return state.data
        }
    }

    func retrieveValue(for key: String) throws -> Data? { try channels.read(forKey: key, loadData) }

    func storeValue(_ value: Data, key: String) throws { try change(value, key) }

    func removeValue(for key: String) throws { try change(nil, key) }

    private func change(_ data: Data?, _ key: String) throws {
        try channels.write(data, forKey: key) {
            try state.withLock { state in
                if state.failsToSave { throw Refusal() }
                state.data = data
                state.saveCount += 1
            }
        }
    }

    func keepCorruptValue(for key: String) throws -> String? {
        if let data { kept.append(data) }
        return nil
    }

    func synchronize() {
        state.withLock { state in
            if let exchanged = state.exchanged.take() { state.data = exchanged }
        }
    }
}

/// A repository that keeps no copies.
struct CarelessRepository: ChannelledStorage {
    let inner: MemoryRepository

    var channels: StorageChannels<String, Data> { inner.channels }
    var announcesEveryChange: Bool { true }

    func retrieveValue(for key: String) throws -> Data? { try inner.retrieveValue(for: key) }
    func storeValue(_ value: Data, key: String) throws { try inner.storeValue(value, key: key) }
    func removeValue(for key: String) throws { try inner.removeValue(for: key) }
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
