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
    /// A closure that makes the entities of the records of an import stale, or removes them.
    let withdraw: @Sendable ([LogRecord], ParticipantTransaction) -> Void

    init<Value: Identifiable & Sendable>(of type: Value.Type, table: String, id: String)
    where Value.ID: Codable & Sendable {
        let letters = table.lowercased().map {
            $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_"
        }
        // Long names, and names that differ in other characters, need a number to be told apart.
        let hash = table.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
        name = "watched_" + String(letters.prefix(30)) + "_" + String(hash, radix: 16)
        self.table = table
        self.id = id
        let identifier = IdentifierForm<Value.ID>()
        withdraw = { records, transaction in
            let stored = Set(records.flatMap { $0.stored ?? [] })
            for id in stored.compactMap({ try? identifier.decode($0) }) {
                transaction.invalidate(type, id: id)
            }
            let isAnyStored = records.contains { $0.stored == nil }
            for record in records {
                for text in record.removed ?? [] where !stored.contains(text) {
                    guard let id = try? identifier.decode(text) else { continue }
                    // The rows of a repeated record, or of several ones, may exist again by now.
                    if record.isRepeated || isAnyStored {
                        transaction.invalidate(type, id: id)
                    } else {
                        transaction.remove(type, id: id)
                    }
                }
            }
            if isAnyStored || records.contains(where: { $0.removed == nil }) {
                // Loads read the rows that are left, and find the others missing.
                transaction.invalidateAll(type)
            }
        }
    }
}
#endif
