#if canImport(CPostgres)
import FlatCache
import FlatCacheRows

/// A table of the service, whose changes make the entities of a type stale.
struct WatchedTable: Sendable {
    let name: String
    /// The qualified name of the table.
    let table: String
    /// The name of the column of the identifiers.
    let id: String
    /// A closure that makes the entities of a record stale, or removes them.
    let withdraw: @Sendable (LogRecord, ParticipantTransaction) -> Void

    init<Value: Identifiable & Sendable>(of type: Value.Type, table: String, id: String)
    where Value.ID: Codable & Sendable {
        let letters = table.lowercased().map {
            $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_"
        }
        name = "watched_" + String(letters.prefix(39))
        self.table = table
        self.id = id
        let identifier = IdentifierForm<Value.ID>()
        withdraw = { record, transaction in
            for id in (record.removed ?? []).compactMap({ try? identifier.decode($0) }) {
                // The rows of a repeated record may exist again by now.
                if record.isRepeated {
                    transaction.invalidate(type, id: id)
                } else {
                    transaction.remove(type, id: id)
                }
            }
            for id in (record.stored ?? []).compactMap({ try? identifier.decode($0) }) {
                transaction.invalidate(type, id: id)
            }
            if record.removed == nil || record.stored == nil {
                // Loads read the rows that are left, and find the others missing.
                transaction.invalidateAll(type)
            }
        }
    }
}
#endif
