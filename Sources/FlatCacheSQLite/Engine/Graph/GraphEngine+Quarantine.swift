#if canImport(SQLite3) || canImport(CSQLite)
import Foundation

extension GraphEngine {
    /// Moves the rows in the quarantine that can be decoded now back to their tables; returns their
    /// number.
    ///
    /// The graph imports the restored rows like those of others. They don't replace values in
    /// memory.
    func restoreQuarantine() async throws(SQLiteGraphError) -> Int {
        let count = try await changingFile { () throws(SQLiteGraphError) in
            // With a transaction of this graph, new content would no longer be noticed.
            try checkContent()
            let transaction = try newTransaction()
            var count = 0
            for table in tables { count += try table.restoreQuarantine(transaction) }
            return count
        }
        if count > 0 {
            announceTransaction()
            try reading { () throws(SQLiteGraphError) in }
        }
        return count
    }

    /// Copies the readable rows of another file to the quarantine, and restores them; returns the
    /// number of restored rows.
    func importRows(of file: String) async throws(SQLiteGraphError) -> Int {
        guard FileManager.default.fileExists(atPath: file), let damaged = DamagedFile(file) else {
            throw SQLiteGraphError(
                .cannotOpen,
                file: file,
                reason: "There is no file at this path, or SQLite can't open it."
            )
        }
        let types = damaged.types()
        let unreadable = try await changingFile { () throws(SQLiteGraphError) in
            let records = try database.log.recordsLeft(after: 0).records
            let last = try database.number("SELECT max(rowid) FROM flatcache_quarantine")
            var unreadable: [String] = []
            // The copies of lists and aliases get the identifiers of upgraded entities.
            for table in tables.reversed() {
                unreadable += try table.copyToQuarantine(
                    from: damaged,
                    of: types[table.name],
                    after: last ?? 0,
                    unlessChangedBy: ChangesOfOthers(records, of: table.name)
                )
            }
            return unreadable
        }
        if !unreadable.isEmpty {
            report([.init(.corrupt, file: file, reason: GraphFile.description(of: unreadable))])
        }
        return try await restoreQuarantine()
    }
}
#endif
