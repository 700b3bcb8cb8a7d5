#if canImport(SQLite3) || canImport(CSQLite)
// These methods read the rows in the quarantine again.
extension DurableTable {
    /// A row that can be decoded now.
    private struct Restored {
        /// The number of the row in the quarantine.
        let number: Int64
        let identifier: RowIdentifier
        let value: [UInt8]
        /// The time when the row moved to the quarantine, in milliseconds since 1970.
        let time: Int64
    }

    func restoreQuarantine(
        _ database: Database,
        number: Int64,
        writer: Int64,
        listLimit: Int
    ) throws(SQLiteGraphError) -> Int {
        var errors: [SQLiteGraphError] = []
        // Only a load knows the type of a response.
        guard try isReadable(database, &errors), !(durable.state?.needsType ?? false) else {
            return 0
        }
        let rows = try decodableRows(database)
        if rows.isEmpty { return 0 }
        let insert = try database.statement(sql.insertIfAbsent)
        let delete = try database.statement("DELETE FROM flatcache_quarantine WHERE rowid = ?")
        for row in rows {
            insert.bind(row.time, at: 1)
            insert.bind(row.identifier, at: 2)
            insert.bind(copyOf: row.value, isText: storesText, at: 3)
            insert.bindNull(at: 4)
            insert.bind(row.time, at: 5)
            insert.bindNull(at: 6)
            try insert.run()
            delete.bind(row.number, at: 1)
            try delete.run()
        }
        forgetSizes()
        filter = TableFilter()
        let record = TransactionRecord(
            mark: TransactionMark(number: number, time: .unchanged, writer: writer),
            type: name,
            written: now,
            stored: Set(rows.map(\.identifier)).sorted(),
            removed: []
        )
        try TransactionLog(database: database).append(record.limited(toBytes: listLimit))
        return rows.count
    }

    /// Reads the type's rows in the quarantine, and leaves out those that still can't be decoded.
    private func decodableRows(_ database: Database) throws(SQLiteGraphError) -> [Restored] {
        let select = try database.statement(
            "SELECT rowid, id, value, version, time FROM flatcache_quarantine WHERE type = ?"
        )
        defer { select.reset() }
        select.bind(name, at: 1)
        var rows: [Restored] = []
        while try select.step() {
            let version = Int(select.number(3))
            let steps = durable.upgrades.drop { $0.version < version }
            guard version == durable.version || steps.first?.version == version,
                let (identifier, value) = try? restored(select, steps)
            else { continue }
            rows.append(
                Restored(
                    number: select.number(0),
                    identifier: identifier,
                    value: value,
                    time: select.number(4) * 1_000
                )
            )
        }
        return rows
    }

    /// Returns the identifier and the encoding of the value in the present row of a statement.
    private func restored(
        _ select: Statement,
        _ steps: ArraySlice<Upgrade>
    ) throws -> (RowIdentifier, [UInt8]) {
        let bytes = select.bytes(2)
        guard durable.state != nil else { return try upgraded(bytes, steps) }
        // The value of a state doesn't contain its name.
        _ = try coder.decode(Value.self, from: bytes)
        return (select.identifier(1, form.column), Array(bytes))
    }
}
#endif
