import FlatCache
import FlatCacheTesting
import TestSupport

@testable import FlatCachePersistence

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
    /// A clock on which no attempt takes time, so that each read retries to store an unsaved value.
    let clock = ManualClock()
    let channels: StorageChannels<String, PropertyListValue>
    private let values = Locked<[String: PropertyListValue]>([:])
    private let failures = Locked<Failures>([])
    private let reads = Locked(0)
    private let duration = Locked(Duration.zero)
    let kept = Recorder<PropertyListValue>()

    init(_ values: [String: PropertyListValue] = [:]) {
        channels = StorageChannels(comparison: ==, clock: clock)
        self.values.withLock { $0 = values }
    }

    /// The time that each write takes on the clock.
    var writeDuration: Duration {
        get { duration.withLock { $0 } }
        set { duration.withLock { $0 = newValue } }
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

    func storeValue(_ value: PropertyListValue, key: String) throws {
        try channels.write(value, forKey: key) {
            clock.advance(by: writeDuration)
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
