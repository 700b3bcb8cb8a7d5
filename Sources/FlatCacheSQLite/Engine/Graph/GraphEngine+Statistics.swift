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
        let pendingChangeCount = attachment.map {
            $0.access.pendingCount(of: $0.journals.map(\.journal))
        }
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
}
#endif
