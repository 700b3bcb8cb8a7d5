#if canImport(SQLite3) || canImport(CSQLite)
extension GraphEngine {
    /// Moves the rows in the quarantine that can be decoded now back to their tables; returns their
    /// number.
    ///
    /// The graph imports the restored rows like those of others. They don't replace values in
    /// memory.
    func restoreQuarantine() throws(SQLiteGraphError) -> Int {
        try prepareTablesIfNeeded()
        var restored: Int?
        while restored == nil {
            try reopenIfLost()
            restored = try recovering { () throws(SQLiteGraphError) in
                try renewing { () throws(SQLiteGraphError) in
                    try checkContent()
                    // With a transaction of this graph, the exchange would no longer be noticed.
                    return hasOtherContent ? nil : try restoreRows()
                }
            }
        }
        if attachment == nil { mustRenewIdentity = false }
        let count = restored ?? 0
        if count > 0 {
            announceTransaction()
            try reading { () throws(SQLiteGraphError) in }
        }
        return count
    }

    private func restoreRows() throws(SQLiteGraphError) -> Int {
        let latest = try TransactionLog(database: database).latest()
        let number = max(latest, greatestNumber) + 1
        var count = 0
        for table in tables {
            count += try table.restoreQuarantine(
                database,
                number: number,
                writer: writer,
                listLimit: listLimit()
            )
        }
        // No later transaction of this graph has the same number, even if the content is exchanged.
        if count > 0 { greatestNumber = number }
        return count
    }
}
#endif
