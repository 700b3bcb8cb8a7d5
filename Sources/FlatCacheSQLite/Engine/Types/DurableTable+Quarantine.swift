#if canImport(SQLite3) || canImport(CSQLite)
// These methods read the rows in the quarantine again.
extension DurableTable {
    /// A row that can be decoded now.
    private struct Restored {
        /// The number of the row in the quarantine.
        let number: Int64
        let identifier: RowIdentifier
        let value: [UInt8]
    }

    func restoreQuarantine(
        _ database: Database,
        number: Int64,
        token: Int64,
        listLimit: Int
    ) throws(SQLiteGraphError) -> Int {
        var errors: [SQLiteGraphError] = []
        // Only a load knows the type of a response.
        guard try isReadable(database, &errors), !(durable.state?.needsType ?? false) else {
            return 0
        }
        let rows = try decodableRows(database)
        let time = now
        var restored: [RowIdentifier] = []
        let insert = try database.statement(sql.insertIfAbsent)
        let delete = try database.statement("DELETE FROM flatcache_quarantine WHERE rowid = ?")
        for row in rows {
            insert.bind(time.milliseconds, at: 1)
            insert.bind(row.identifier, at: 2)
            insert.bind(copyOf: row.value, isText: storesText, at: 3)
            insert.bindNull(at: 4)
            insert.bind(time.milliseconds, at: 5)
            insert.bindNull(at: 6)
            try insert.run()
            // A newer row of the entity remains, and so does the row in the quarantine.
            if database.changedRows == 0 { continue }
            restored.append(row.identifier)
            delete.bind(row.number, at: 1)
            try delete.run()
        }
        if restored.isEmpty { return 0 }
        forgetSizes()
        filter = TableFilter()
        let record = TransactionRecord(
            number: number,
            token: token,
            type: name,
            written: time,
            scope: .restores,
            stored: restored.sorted(),
            removed: []
        )
        try TransactionLog(database: database).append(record.limited(toBytes: listLimit))
        return restored.count
    }

    func copyToQuarantine(
        from damaged: DamagedFile,
        of former: (version: Int64, column: String)?,
        after last: Int64,
        unlessChangedBy changes: ChangesOfOthers,
        _ database: Database
    ) throws(SQLiteGraphError) -> [String] {
        // Only a load knows the type of a response.
        guard isCurrent, !(durable.state?.needsType ?? false), !changes.removesAll,
            let table = DamagedTable(name, of: damaged)
        else { return [] }
        let version = former?.version ?? Int64(durable.version)
        let column = former.flatMap { IdentifierColumn(rawValue: $0.column) } ?? form.column
        let steps = durable.upgrades.drop { $0.version < version }
        let isFormer = steps.first?.version == Int(version) || column != form.column
        var names = try formerNames(Int(version), column, steps, database)
        let insert = try database.statement(sql.quarantineCopy)
        let unreadable = try table.forEachRow { row throws(SQLiteGraphError) in
            let identifier = presentIdentifier(row, id: 1, value: 2, Int(version))
            if let identifier {
                if isFormer { names.insert(row.identifier(1, column), identifier) }
                if changes.removed.contains(identifier) { return }
                insert.bind(identifier, at: 6)
            } else {
                insert.bindNull(at: 6)
            }
            insert.bind(1, of: row, at: 1)
            insert.bind(2, of: row, at: 2)
            insert.bind(version, at: 3)
            insert.bind("The row comes from \(damaged.database.path).", at: 4)
            insert.bind(now.seconds, at: 5)
            insert.bind(Int64(durable.version), at: 7)
            try insert.run()
        }
        if isFormer { try renameInQuarantine(names, after: last, database) }
        return unreadable.map { "\(sql.table) \($0)" }
    }

    /// Deletes the rows of removed entities from the quarantine, as part of a transaction.
    ///
    /// The quarantine keeps a row of a former version that can't be upgraded, since its entity is
    /// unknown.
    func deleteQuarantined(_ database: Database) throws(SQLiteGraphError) {
        if encoded.removesAll {
            let delete = try database.statement("DELETE FROM flatcache_quarantine WHERE type = ?")
            delete.bind(name, at: 1)
            return try delete.run()
        }
        if encoded.removed.isEmpty, encoded.removedPrefixes.isEmpty { return }
        let select = try database.statement("SELECT 1 FROM flatcache_quarantine WHERE type = ?")
        select.bind(name, at: 1)
        let hasRows = try select.step()
        select.reset()
        guard hasRows else { return }
        let prefixes = encoded.removedPrefixes
        let lists = try quarantinedLists(withPrefixes: prefixes, database)
        let delete = try database.statement(
            "DELETE FROM flatcache_quarantine WHERE type = ? AND id = ? AND version = ?"
        )
        for identifier in encoded.removed + lists {
            delete.bind(name, at: 1)
            delete.bind(identifier, at: 2)
            delete.bind(Int64(durable.version), at: 3)
            try delete.run()
        }
        try deleteQuarantinedFormer(of: Set(encoded.removed), database)
    }

    /// Deletes the rows of removed entities whose identifiers an upgrade may have changed.
    private func deleteQuarantinedFormer(
        of removed: Set<RowIdentifier>,
        _ database: Database
    ) throws(SQLiteGraphError) {
        let select = try database.statement(
            """
            SELECT rowid, id, value, version FROM flatcache_quarantine \
            WHERE type = ? AND (version <> ? OR upper(typeof(id)) <> ?)
            """
        )
        defer { select.reset() }
        select.bind(name, at: 1)
        select.bind(Int64(durable.version), at: 2)
        select.bind(form.column.rawValue, at: 3)
        var numbers: [Int64] = []
        while try select.step() {
            let version = Int(select.number(3))
            guard let identifier = presentIdentifier(select, id: 1, value: 2, version),
                removed.contains(identifier)
            else { continue }
            numbers.append(select.number(0))
        }
        select.reset()
        let delete = try database.statement("DELETE FROM flatcache_quarantine WHERE rowid = ?")
        for number in numbers {
            delete.bind(number, at: 1)
            try delete.run()
        }
    }

    /// Returns the present identifier of the entity in a row that may be of a former version, or
    /// `nil` if the row can't be upgraded.
    private func presentIdentifier(
        _ row: Statement,
        id: Int32,
        value: Int32,
        _ version: Int
    ) -> RowIdentifier? {
        let isPresent = version == durable.version
        // The identifiers of states are names. No upgrade changes them.
        if durable.state != nil || (isPresent && row.hasIdentifier(id, form.column)) {
            return row.identifier(id, form.column)
        }
        let steps = durable.upgrades.drop { $0.version < version }
        guard isPresent || steps.first?.version == version else { return nil }
        return (try? upgraded(row.bytes(value), steps))?.0
    }

    private func quarantinedLists(
        withPrefixes prefixes: [String],
        _ database: Database
    ) throws(SQLiteGraphError) -> [RowIdentifier] {
        if prefixes.isEmpty { return [] }
        let select = try database.statement(
            "SELECT id FROM flatcache_quarantine WHERE type = ? AND typeof(id) = 'text'"
        )
        select.bind(name, at: 1)
        return try identifiers(withPrefixes: prefixes, in: select)
    }

    /// Reads the decodable rows of the type in the quarantine, from the latest to the earliest.
    private func decodableRows(_ database: Database) throws(SQLiteGraphError) -> [Restored] {
        let select = try database.statement(
            """
            SELECT rowid, id, value, version FROM flatcache_quarantine WHERE type = ? \
            ORDER BY rowid DESC
            """
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
                    value: value
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
