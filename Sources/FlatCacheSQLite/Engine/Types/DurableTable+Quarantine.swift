#if canImport(SQLite3) || canImport(CSQLite)
// These methods read the rows in the quarantine again.
extension DurableTable {
    func restoreQuarantine(_ transaction: NewTransaction) throws(SQLiteGraphError) -> Int {
        guard try isReadable(), !needsTypes else { return 0 }
        // Of several rows of an entity, the latest one returns.
        let rows = try database.rows(
            """
            SELECT rowid, id, value, version FROM flatcache_quarantine WHERE type = ? \
            ORDER BY rowid DESC
            """,
            name
        ) { row -> (number: Int64, RowIdentifier, value: [UInt8])? in
            let version = Int(row.number(3))
            guard let (identifier, value) = try? restored(row, from: version) else { return nil }
            return (row.number(0), identifier, value)
        }
        let delete = try database.statement("DELETE FROM flatcache_quarantine WHERE rowid = ?")
        let time = now
        var count = 0
        for (number, identifier, value) in rows {
            // A newer row of the entity remains, and so does the row in the quarantine.
            guard try insertStale(identifier, value, time) else { continue }
            count += 1
            try delete.run(number)
        }
        return try recordRestored(count, time, transaction)
    }

    func importRows(
        from other: any AnyDurableTable,
        unlessRemovedBy changes: ChangesOfOthers,
        _ transaction: NewTransaction
    ) throws(SQLiteGraphError) -> Int {
        guard try isReadable(), other.isCurrent, !changes.removesAll, !needsTypes else {
            return 0
        }
        let time = now
        var count = 0
        try other.database.rows("SELECT id, value FROM \(sql.table)") {
            row throws(SQLiteGraphError) -> Void? in
            let identifier = row.identifier(0)
            if changes.removes(identifier) { return }
            if try insertStale(identifier, Array(row.bytes(1)), time) { count += 1 }
        }
        let quarantine = try database.statement(
            """
            INSERT INTO flatcache_quarantine SELECT ?1, ?2, ?3, ?4, ?5, ?6 WHERE NOT EXISTS \
            (SELECT 1 FROM flatcache_quarantine WHERE type = ?1 AND id = ?2 AND version = ?4)
            """
        )
        // Of several rows of an entity, the latest one is imported.
        try other.database.rows(
            """
            SELECT *, max(rowid) AS latest FROM flatcache_quarantine WHERE type = ? \
            GROUP BY id, version ORDER BY latest
            """,
            name
        ) { row throws(SQLiteGraphError) -> Void? in
            // A row of a former version may have the identifier of another entity.
            if Int(row.number(3)) == durable.version, changes.removes(row.identifier(1)) { return }
            for column in Int32(0)..<6 { quarantine.bind(column, of: row, at: column + 1) }
            try quarantine.run()
        }
        return try recordRestored(count, time, transaction)
    }

    /// Inserts a stale row unless its entity has a row; returns whether it does.
    private func insertStale(
        _ identifier: RowIdentifier,
        _ value: [UInt8],
        _ time: WallTime
    ) throws(SQLiteGraphError) -> Bool {
        let insert = try database.statement(sql.insertIfAbsent)
        // Imports of other graphs recognize the row by the time.
        let time = time.milliseconds
        insert.bind([time, identifier, nil, nil, time, nil, nil])
        insert.bind(copyOf: value, isText: storesText, at: 3)
        try insert.run()
        return database.changedRows > 0
    }

    /// Appends the record of restored rows; returns their number.
    private func recordRestored(
        _ count: Int,
        _ time: WallTime,
        _ transaction: NewTransaction
    ) throws(SQLiteGraphError) -> Int {
        if count == 0 { return 0 }
        forgetSizes()
        try database.log.append(
            TransactionRecord(
                number: transaction.number,
                token: transaction.token,
                type: name,
                written: time,
                scope: .restores
            )
        )
        return count
    }

    /// Deletes the rows of removed entities from the quarantine, as part of a transaction.
    ///
    /// The quarantine keeps rows of a former version, since an upgrade may change the identifier.
    func deleteQuarantined() throws(SQLiteGraphError) {
        if encoded.removesAll {
            let delete = "DELETE FROM flatcache_quarantine WHERE type = ?"
            return try database.statement(delete).run(name)
        }
        if encoded.removed.isEmpty, encoded.removedPrefixes.isEmpty { return }
        let removed = Set(encoded.removed)
        let rows = try database.rows(
            "SELECT rowid, id FROM flatcache_quarantine WHERE type = ? AND version = ?",
            name,
            Int64(durable.version)
        ) { row -> Int64? in
            let identifier = row.identifier(1)
            let isRemoved =
                removed.contains(identifier)
                || encoded.removedPrefixes.contains(where: identifier.hasPrefix)
            return isRemoved ? row.number(0) : nil
        }
        let delete = try database.statement("DELETE FROM flatcache_quarantine WHERE rowid = ?")
        for row in rows { try delete.run(row) }
    }

    /// Returns the identifier and the encoding of the value in the present row of a statement.
    private func restored(
        _ select: Statement,
        from version: Int
    ) throws -> (RowIdentifier, [UInt8]) {
        let upgraded = try upgraded(select.bytes(2), from: version)
        // The value of a state doesn't contain its name.
        return durable.state == nil
            ? upgraded : (select.identifier(1), Array(select.bytes(2)))
    }
}
#endif
