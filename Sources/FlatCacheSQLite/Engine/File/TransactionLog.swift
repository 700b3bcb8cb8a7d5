#if canImport(SQLite3) || canImport(CSQLite)
/// The log in which each process finds the transactions of the others in a file.
///
/// Each transaction that changes rows has the next number, and a record for each type with the
/// identifiers of the rows that it has stored or removed. The rows themselves are read from the
/// tables. A record of a removal is the tombstone of the row.
struct TransactionLog {
    static let create = """
        CREATE TABLE IF NOT EXISTS flatcache_log (number INTEGER NOT NULL, type TEXT NOT NULL, \
        written INTEGER NOT NULL, time INTEGER NOT NULL, writer INTEGER NOT NULL, \
        scope INTEGER NOT NULL, stored BLOB NOT NULL, removed BLOB NOT NULL, \
        marks BLOB NOT NULL, prefixes BLOB NOT NULL DEFAULT x'', PRIMARY KEY (number, type)) \
        WITHOUT ROWID
        """

    /// The columns that earlier formats lack.
    static let addedColumns = ["marks", "prefixes"]

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
            """
            SELECT writer FROM flatcache_log WHERE number = ?1 AND writer != 0 LIMIT 1
            """,
            number
        )
    }

    /// Appends a record, as part of the transaction that it describes.
    func append(_ record: TransactionRecord) throws(SQLiteGraphError) {
        try database.statement(
            """
            INSERT INTO flatcache_log (number, type, written, time, writer, scope, stored, \
            removed, marks, prefixes) VALUES (?1, ?2, ?3, ?3, ?4, ?5, ?6, ?7, x'', ?8)
            """
        ).run(
            record.number,
            record.type,
            record.written.milliseconds,
            record.token,
            Int64(record.scope.rawValue),
            IdentifierList.encode(record.stored),
            IdentifierList.encode(record.removed),
            IdentifierList.encode(record.removedPrefixes.map { .text($0) })
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
            SELECT number, type, written, writer, scope, stored, removed, prefixes \
            FROM flatcache_log WHERE number > ? AND type != '\(Self.deletedType)' ORDER BY number
            """,
            number
        ) { row -> TransactionRecord? in
            guard let stored = IdentifierList.decode(row.bytes(5)),
                let removed = IdentifierList.decode(row.bytes(6)),
                let prefixes = IdentifierList.decode(row.bytes(7))
            else {
                isComplete = false
                return nil
            }
            return TransactionRecord(
                number: row.number(0),
                token: row.number(3),
                type: row.text(1),
                written: WallTime(milliseconds: row.number(2)),
                scope: TransactionRecord.Scope(rawValue: Int(truncatingIfNeeded: row.number(4))),
                stored: stored,
                removed: removed,
                removedPrefixes: prefixes.compactMap(\.text)
            )
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
            \(TransactionRecord.Scope.removesAll.rawValue), \
            stored = ?1, removed = ?1, prefixes = ?1 WHERE type = ?2
            """
        ).run(IdentifierList.encode([]), type)
    }

    // MARK: Shortening

    /// Deletes the records that are older than seven days, and merges consecutive ones of a type
    /// and a day.
    ///
    /// A process that has imported only some of the merged transactions reads more rows than it
    /// needs. The log contains the identifier of a row a few times, however often it changes.
    ///
    /// - Parameters:
    ///   - now: The present time.
    ///   - limit: The number of bytes above which a merged record doesn't list its rows.
    func shorten(at now: WallTime, listLimit limit: Int) throws(SQLiteGraphError) {
        try database.transaction { () throws(SQLiteGraphError) in
            try deleteRecords(writtenBefore: now.milliseconds - Self.keptMilliseconds)
            let delete = try database.statement(
                "DELETE FROM flatcache_log WHERE number = ? AND type = ?"
            )
            let left = try recordsLeft(after: try latestDeleted())
            for records in runs(of: left.isComplete ? left.records : [], at: now) {
                for record in records { try delete.run(record.number, record.type) }
                if let merged = TransactionRecord(merging: records) {
                    try append(merged.limited(toBytes: limit))
                }
            }
        }
    }

    /// Returns the records to merge: those of a type that follow each other and were written on one
    /// day.
    ///
    /// If the wall clock is set back, records of one day aren't consecutive.
    private func runs(of records: [TransactionRecord], at now: WallTime) -> [[TransactionRecord]] {
        var runs: [[TransactionRecord]] = []
        for records in Dictionary(grouping: records, by: \.type).values {
            var run: [TransactionRecord] = []
            for record in records {
                let isMergeable = record.isMergeable(at: now)
                if !isMergeable || run.last.map({ $0.written.day != record.written.day }) ?? false {
                    runs.append(run)
                    run = []
                }
                if isMergeable { run.append(record) }
            }
            runs.append(run)
        }
        return runs.filter { $0.count > 1 }
    }

    /// The number of the latest transaction whose records were deleted because of their age.
    private func latestDeleted() throws(SQLiteGraphError) -> Int64 {
        try database.number(
            "SELECT max(number) FROM flatcache_log WHERE type = '\(Self.deletedType)'"
        ) ?? 0
    }

    private func deleteRecords(writtenBefore milliseconds: Int64) throws(SQLiteGraphError) {
        let latest = try database.rows(
            "SELECT max(number) FROM flatcache_log WHERE written < ?",
            milliseconds
        ) { $0.isNull(0) ? nil : $0.number(0) }
        guard let number = latest.first else { return }
        // A graph that has imported the transaction compares the token, to notice other content.
        let token = try token(of: number) ?? 0
        try database.statement("DELETE FROM flatcache_log WHERE number <= ?").run(number)
        try append(
            TransactionRecord(
                number: number,
                token: token,
                type: Self.deletedType,
                written: WallTime(milliseconds: .max),
                stored: [],
                removed: []
            )
        )
    }
}

extension Database {
    /// The log of the file's transactions.
    var log: TransactionLog { TransactionLog(database: self) }
}

extension WallTime {
    /// The number of days since 1970.
    fileprivate var day: Int64 { milliseconds / 86_400_000 }
}

extension TransactionRecord {
    /// Returns whether the record is old enough to be merged, so that processes that are running
    /// have probably imported it.
    fileprivate func isMergeable(at now: WallTime) -> Bool {
        written.milliseconds < now.milliseconds - 60_000 && !scope.contains(.restores)
    }
}
#endif
