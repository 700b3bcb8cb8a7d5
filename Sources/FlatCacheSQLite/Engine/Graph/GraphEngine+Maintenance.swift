#if canImport(SQLite3) || canImport(CSQLite)
import FlatCache
import FlatCacheFoundation
import FlatCacheRows
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
        let unreadable = try RowSalvage.copyRows(from: file, to: copy, lockTimeout).unreadable
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
        try importLatest()
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
            var count = try reseal("flatcache_quarantine", key: "rowid", coder)
            let names = try database.rows("SELECT name FROM flatcache_types") { $0.text(0) }
            for name in names {
                count += try reseal(name.quoted("\""), key: "id", coder)
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
        _ coder: any ConcealingRowCoder
    ) throws(SQLiteGraphError) -> Int {
        let keys = try database.rows("SELECT \(key) FROM \(table)") { $0.identifier(0) }
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

    func statistics() throws(SQLiteGraphError) -> SQLiteGraphStatistics {
        try prepareTablesIfNeeded()
        return try recovering { () throws(SQLiteGraphError) in try readStatistics() }
    }

    private func readStatistics() throws(SQLiteGraphError) -> SQLiteGraphStatistics {
        var rowCounts: [String: Int] = [:]
        var byteCounts: [String: Int] = [:]
        for table in tables where table.isCurrent {
            let size = try table.size()
            if table.type == PendingMutation.self, size.rows == 0 { continue }
            rowCounts[table.name] = size.rows
            byteCounts[table.name] = size.bytes
        }
        let quarantinedRowCount = try database.number("SELECT count(*) FROM flatcache_quarantine")
        let pendingChangeCount = attachment.map { $0.access.pendingCount(of: $0.journals) }
        return SQLiteGraphStatistics(
            rowCounts: rowCounts,
            byteCounts: byteCounts,
            quarantinedRowCount: Int(quarantinedRowCount ?? 0),
            fileSize: try fileSize(),
            logSize: database.logSize,
            pendingChangeCount: pendingChangeCount ?? 0,
            transactionCount: transactionCount,
            lastFlush: lastFlush
        )
    }

    /// Shortens the transaction log, and removes free pages from the file.
    func compact() {
        do throws(SQLiteGraphError) {
            try shortenLog()
            try returnFreePages()
        } catch {
            // The changes are written. Only the file remains larger than necessary.
            if error.kind != .locked { onError(error) }
        }
    }

    /// Copies the pages in SQLite's log to the file, after the present call of the graph.
    ///
    /// Transactions survive the process before that. It takes up to half as long as a flush, and
    /// the caller of the flush need not wait for it.
    func scheduleCopyingOfLog() {
        guard database.logPageCount >= Self.logPagesToCopy, !isCopyingScheduled else { return }
        isCopyingScheduled = true
        Task { [weak self] in await self?.copyLog() }
    }

    private func copyLog() {
        isCopyingScheduled = false
        if !isSuspended { database.copyLog() }
    }

    /// Shortens the transaction log after a number of transactions.
    private func shortenLog() throws(SQLiteGraphError) {
        guard transactionCount >= shortenedAt + Self.transactionsToShorten else { return }
        shortenedAt = transactionCount
        let log = database.log
        try log.shorten(at: WallTime(wallClock()), sizeLimit: 16 * (try listLimit()))
    }

    /// The number of bytes above which a record of the log doesn't list its rows.
    ///
    /// A process that imports such a record reads all rows that concern it. That costs little more
    /// than reading so many listed ones.
    func listLimit() throws(SQLiteGraphError) -> Int { max(65_536, try fileSize() / 64) }

    private func returnFreePages() throws(SQLiteGraphError) {
        let free = try database.number("PRAGMA freelist_count") ?? 0
        let pages = try database.number("PRAGMA page_count") ?? 0
        // The number of pages is limited, so that a flush doesn't take long.
        if free > pages / 10 { try database.execute("PRAGMA incremental_vacuum(10000)") }
    }

    /// The size of the file without SQLite's log, in bytes.
    func fileSize() throws(SQLiteGraphError) -> Int {
        let pages = try database.number("PRAGMA page_count") ?? 0
        return Int(pages * (try database.number("PRAGMA page_size") ?? 0))
    }

    /// The number of pages from which on SQLite's log is copied to the file.
    private static let logPagesToCopy = 1_000
    /// The number of transactions after which the transaction log is shortened.
    static let transactionsToShorten = 256
}
#endif
