import FlatCache

/// The records of a storage's keys.
///
/// They outlive the containers, since each access of a property creates a container.
final class KeyRecords<Key: Hashable & Sendable>: Sendable {
    private struct Record {
        /// `true` if the migration from an old key is complete: its value was moved, or there was
        /// none.
        var isMigrated = false
        /// The description of the last reported error, until an access succeeds.
        var error: String?
    }

    private let records = Locked<[ExactKey<Key>: Record]>([:])

    func isMigrated(_ key: Key) -> Bool {
        records.withLock { $0[ExactKey(key)]?.isMigrated ?? false }
    }

    func recordMigration(to key: Key) {
        records.withLock { $0[ExactKey(key), default: Record()].isMigrated = true }
    }

    /// The errors of one key, shared by all containers of the key.
    func errors(forKey key: Key) -> some ErrorRecord { KeyErrorRecord(records: self, key: key) }

    private struct KeyErrorRecord: ErrorRecord {
        let records: KeyRecords
        let key: Key

        func record(_ error: PersistenceError) -> Bool {
            let description = error.description
            return records.records.withLock { records in
                defer { records[ExactKey(key), default: Record()].error = description }
                return records[ExactKey(key)]?.error != description
            }
        }

        func clear() { records.records.withLock { $0[ExactKey(key)]?.error = nil } }
    }
}
