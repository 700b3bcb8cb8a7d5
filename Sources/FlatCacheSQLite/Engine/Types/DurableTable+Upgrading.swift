#if canImport(SQLite3) || canImport(CSQLite)
import FlatCache
import FlatCacheRows

extension DurableTable {
    func prepare() throws(SQLiteGraphError) {
        isCurrent = false
        refusal = nil
        hasUnwrittenChanges = false
        forgetSizes()
        // Attaching must not wait for another process that writes, so a type without changes is
        // only read.
        if let (version, column) = try description(), version == durable.version,
            column == form.column.rawValue, try !lacksColumn()
        {
            try database.checkDefinition([sql.upsert, sql.use])
            isCurrent = true
        } else {
            let count = errors.list.count
            do throws(SQLiteGraphError) {
                try createOrUpgrade()
            } catch {
                // The rows haven't moved to the quarantine.
                errors.list.removeSubrange(count...)
                throw error
            }
        }
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
            if try lacksColumn() { try database.execute(sql.addWhole) }
            try database.checkDefinition([sql.upsert, sql.use])
            if version > durable.version { return refuse(version) }
            if !durable.upgrades.canUpgrade(from: version), try size().rows > 0 {
                return refuse(version)
            }
            if version < durable.version || column != form.column.rawValue {
                try upgrade(from: version, column)
            }
            isCurrent = true
        }
    }

    /// Deletes the rows above the age and the staleness of the limit, and excess lists.
    ///
    /// If the file can't be written now, later flushes delete them.
    private func deleteExcess() throws(SQLiteGraphError) {
        let limit = durable.limit
        if limit.maximumAge == nil, limit.maximumStaleness == nil, !boundsLists { return }
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

    /// Returns whether a former version of the library has created the table.
    private func lacksColumn() throws(SQLiteGraphError) -> Bool {
        try database.number(sql.lacksWhole) == 1
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
    private func upgrade(from version: Int, _ column: String) throws(SQLiteGraphError) {
        let formerTable = "flatcache_former"
        try database.execute("ALTER TABLE \(sql.table) RENAME TO \(formerTable)")
        try database.execute(sql.create)
        var names = try formerNames(version, haveOtherForm: column != form.column.rawValue)
        let insert = try database.statement(sql.insertIfAbsent)
        let quarantine = try database.statement(
            "INSERT INTO flatcache_quarantine VALUES (?, ?, ?, ?, ?, ?)"
        )
        var lost: [RowIdentifier] = []
        try database.rows("SELECT \(TableStatements.columns) FROM \(formerTable)") {
            select throws(SQLiteGraphError) -> Void? in
            let former = select.identifier(0)
            var failure: (any Error)?
            do {
                let (identifier, bytes) = try upgraded(select.bytes(1), from: version)
                insert.bind(5, of: select, at: 1)
                insert.bind(identifier, at: 2)
                insert.bind(copyOf: bytes, isText: storesText, at: 3)
                for column in Int32(2)...4 { insert.bind(column, of: select, at: column + 2) }
                insert.bind(6, of: select, at: 7)
                names.insert(former, identifier)
            } catch {
                failure = error
            }
            if failure == nil {
                try insert.run()
                if database.changedRows == 0 {
                    failure = RowError("Another row was upgraded to the same identifier.")
                }
            }
            guard let failure else { return }
            lost.append(former)
            let row = Undecodable(identifier: former, error: failure)
            errors.list.append(decodingError(of: row, isUpgrade: true))
            let cause = cause(of: row)
            quarantine.bind([name, former, nil, Int64(version), cause, now.seconds])
            quarantine.bind(1, of: select, at: 3)
            try quarantine.run()
        }
        try database.execute("DROP TABLE \(formerTable)")
        try renameEntities(names)
        try deleteResponses(containing: lost)
        try describe()
    }

    /// Returns the identifier and the encoding of a row's value, upgraded to the present version.
    func upgraded(
        _ bytes: UnsafeRawBufferPointer,
        from version: Int
    ) throws -> (RowIdentifier, [UInt8]) {
        let value = try durable.upgrades.value(from: version) { try coder.decode($0, from: bytes) }
        return (try form.encode(value.id), try coder.encode(value))
    }
}

/// The identifiers of a type's entities before an upgrade, each with the present one.
struct FormerNames {
    /// The tables in the file that contain identifiers: those of lists and of aliases.
    let states: [(table: String, row: any StateRow.Type)]
    /// `true` if the upgrade has changed an identifier.
    private(set) var hasChanges: Bool
    private var present: [RowIdentifier: RowIdentifier] = [:]

    init(_ states: [(table: String, row: any StateRow.Type)], hasChanges: Bool) {
        self.states = states
        self.hasChanges = hasChanges
    }

    mutating func insert(_ former: RowIdentifier, _ identifier: RowIdentifier) {
        if former != identifier { hasChanges = true }
        // Without lists and aliases, the identifiers aren't needed.
        if !states.isEmpty { present[former] = identifier }
    }

    /// The present identifier of an entity, or `nil` if the upgrade had no row of it.
    subscript(former: RowIdentifier) -> RowIdentifier? { present[former] }
}

// These methods replace the identifiers of upgraded entities in the rows that name the entities.
extension DurableTable {
    /// Returns the names of the entities in the quarantine before an upgrade, to which the upgrade
    /// adds those of the other entities.
    ///
    /// - Parameters:
    ///   - version: The version before the upgrade.
    ///   - haveOtherForm: `true` if the upgrade changes the form of all identifiers.
    func formerNames(
        _ version: Int,
        haveOtherForm: Bool
    ) throws(SQLiteGraphError) -> FormerNames {
        let all: [(String, any StateRow.Type)] = [
            ("flatcache_lists_\(name)", ListRow.self),
            ("flatcache_aliases_\(name)", AliasRow.self),
        ]
        var states: [(table: String, row: any StateRow.Type)] = []
        for (table, row) in all where try hasStates(table) { states.append((table, row)) }
        var names = FormerNames(states, hasChanges: haveOtherForm)
        if states.isEmpty { return names }
        try database.rows(
            """
            SELECT id, value FROM flatcache_quarantine WHERE type = ? AND version = ? \
            ORDER BY rowid
            """,
            name,
            Int64(version)
        ) { row -> Void? in
            guard let (identifier, _) = try? upgraded(row.bytes(1), from: version) else { return }
            names.insert(row.identifier(0), identifier)
        }
        return names
    }

    func hasStates(_ table: String) throws(SQLiteGraphError) -> Bool {
        let select = "SELECT 1 FROM flatcache_types WHERE name = ? AND version = 1"
        return try database.number(select, table) != nil
    }

    /// Replaces the identifiers of entities in lists and aliases, also in those that the graph
    /// doesn't declare, and in the quarantine, as part of the transaction of an upgrade.
    ///
    /// Identifiers without a row have no other one, so they disappear. Responses may contain
    /// identifiers, and only a load knows their type, so they're deleted. The log no longer lists
    /// the rows of the former version.
    func renameEntities(_ names: FormerNames) throws(SQLiteGraphError) {
        guard names.hasChanges else { return }
        for (table, row) in names.states {
            try rename(names, row, table.quoted("\""), key: "id")
            let condition = "WHERE type = \(table.quoted("'"))"
            try rename(names, row, "flatcache_quarantine", key: "rowid", condition)
        }
        try database.log.forgetRows(of: name)
        if try hasStates(TableStatements.responses) {
            try database.execute("DELETE FROM \(TableStatements.responses)")
        }
    }

    /// Replaces the identifiers in the rows of a table.
    ///
    /// A row that can't be decoded remains unchanged. It's reported when it's read.
    private func rename(
        _ names: FormerNames,
        _ row: any StateRow.Type,
        _ table: String,
        key: String,
        _ condition: String = ""
    ) throws(SQLiteGraphError) {
        let rows = try database.rows("SELECT \(key), value FROM \(table) \(condition)") {
            select -> (key: RowIdentifier, value: [UInt8]?)? in
            let key = select.identifier(0)
            do {
                return (key, try renamed(select.bytes(1), row, names))
            } catch {
                return nil
            }
        }
        let update = try database.statement("UPDATE \(table) SET value = ? WHERE \(key) = ?")
        let delete = try database.statement("DELETE FROM \(table) WHERE \(key) = ?")
        for (key, value) in rows {
            guard let value else {
                try delete.run(key)
                continue
            }
            update.bind(copyOf: value, isText: storesText, at: 1)
            update.bind(key, at: 2)
            try update.run()
        }
    }

    private func renamed<Row: StateRow>(
        _ bytes: UnsafeRawBufferPointer,
        _ row: Row.Type,
        _ names: FormerNames
    ) throws -> [UInt8]? {
        try coder.decode(row, from: bytes).renamed(names).map { try coder.encode($0) }
    }
}
#endif
