#if canImport(SQLite3) || canImport(CSQLite)
import Foundation

// These methods change the file outside of flushes.
extension GraphEngine {
    /// Runs a closure as a transaction, also of a graph without a cache, and once more if the file
    /// is damaged or lost.
    func changingFile<Result>(
        _ body: () throws(SQLiteGraphError) -> Result
    ) async throws(SQLiteGraphError) -> Result {
        try await waitingForLock { () throws(SQLiteGraphError) in
            try prepareTablesIfNeeded()
            if database.isLost { try attachAgain() }
            return try recovering { () throws(SQLiteGraphError) in try database.transaction(body) }
        }
    }

    // MARK: Rows of the quarantine and of other files

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

    // MARK: Resealing

    /// Opens the values of all rows in the file, and seals them again; returns the number of rows.
    ///
    /// Neither needs the types of the values, so rows of types that the graph doesn't declare,
    /// responses, and rows in the quarantine are among them.
    func resealRows() async throws(SQLiteGraphError) -> Int {
        guard let coder = coder as? any ConcealingRowCoder else { return 0 }
        let count = try await changingFile { () throws(SQLiteGraphError) in
            var count = try reseal("flatcache_quarantine", key: "rowid", .integer, coder)
            let types = try database.rows("SELECT name, identifiers FROM flatcache_types") {
                ($0.text(0), IdentifierColumn(rawValue: $0.text(1)) ?? .blob)
            }
            for (name, column) in types {
                count += try reseal(TableStatements.quoted(name), key: "id", column, coder)
            }
            return count
        }
        for table in tables { table.forgetSizes() }
        scheduleCopyingOfLog()
        return count
    }

    /// Seals the rows of a table again, except those that can't be opened.
    private func reseal(
        _ table: String,
        key: String,
        _ column: IdentifierColumn,
        _ coder: any ConcealingRowCoder
    ) throws(SQLiteGraphError) -> Int {
        let keys = try database.rows("SELECT \(key) FROM \(table)") { $0.identifier(0, column) }
        let select = "SELECT value FROM \(table) WHERE \(key) = ?"
        let update = try database.statement("UPDATE \(table) SET value = ? WHERE \(key) = ?")
        var count = 0
        for key in keys {
            let sealed = try database.rows(select, key) { Data($0.bytes(0)) }.first
            guard let value = sealed.flatMap({ try? coder.open($0) }) else { continue }
            do {
                update.bind(copyOf: Array(try coder.seal(value)), at: 1)
            } catch {
                throw SQLiteGraphError(
                    .unencodable,
                    file: path,
                    reason: "A row of \(table) can't be sealed: \(error)",
                    underlyingError: error
                )
            }
            update.bind(key, at: 2)
            try update.run()
            count += 1
        }
        return count
    }
}
#endif
