import FlatCache
import Foundation

/// A closure that returns whether the storage still holds the known value of a key.
///
/// It may return `false` for a current value, but never `true` for an outdated one. It runs on any
/// thread, under no lock.
typealias ValueCheck = @Sendable () -> Bool

/// A storage whose values may change without an announcement, and that can compare them at little
/// cost.
protocol CheckedStorage<Key, Value>: Storage {
    /// Returns the check of a key, or `nil` if every change of that key is announced.
    ///
    /// The storage creates the entire check, so that the compiler specializes it for the type of
    /// its values.
    func makeCheck(forKey key: Key, _ channel: StorageChannel<Value>) -> ValueCheck?
}

/// A storage that locks a folder to write, so that a write waits or fails while another process
/// holds the lock.
protocol ContendedStorage<Key, Value>: Storage {
    /// The maximum time that a write waits for other processes.
    var timeout: Duration { get }

    /// The maximum time that a set property waits for other processes: a moment, or nothing while
    /// the folder is known to be locked.
    var patience: Duration { get }

    var clock: any PersistenceClock { get }

    /// Stores or removes a value, or throws an error at once if another process holds the lock.
    func storeAtOnce(_ value: Value?, key: Key) throws

    /// Throws an error if another process holds the lock.
    func checkIsFree() throws
}

/// A storage that can exclude other processes from the updates of a value.
protocol LockableStorage<Key, Value>: Storage {
    /// Returns the folder whose lock excludes other processes that change a value.
    ///
    /// The method creates the folder if it doesn't exist.
    func lockedFolder(forKey key: Key) throws -> String
}

extension FileStorage: LockableStorage {
    func lockedFolder(forKey key: URL) throws -> String {
        let folder = AtomicFile.parent(
            of: try FileChannels.path(of: FileChannels.resolvedURL(of: key))
        )
        try AtomicFile.createFolder(folder, isPrivate: false)
        return folder
    }
}

extension UserDefaultsStorage: LockableStorage {
    func lockedFolder(forKey key: String) throws -> String { try domain.lockedFolder() }
}

/// A storage that synchronizes its values with a remote one.
protocol RemoteStorage<Key, Value>: Storage {
    func synchronize() throws
}

extension Storage {
    /// Runs a closure, and adds the key and the storage to an error that it throws.
    func explaining<Result>(
        _ operation: PersistenceError.Operation,
        _ key: Key,
        _ body: () throws -> Result
    ) throws(PersistenceError) -> Result {
        do {
            return try body()
        } catch {
            throw explained(error, operation, key)
        }
    }

    /// Returns an error that names the key and this storage.
    func explained(
        _ error: any Error,
        _ operation: PersistenceError.Operation,
        _ key: Key
    ) -> PersistenceError {
        if let error = error as? PersistenceError { return error }
        let isUnencodable = error is PropertyListError || error is EncodingError
        let operation = operation == .write && isUnencodable ? .transform : operation
        return PersistenceError(operation, key: key, storage: self, underlying: error)
    }
}

/// A record of the last reported error.
///
/// With it, an error is reported only once until an operation succeeds.
final class ErrorRecord: Sendable {
    private let last = Locked<String?>(nil)

    /// Records an error, and returns whether it differs from the last reported one.
    func record(_ error: PersistenceError) -> Bool {
        let description = error.description
        return last.withLock { last in
            defer { last = description }
            return last != description
        }
    }

    /// Discards the last reported error, because an operation has succeeded.
    func clear() { last.withLock { $0 = nil } }
}

/// Returns the suffix for the name of a corrupt value's copy: "corrupt-" and the time, in Universal
/// Time.
func corruptMarker() -> String {
    let style = Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted)
    return "corrupt-\(Date.now.formatted(style))"
}

/// Returns a marker for a storage that replaces a value of the same key without a warning.
///
/// Each marker is unique, even among processes within the same second.
func uniqueCorruptMarker() -> String {
    let number = UInt64.random(in: 0...(1 << 41))
    return "\(corruptMarker())-\(String(number, radix: 36))"
}
