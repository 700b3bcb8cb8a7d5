#if canImport(SQLite3) || canImport(CSQLite)
/// The log in which each process finds the transactions of the others in a file.
///
/// Each transaction that changes rows has the next number, and a record for each type with the
/// identifiers of the rows that it has stored or removed. The rows themselves are read from the
/// tables. A record of a removal is the tombstone of the row.
struct TransactionLog {
    static let create = """
        CREATE TABLE IF NOT EXISTS flatcache_log (number INTEGER NOT NULL, type TEXT NOT NULL, \
        token INTEGER NOT NULL, written INTEGER NOT NULL, scope INTEGER NOT NULL, \
        lists BLOB NOT NULL, PRIMARY KEY (number, type)) WITHOUT ROWID
        """

    /// The time for which the log keeps records, in milliseconds.
    static let keptMilliseconds: Int64 = 7 * 24 * 60 * 60 * 1_000

    /// The type of the record that keeps the number of the latest deleted record.
    ///
    /// The names of other types aren't empty.
    private static let deletedType = ""

    let database: Database

    /// The number of the latest transaction, or zero if the log has none.
    func latest() throws(SQLiteGraphError) -> Int64 {
        try database.number("SELECT max(number) FROM flatcache_log") ?? 0
    }

    /// Returns the random number of a transaction, or `nil` if the log no longer shows it.
    func token(of number: Int64) throws(SQLiteGraphError) -> Int64? {
        try database.number(
            "SELECT token FROM flatcache_log WHERE number = ? AND token != 0 LIMIT 1",
            number
        )
    }

    /// Appends a record, as part of the transaction that it describes.
    func append(_ record: TransactionRecord) throws(SQLiteGraphError) {
        try database.statement(
            """
            INSERT INTO flatcache_log (number, type, token, written, scope, lists) \
            VALUES (?, ?, ?, ?, ?, ?)
            """
        ).run(
            record.number,
            record.type,
            record.token,
            record.written.milliseconds,
            Int64(record.scope.rawValue),
            record.lists.encoded
        )
    }

    /// Returns the records of the transactions after a number that the log still has, in their
    /// order, and whether these are all of them.
    func recordsLeft(
        after number: Int64
    ) throws(SQLiteGraphError) -> (records: [TransactionRecord], isComplete: Bool) {
        var isComplete = try latestDeleted() <= number
        let records = try database.rows(
            """
            SELECT number, type, token, written, scope, lists FROM flatcache_log \
            WHERE number > ? AND type != '\(Self.deletedType)' ORDER BY number
            """,
            number
        ) { row -> TransactionRecord? in
            var record = TransactionRecord(
                number: row.number(0),
                token: row.number(2),
                type: row.text(1),
                written: WallTime(milliseconds: row.number(3)),
                scope: TransactionRecord.Scope(rawValue: Int(truncatingIfNeeded: row.number(4)))
            )
            if record.read(row.bytes(5)) { return record }
            isComplete = false
            return nil
        }
        return (records, isComplete)
    }

    /// Removes the lists of rows from the records of a type after a change of its identifiers.
    ///
    /// A graph that can read the type's new version has imported none of the former rows, so it
    /// doesn't need the lists. A removal of all rows names none, so the log keeps it.
    func forgetRows(of type: String) throws(SQLiteGraphError) {
        try database.statement(
            """
            UPDATE flatcache_log SET scope = scope & \
            \(TransactionRecord.Scope.removesAll.rawValue), lists = ? WHERE type = ?
            """
        ).run(TransactionRecord.Lists().encoded, type)
    }

    // MARK: Shortening

    /// Deletes the records that are older than seven days, and the earliest ones of a longer log
    /// than a limit.
    ///
    /// - Parameters:
    ///   - now: The present time.
    ///   - limit: The maximum number of bytes in the lists of the log.
    func shorten(at now: WallTime, sizeLimit limit: Int) throws(SQLiteGraphError) {
        try database.transaction { () throws(SQLiteGraphError) in
            let old = try database.number(
                "SELECT max(number) FROM flatcache_log WHERE written < ?",
                now.milliseconds - Self.keptMilliseconds
            )
            let excess = try database.number(
                """
                SELECT max(number) FROM (SELECT number, sum(length(lists)) \
                OVER (ORDER BY number DESC) AS size FROM flatcache_log) WHERE size > ?
                """,
                Int64(limit)
            )
            let latest = max(old ?? 0, excess ?? 0)
            if latest > 0 { try deleteRecords(upTo: latest) }
        }
    }

    /// The number of the latest transaction whose records were deleted.
    private func latestDeleted() throws(SQLiteGraphError) -> Int64 {
        try database.number(
            "SELECT max(number) FROM flatcache_log WHERE type = '\(Self.deletedType)'"
        ) ?? 0
    }

    private func deleteRecords(upTo number: Int64) throws(SQLiteGraphError) {
        // A graph that has imported the transaction compares the token, to notice other content.
        let token = try token(of: number) ?? 0
        try database.statement("DELETE FROM flatcache_log WHERE number <= ?").run(number)
        try append(
            TransactionRecord(
                number: number,
                token: token,
                type: Self.deletedType,
                written: WallTime(milliseconds: .max)
            )
        )
    }
}

extension Database {
    /// The log of the file's transactions.
    var log: TransactionLog { TransactionLog(database: self) }
}
#endif
