import FlatCache

/// The records of a storage's keys.
///
/// They outlive the containers, since each access of a property creates a container.
final class KeyRecords<Key: Hashable & Sendable>: Sendable {
    private struct Record {
        /// `true` if the migration from an old key is complete: its value was moved, or there was
        /// none.
        var isMigrated = false
        /// The errors of the key, shared by all containers of the key.
        let errors = ErrorRecord()
    }

    private let records = Locked<[ExactKey<Key>: Record]>([:])

    func isMigrated(_ key: Key) -> Bool {
        records.withLock { $0[ExactKey(key)]?.isMigrated ?? false }
    }

    func recordMigration(to key: Key) {
        records.withLock { $0[ExactKey(key), default: Record()].isMigrated = true }
    }

    func errors(forKey key: Key) -> ErrorRecord {
        records.withLock { records in
            let record = records[ExactKey(key)] ?? Record()
            records[ExactKey(key)] = record
            return record.errors
        }
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
