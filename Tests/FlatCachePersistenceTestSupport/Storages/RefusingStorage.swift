import FlatCache
import FlatCacheTesting

@testable import FlatCachePersistence

/// The error of a storage that fails on command.
struct Refused: Error {}

/// A storage that fails on command.
final class RefusingStorage: ChannelledStorage, KeyEnumerating {
    /// No attempt to store a value takes time, so that each read retries.
    let channels = StorageChannels<String, PropertyListValue>(
        comparison: ==,
        clock: ManualClock()
    )
    let values = Locked<[String: PropertyListValue]>([:])
    let unreadable = Locked<Set<String>>([])
    let unwritable = Locked<Set<String>>([])

    var keys: [String] { values.withLock { Array($0.keys) } }

    func storeValue(_ value: PropertyListValue, key: String) throws {
        try channels.write(value, forKey: key) {
            if unwritable.withLock({ $0.contains(key) }) { throw Refused() }
            values.withLock { $0[key] = value }
        }
    }

    func removeValue(for key: String) throws {
        try channels.write(nil, forKey: key) {
            if unwritable.withLock({ $0.contains(key) }) { throw Refused() }
            values.withLock { $0[key] = nil }
        }
    }

    func retrieveValue(for key: String) throws -> PropertyListValue? {
        try channels.read(forKey: key) {
            if unreadable.withLock({ $0.contains(key) }) { throw Refused() }
            return values.withLock { $0[key] }
        }
    }
}

/// Values in a storage, with the errors that its handler has received.
struct Shelf<Base: Storage>: KeyValueStorage
where Base.Key == String, Base.Value: KeyValueForm {
    let storage: Base
    var keyPrefix = ""
    let errors = Locked<[PersistenceError]>([])

    var errorHandler: PersistenceErrorHandler? {
        { [errors] error in errors.withLock { $0.append(error) } }
    }

    var reported: [PersistenceError.Operation] { errors.withLock { $0.map(\.operation) } }
}

typealias ListStorage = InMemoryStorage<String, PropertyListValue>
