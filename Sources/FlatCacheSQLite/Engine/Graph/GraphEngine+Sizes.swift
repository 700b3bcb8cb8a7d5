#if canImport(SQLite3) || canImport(CSQLite)
import FlatCache

extension GraphEngine {
    func statistics() throws(SQLiteGraphError) -> SQLiteGraphStatistics {
        try prepareTablesIfNeeded()
        return try recovering { () throws(SQLiteGraphError) in try readStatistics() }
    }

    private func readStatistics() throws(SQLiteGraphError) -> SQLiteGraphStatistics {
        var rowCounts: [String: Int] = [:]
        var byteCounts: [String: Int] = [:]
        for table in tables where table.isCurrent {
            let size = try table.size()
            rowCounts[table.name] = size.rows
            byteCounts[table.name] = size.bytes
        }
        let quarantinedRowCount = try database.number("SELECT count(*) FROM flatcache_quarantine")
        let pendingChangeCount = attachment.map { $0.access.pendingCount(of: $0.changes) }
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
