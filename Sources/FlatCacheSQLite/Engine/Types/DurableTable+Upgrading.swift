#if canImport(SQLite3) || canImport(CSQLite)
import FlatCache

extension DurableTable {
    func prepare() throws(SQLiteGraphError) {
        isCurrent = false
        refusal = nil
        hasUnwrittenChanges = false
        forgetSizes()
        if try !isUpToDate() { try createOrUpgrade() }
        if isOwnVersionCurrent { try deleteExcess() }
    }

    private func createOrUpgrade() throws(SQLiteGraphError) {
        try database.transaction { () throws(SQLiteGraphError) in
            guard let (version, column) = try description() else {
                try database.execute(sql.create)
                try describe()
                isCurrent = true
                return
            }
            try database.checkDefinition([sql.upsert, sql.use])
            if version > durable.version { return refuse(version) }
            let steps = durable.upgrades.drop { $0.version < version }
            if version < durable.version, steps.first?.version != version,
                try size().rows > 0
            {
                return refuse(version)
            }
            if version < durable.version || column != form.column.rawValue {
                try upgrade(from: version, steps, column)
            }
            isCurrent = true
        }
    }

    /// Returns whether the type's rows have the declared version.
    ///
    /// The method only reads, so attaching doesn't wait for another process that writes.
    private func isUpToDate() throws(SQLiteGraphError) -> Bool {
        guard let (version, column) = try description() else { return false }
        guard version == durable.version, column == form.column.rawValue else { return false }
        try database.checkDefinition([sql.upsert, sql.use])
        isCurrent = true
        return true
    }

    /// Deletes the rows above the age and the staleness of the limit, and excess lists.
    ///
    /// If the file can't be written now, later flushes delete them.
    private func deleteExcess() throws(SQLiteGraphError) {
        let limit = durable.limit
        guard limit.maximumAge != nil || limit.maximumStaleness != nil || boundsLists else { return }
        do throws(SQLiteGraphError) {
            try database.transactionWithoutWaiting { () throws(SQLiteGraphError) in
                // Another process may have upgraded the rows.
                guard try version() == durable.version else { return }
                try ClockHistory.record(now, in: database)
                try deleteOldRows()
                // A former version of the program may have kept more lists.
                try enforceMaximumCounts(isFlush: false)
            }
        } catch {
            ageingPause = .min ..< .min
            switch error.kind {
            case .locked: break
            case .diskFull, .readOnly: errors.list.append(error)
            default: throw error
            }
        }
    }

    /// Returns the version and the identifiers' column of the type's rows.
    func description() throws(SQLiteGraphError) -> (version: Int, column: String)? {
        try database.rows(
            "SELECT version, identifiers FROM flatcache_types WHERE name = ?",
            name
        ) { (Int($0.number(0)), $0.text(1)) }.first
    }

    private func describe() throws(SQLiteGraphError) {
        try database.statement(
            "INSERT OR REPLACE INTO flatcache_types (name, version, identifiers) VALUES (?, ?, ?)"
        ).run(name, Int64(durable.version), form.column.rawValue)
    }

    /// Copies the rows of a former version to a new table, since their identifiers may change, and
    /// replaces the identifiers where lists and aliases contain them.
    private func upgrade(
        from version: Int,
        _ steps: ArraySlice<Upgrade>,
        _ column: String
    ) throws(SQLiteGraphError) {
        let formerTable = "flatcache_former"
        try database.execute("ALTER TABLE \(sql.table) RENAME TO \(formerTable)")
        try database.execute(sql.create)
        let formerColumn = IdentifierColumn(rawValue: column) ?? .blob
        var names = try formerNames(version, formerColumn, steps)
        let insert = try database.statement(sql.insertIfAbsent)
        let quarantine = try database.statement(
            "INSERT INTO flatcache_quarantine VALUES (?, ?, ?, ?, ?, ?)"
        )
        let columns = "id, value, stored, stale, stamp, used"
        try database.rows("SELECT \(columns) FROM \(formerTable)") {
            select throws(SQLiteGraphError) -> Void? in
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
                if database.changedRows == 0 {
                    failure = RowError(
                        description: "Another row was upgraded to the same identifier."
                    )
                }
            }
            guard let failure else { return }
            let row = Undecodable(identifier: former, error: failure)
            errors.list.append(decodingError(of: row, isUpgrade: true))
            let cause = cause(of: row)
            quarantine.bind([name, former, nil, Int64(version), cause, now.seconds])
            quarantine.bind(1, of: select, at: 3)
            try quarantine.run()
        }
        try database.execute("DROP TABLE \(formerTable)")
        try renameEntities(names)
        try describe()
    }

    /// Returns the upgrades from a version to the present one, or `nil` without the first one.
    func steps(from version: Int) -> ArraySlice<Upgrade>? {
        let steps = durable.upgrades.drop { $0.version < version }
        return version == durable.version || steps.first?.version == version ? steps : nil
    }

    /// Returns the identifier and the encoding of a row's value, upgraded to the present version.
    func upgraded(
        _ bytes: UnsafeRawBufferPointer,
        _ steps: ArraySlice<Upgrade>
    ) throws -> (RowIdentifier, [UInt8]) {
        let oldest = try steps.first?.decode(coder, bytes)
        var value: Any = try oldest ?? coder.decode(Value.self, from: bytes)
        for step in steps { value = try step.apply(value) }
        guard let value = value as? Value else { throw RowError.otherType }
        var encoded: [UInt8] = []
        try coder.encode(value, into: &encoded)
        return (try form.encode(value.id), encoded)
    }
}

/// A step that upgrades the values of one version of a type to the next one.
struct Upgrade: Sendable {
    let version: Int
    let oldType: Any.Type
    let newType: Any.Type
    let decode: @Sendable (any RowCoder, UnsafeRawBufferPointer) throws -> Any
    let apply: @Sendable (Any) throws -> Any

    init<Old: Decodable & Sendable, New>(
        from version: Int,
        _ body: @escaping @Sendable (Old) throws -> New
    ) {
        self.version = version
        oldType = Old.self
        newType = New.self
        decode = { coder, bytes in try coder.decode(Old.self, from: bytes) }
        apply = { old in
            guard let old = old as? Old else { throw RowError.otherType }
            return try body(old)
        }
    }
}
#endif
