#if canImport(SQLite3) || canImport(CSQLite)
import Foundation

// These methods change the file outside of flushes.
extension GraphEngine {
    /// Runs a closure as a transaction, also of a graph without a cache, and once more if the file
    /// is damaged or lost.
    func changingFile<Result>(
        _ body: () throws(SQLiteGraphError) -> Result
    ) async throws(SQLiteGraphError) -> Result {
        defer { reportErrors() }
        return try await waitingForLock { () throws(SQLiteGraphError) in
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
        return try importRestored(count)
    }

    /// Adds the readable rows of another file; returns their number.
    ///
    /// They are read from a copy, in which rows of former versions are upgraded.
    func importRows(of file: String) async throws(SQLiteGraphError) -> Int {
        guard FileManager.default.fileExists(atPath: file) else {
            throw SQLiteGraphError(.cannotOpen, file: file, reason: "There is no file.")
        }
        try checkNotSuspended()
        let copyPath = path + "-import"
        FileReplacement.remove(copyPath)
        let copy = try GraphFile.open(copyPath, lockTimeout, onDamage: onError)
        defer {
            copy.close()
            FileReplacement.remove(copyPath)
        }
        let unreadable = try RowSalvage.copyRows(from: file, to: copy).unreadable
        // Only this call uses the tables, on the graph's thread.
        nonisolated(unsafe) let others = makeTables(copy)
        for table in others { try table.prepare() }
        let count = try await changingFile { () throws(SQLiteGraphError) in
            try checkContent()
            let records = try database.log.recordsLeft(after: 0).records
            let transaction = try newTransaction()
            var count = 0
            for (table, other) in zip(tables, others) {
                count += try table.importRows(
                    from: other,
                    unlessRemovedBy: ChangesOfOthers(records, of: table.name),
                    transaction
                )
            }
            return count
        }
        if !unreadable.isEmpty {
            onError(.init(.corrupt, file: file, reason: GraphFile.description(of: unreadable)))
        }
        return try importRestored(count)
    }

    /// Imports rows that were restored, if there are any; returns their number.
    private func importRestored(_ count: Int) throws(SQLiteGraphError) -> Int {
        if count == 0 { return 0 }
        announceTransaction()
        try reading { () throws(SQLiteGraphError) in }
        return count
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
