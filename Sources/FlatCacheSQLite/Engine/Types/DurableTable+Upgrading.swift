#if canImport(SQLite3) || canImport(CSQLite)
import FlatCache

/// The error of a row that was upgraded to the identifier of another one.
private struct SameIdentifier: Error, CustomStringConvertible {
    var description: String { "Another row was upgraded to the same identifier." }
}

extension DurableTable {
    func prepare(_ database: Database) throws(SQLiteGraphError) -> [SQLiteGraphError] {
        isCurrent = false
        refusal = nil
        hasUnwrittenChanges = false
        forgetSizes()
        filter = TableFilter()
        let errors = try isUpToDate(database) ? [] : createOrUpgrade(database)
        return isOwnVersionCurrent ? try errors + deleteExcess(database) : errors
    }

    private func createOrUpgrade(
        _ database: Database
    ) throws(SQLiteGraphError) -> [SQLiteGraphError] {
        try database.transaction { () throws(SQLiteGraphError) in
            guard let (version, column) = try description(database) else {
                try database.execute(sql.create)
                try describe(database)
                isCurrent = true
                return []
            }
            try database.checkDefinition([sql.upsert, sql.use])
            if version > durable.version { return [refuse(version, file: database.path)] }
            let steps = durable.upgrades.drop { $0.version < version }
            if version < durable.version, steps.first?.version != version,
                try size(database).rows > 0
            {
                return [refuse(version, file: database.path)]
            }
            var errors: [SQLiteGraphError] = []
            if version < durable.version || column != form.column.rawValue {
                errors = try upgrade(from: version, steps, column, database)
            }
            isCurrent = true
            return errors
        }
    }

    /// Returns whether the type's rows have the declared version.
    ///
    /// The method only reads, so attaching doesn't wait for another process that writes.
    private func isUpToDate(_ database: Database) throws(SQLiteGraphError) -> Bool {
        guard let (version, column) = try description(database) else { return false }
        guard version == durable.version, column == form.column.rawValue else { return false }
        try database.checkDefinition([sql.upsert, sql.use])
        isCurrent = true
        return true
    }

    /// Deletes the rows above the age and the staleness of the limit, and excess lists.
    ///
    /// If the file can't be written now, later flushes delete them.
    ///
    /// - Returns: The error if the disk is full or the file is read-only.
    private func deleteExcess(
        _ database: Database
    ) throws(SQLiteGraphError) -> [SQLiteGraphError] {
        let limit = durable.limit
        let lists = durable.state?.prefixes ?? []
        guard
            limit.maximumAge != nil || limit.maximumStaleness != nil
                || lists.contains(where: { $0.maximumCount != nil })
        else { return [] }
        do throws(SQLiteGraphError) {
            try database.transactionWithoutWaiting { () throws(SQLiteGraphError) in
                // Another process may have upgraded the rows.
                guard try version(database) == durable.version else { return }
                try ClockHistory.record(now, in: database)
                try deleteOldRows(database)
                // A former version of the program may have kept more lists.
                try enforceMaximumCounts(database, isFlush: false)
            }
            return []
        } catch {
            ageingPause = .min ..< .min
            switch error.kind {
            case .locked: return []
            case .diskFull, .readOnly: return [error]
            default: throw error
            }
        }
    }

    /// Returns the version and the identifiers' column of the type's rows.
    private func description(
        _ database: Database
    ) throws(SQLiteGraphError) -> (version: Int, column: String)? {
        let statement = try database.statement(
            "SELECT version, identifiers FROM flatcache_types WHERE name = ?"
        )
        defer { statement.reset() }
        statement.bind(name, at: 1)
        return try statement.step() ? (Int(statement.number(0)), statement.text(1)) : nil
    }

    private func describe(_ database: Database) throws(SQLiteGraphError) {
        let statement = try database.statement(
            "INSERT OR REPLACE INTO flatcache_types (name, version, identifiers) VALUES (?, ?, ?)"
        )
        statement.bind(name, at: 1)
        statement.bind(Int64(durable.version), at: 2)
        statement.bind(form.column.rawValue, at: 3)
        try statement.run()
    }

    /// Copies the rows of a former version to a new table, since their identifiers may change, and
    /// replaces the identifiers where lists and aliases contain them.
    private func upgrade(
        from version: Int,
        _ steps: ArraySlice<Upgrade>,
        _ column: String,
        _ database: Database
    ) throws(SQLiteGraphError) -> [SQLiteGraphError] {
        let formerTable = "flatcache_former"
        try database.execute("ALTER TABLE \(sql.table) RENAME TO \(formerTable)")
        try database.execute(sql.create)
        let formerColumn = IdentifierColumn(rawValue: column) ?? .blob
        var names = try formerNames(version, formerColumn, steps, database)
        let select = try database.statement(
            "SELECT id, value, stored, stale, stamp, used FROM \(formerTable)"
        )
        defer { select.reset() }
        let insert = try database.statement(sql.insertIfAbsent)
        let quarantine = try database.statement(
            "INSERT INTO flatcache_quarantine VALUES (?, ?, ?, ?, ?, ?)"
        )
        var errors: [SQLiteGraphError] = []
        while try select.step() {
            let former = select.identifier(0, formerColumn)
            var failure: (any Error)?
            do {
                let (identifier, bytes) = try upgraded(select.bytes(1), steps)
                insert.bind(5, of: select, at: 1)
                insert.bind(identifier, at: 2)
                insert.bind(copyOf: bytes, isText: storesText, at: 3)
                for column in Int32(2)...4 { insert.bind(column, of: select, at: column + 2) }
                names.insert(former, identifier)
            } catch {
                failure = error
            }
            if failure == nil {
                try insert.run()
                if database.changedRows == 0 { failure = SameIdentifier() }
            }
            guard let failure else { continue }
            let row = Undecodable(identifier: former, error: failure)
            errors.append(decodingError(of: row, file: database.path, isUpgrade: true))
            quarantine.bind(name, at: 1)
            quarantine.bind(former, at: 2)
            quarantine.bind(1, of: select, at: 3)
            quarantine.bind(Int64(version), at: 4)
            quarantine.bind(cause(of: row), at: 5)
            quarantine.bind(now.seconds, at: 6)
            try quarantine.run()
        }
        select.reset()
        try database.execute("DROP TABLE \(formerTable)")
        try renameEntities(names, database)
        try describe(database)
        return errors
    }

    /// Returns the identifier and the encoding of a row's value, upgraded to the present version.
    func upgraded(
        _ bytes: UnsafeRawBufferPointer,
        _ steps: ArraySlice<Upgrade>
    ) throws -> (RowIdentifier, [UInt8]) {
        let oldest = try steps.first?.decode(coder, bytes)
        var value: Any = try oldest ?? coder.decode(Value.self, from: bytes)
        for step in steps { value = try step.apply(value) }
        guard let value = value as? Value else { throw Upgrade.OtherType() }
        var encoded: [UInt8] = []
        try coder.encode(value, into: &encoded)
        return (try form.encode(value.id), encoded)
    }
}
#endif
