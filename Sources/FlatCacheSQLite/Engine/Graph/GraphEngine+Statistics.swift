#if canImport(SQLite3) || canImport(CSQLite)
import FlatCache

extension GraphEngine {
    /// Flushes, and throws the refusal of a type whose changes flushes have left out.
    func flush(surviving event: SQLiteGraph.Survival) throws(SQLiteGraphError) {
        try flush()
        if event == .powerLoss {
            do throws(SQLiteGraphError) {
                try synchronize()
            } catch {
                guard try recover(from: error) else { throw error }
                try flush()
                try synchronize()
            }
        }
        let refused = attachment == nil ? nil : tables.first(where: \.hasUnwrittenChanges)
        if let refusal = refused?.refusal { throw refusal }
    }

    func statistics() throws(SQLiteGraphError) -> SQLiteGraphStatistics {
        try prepareTablesIfNeeded()
        return try recovering { () throws(SQLiteGraphError) in try readStatistics() }
    }

    private func readStatistics() throws(SQLiteGraphError) -> SQLiteGraphStatistics {
        var rowCounts: [String: Int] = [:]
        var byteCounts: [String: Int] = [:]
        for table in tables where table.isCurrent {
            let size = try table.size(database)
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
            pendingChangeCount: pendingChangeCount ?? 0,
            transactionCount: transactionCount,
            lastFlush: lastFlush
        )
    }
}
#endif
