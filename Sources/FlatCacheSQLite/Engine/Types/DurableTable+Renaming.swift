#if canImport(SQLite3) || canImport(CSQLite)
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
    func formerNames(
        _ version: Int,
        _ column: IdentifierColumn,
        _ steps: ArraySlice<Upgrade>
    ) throws(SQLiteGraphError) -> FormerNames {
        let all: [(String, any StateRow.Type)] = [
            ("flatcache_lists_\(name)", ListRow.self),
            ("flatcache_aliases_\(name)", AliasRow.self),
        ]
        var states: [(table: String, row: any StateRow.Type)] = []
        for (table, row) in all where try hasStates(table) { states.append((table, row)) }
        var names = FormerNames(states, hasChanges: column != form.column)
        if states.isEmpty { return names }
        try database.rows(
            """
            SELECT id, value FROM flatcache_quarantine WHERE type = ? AND version = ? \
            ORDER BY rowid
            """,
            name,
            Int64(version)
        ) { row -> Void? in
            guard let (identifier, _) = try? upgraded(row.bytes(1), steps) else { return }
            names.insert(row.identifier(0, column), identifier)
        }
        return names
    }

    private func hasStates(_ table: String) throws(SQLiteGraphError) -> Bool {
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
            try rename(names, row, TableStatements.quoted(table), key: "id")
            let condition = "WHERE type = \(TableStatements.literal(table))"
            try rename(names, row, "flatcache_quarantine", key: "rowid", condition)
        }
        try database.log.forgetRows(of: name)
        if try hasStates("flatcache_responses") {
            try database.execute("DELETE FROM flatcache_responses")
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
            let key = select.identifier(0, select.isInteger(0) ? .integer : .text)
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
        guard let row = try coder.decode(row, from: bytes).renamed(names) else { return nil }
        var encoded: [UInt8] = []
        try coder.encode(row, into: &encoded)
        return encoded
    }
}
#endif
