#if canImport(SQLite3) || canImport(CSQLite)
import FlatCache

extension GraphEngine {
    /// Flushes, and throws the refusal of a type whose changes flushes have left out.
    func flush(surviving event: SQLiteGraph.Survival) throws(SQLiteGraphError) {
        try flush()
        if event == .powerLoss { try synchronize() }
        let refused = attachment == nil ? nil : tables.first(where: \.hasUnwrittenChanges)
        if let refusal = refused?.refusal { throw refusal }
    }

    func statistics() throws(SQLiteGraphError) -> SQLiteGraphStatistics {
        try prepareTablesIfNeeded()
        var rows: [String: Int] = [:]
        var bytes: [String: Int] = [:]
        for table in tables where table.isCurrent {
            let size = try table.size(database)
            rows[table.name] = size.rows
            bytes[table.name] = size.bytes
        }
        return SQLiteGraphStatistics(
            rows: rows,
            bytes: bytes,
            quarantined: Int(try database.number("SELECT count(*) FROM flatcache_quarantine") ?? 0),
            fileSize: try fileSize(),
            pending: attachment.map { $0.access.pendingCount(of: $0.journals.map(\.journal)) } ?? 0,
            transactions: transactions,
            lastFlush: lastFlush
        )
    }
}
#endif
