#if canImport(SQLite3) || canImport(CSQLite)
// These methods read the rows in the quarantine again.
extension DurableTable {
    func restoreQuarantine(_ transaction: NewTransaction) throws(SQLiteGraphError) -> Int {
        var errors: [SQLiteGraphError] = []
        // Only a load knows the type of a response.
        guard try isReadable(&errors), !(durable.state?.needsType ?? false) else {
            return 0
        }
        let time = now
        var restored: [RowIdentifier] = []
        // Of several rows of an entity, the latest one returns.
        let rows = try database.rows(
            """
            SELECT rowid, id, value, version FROM flatcache_quarantine WHERE type = ? \
            ORDER BY rowid DESC
            """,
            name
        ) { row -> (number: Int64, RowIdentifier, value: [UInt8])? in
            guard let steps = steps(from: Int(row.number(3))),
                let (identifier, value) = try? self.restored(row, steps)
            else { return nil }
            return (row.number(0), identifier, value)
        }
        let insert = try database.statement(sql.insertIfAbsent)
        let delete = try database.statement("DELETE FROM flatcache_quarantine WHERE rowid = ?")
        for (number, identifier, value) in rows {
            insert.bind([time.milliseconds, identifier, nil, nil, time.milliseconds, nil])
            insert.bind(copyOf: value, isText: storesText, at: 3)
            try insert.run()
            // A newer row of the entity remains, and so does the row in the quarantine.
            if database.changedRows == 0 { continue }
            restored.append(identifier)
            try delete.run(number)
        }
        if restored.isEmpty { return 0 }
        forgetSizes()
        let record = TransactionRecord(
            number: transaction.number,
            token: transaction.token,
            type: name,
            written: time,
            scope: .restores,
            stored: restored.sorted(),
            removed: []
        )
        try database.log.append(record.limited(toBytes: transaction.listLimit))
        return restored.count
    }

    func copyToQuarantine(
        from damaged: DamagedFile,
        of former: (version: Int64, column: String)?,
        after last: Int64,
        unlessChangedBy changes: ChangesOfOthers
    ) throws(SQLiteGraphError) -> [String] {
        // Only a load knows the type of a response.
        guard isCurrent, !(durable.state?.needsType ?? false), !changes.removesAll,
            let table = DamagedTable(name, of: damaged)
        else { return [] }
        let version = former?.version ?? Int64(durable.version)
        let column = former.flatMap { IdentifierColumn(rawValue: $0.column) } ?? form.column
        let steps = durable.upgrades.drop { $0.version < version }
        let isFormer = steps.first?.version == Int(version) || column != form.column
        var names = try formerNames(Int(version), column, steps)
        let insert = try database.statement(sql.quarantineCopy)
        let unreadable = try table.forEachRow { row throws(SQLiteGraphError) in
            let identifier = presentIdentifier(row, id: 1, value: 2, Int(version))
            if let identifier {
                if isFormer { names.insert(row.identifier(1, column), identifier) }
                if changes.removed.contains(identifier) { return }
            }
            let cause = "The row comes from \(damaged.database.path)."
            let present = Int64(durable.version)
            insert.bind([nil, nil, version, cause, now.seconds, identifier, present])
            for index in Int32(1)...2 { insert.bind(index, of: row, at: index) }
            try insert.run()
        }
        if isFormer { try renameInQuarantine(names, after: last) }
        return unreadable.map { "\(sql.table) \($0)" }
    }

    /// Deletes the rows of removed entities from the quarantine, as part of a transaction.
    ///
    /// The quarantine keeps a row of a former version that can't be upgraded, since its entity is
    /// unknown.
    func deleteQuarantined() throws(SQLiteGraphError) {
        if encoded.removesAll {
            let delete = "DELETE FROM flatcache_quarantine WHERE type = ?"
            return try database.statement(delete).run(name)
        }
        if encoded.removed.isEmpty, encoded.removedPrefixes.isEmpty { return }
        let removed = Set(encoded.removed)
        let rows = try database.rows(
            "SELECT rowid, id, value, version FROM flatcache_quarantine WHERE type = ?",
            name
        ) { row -> Int64? in
            let identifier = presentIdentifier(row, id: 1, value: 2, Int(row.number(3)))
            guard let identifier else { return nil }
            let isRemoved =
                removed.contains(identifier)
                || encoded.removedPrefixes.contains(where: identifier.hasPrefix)
            return isRemoved ? row.number(0) : nil
        }
        let delete = try database.statement("DELETE FROM flatcache_quarantine WHERE rowid = ?")
        for row in rows { try delete.run(row) }
    }

    /// Returns the present identifier of the entity in a row that may be of a former version, or
    /// `nil` if the row can't be upgraded.
    private func presentIdentifier(
        _ row: Statement,
        id: Int32,
        value: Int32,
        _ version: Int
    ) -> RowIdentifier? {
        let isPresent = version == durable.version && row.hasIdentifier(id, form.column)
        // The identifiers of states are names. No upgrade changes them.
        if durable.state != nil || isPresent { return row.identifier(id, form.column) }
        return steps(from: version).flatMap { try? upgraded(row.bytes(value), $0).0 }
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
