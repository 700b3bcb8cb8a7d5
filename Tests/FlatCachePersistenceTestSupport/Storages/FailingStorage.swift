import Testing
import FlatCachePersistence
import FlatCache

@testable import FlatCache

/// A storage in memory that fails when a test says so.
final class FailingStorage: ChannelledStorage, CorruptValueKeeping {
    struct Refusal: Error, Equatable {
        let what: String
    }

    struct Failures: OptionSet {
        let rawValue: Int
        static let read = Self(rawValue: 1)
        static let write = Self(rawValue: 2)
        static let remove = Self(rawValue: 4)
        static let keep = Self(rawValue: 8)
    }

    let announcesEveryChange = true
    let channels = StorageChannels<String, PropertyListValue>(areEqual: ==)
    private let values = Locked<[String: PropertyListValue]>([:])
    private let failures = Locked<Failures>([])
    private let reads = Locked(0)
    let kept = Recorder<PropertyListValue>()

    init(_ values: [String: PropertyListValue] = [:]) {
        self.values.withLock { $0 = values }
    }

    var readCount: Int { reads.withLock { $0 } }

    func fail(_ failures: Failures) { self.failures.withLock { $0 = failures } }

    /// Changes a value as other code would, without notifying listeners.
    func changeSilently(_ key: String, to value: PropertyListValue?) {
        values.withLock { $0[key] = value }
    }

    /// Changes a value as other code would, and notifies listeners.
    func changeFromOutside(_ key: String, to value: PropertyListValue?) {
        changeSilently(key, to: value)
        channels.checkForExternalChange(forKey: key) { try read(key) }
    }

    func value(_ key: String) -> PropertyListValue? { values.withLock { $0[key] } }

    /// Repeats a read, which retries to store an unsaved value, until the storage holds the value.
    ///
    /// If a failed attempt was slow, as on a busy machine, not every read tries again.
    ///
    /// - Parameters:
    ///   - value: The unsaved value.
    ///   - key: The key.
    ///   - read: Reads the value and returns whether the result is correct. If it's not, the wait
    ///     ends.
    func eventuallyStores(
        _ value: PropertyListValue,
        forKey key: String,
        _ read: () -> Bool
    ) -> Bool {
        var isCorrect = true
        let isStored = blockUntil {
            isCorrect = read()
            return !isCorrect || self.value(key) == value
        }
        return isCorrect && isStored
    }

    func storeValue(_ value: PropertyListValue, key: String) throws {
        try channels.write(value, forKey: key) {
            try refuse(.write, "write")
            values.withLock { $0[key] = value }
        }
    }

    func removeValue(for key: String) throws {
        try channels.write(nil, forKey: key) {
            try refuse(.remove, "remove")
            values.withLock { $0[key] = nil }
        }
    }

    func retrieveValue(for key: String) throws -> PropertyListValue? {
        try channels.read(forKey: key) { try read(key) }
    }

    func keepCorruptValue(for key: String) throws -> String? {
        try refuse(.keep, "keep")
        guard let value = value(key) else { return nil }
        kept.append(value)
        return "kept"
    }

    private func read(_ key: String) throws -> PropertyListValue? {
        reads.withLock { $0 += 1 }
        try refuse(.read, "read")
        return value(key)
    }

    private func refuse(_ failure: Failures, _ what: String) throws {
        if failures.withLock({ $0.contains(failure) }) { throw Refusal(what: what) }
    }
}
