#if canImport(SQLite3) || canImport(CSQLite)
/// The identifiers of a type's entities before an upgrade, each with the present one.
struct FormerNames {
    let column: IdentifierColumn
    /// The type of the former identifiers, if they are neither integers nor strings.
    let type: any (Hashable & Codable).Type
    /// The tables in the file that contain identifiers: those of lists and of aliases.
    let states: [(table: String, isOfAliases: Bool)]
    /// `true` if the upgrade has changed an identifier.
    private(set) var hasChanges: Bool
    private var present: [RowIdentifier: RowIdentifier] = [:]

    init(
        _ column: IdentifierColumn,
        _ type: any (Hashable & Codable).Type,
        _ states: [(table: String, isOfAliases: Bool)],
        hasChanges: Bool
    ) {
        self.column = column
        self.type = type
        self.states = states
        self.hasChanges = hasChanges
    }

    mutating func insert(_ former: RowIdentifier, _ identifier: RowIdentifier) {
        if former != identifier { hasChanges = true }
        // Without lists and aliases, the identifiers aren't needed.
        if !states.isEmpty { present[former] = identifier }
    }

    /// Returns the present identifier of an entity, or `nil` if the upgrade had no row of it.
    func identifier(of former: some Encodable) throws -> RowIdentifier? {
        switch former {
        case let number as Int64: present[.number(number)]
        case let number as UInt64: present[.number(Int64(truncatingIfNeeded: number))]
        case let text as String: present[try IdentifierForm<String>().encode(text)]
        default: present[try .bytes(of: former)]
        }
    }
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
        var states: [(table: String, isOfAliases: Bool)] = []
        for isOfAliases in [false, true] {
            let table = "flatcache_\(isOfAliases ? "aliases" : "lists")_\(name)"
            if try hasStates(table) { states.append((table, isOfAliases)) }
        }
        var names = FormerNames(
            column,
            steps.first?.oldIdentifierType ?? Value.ID.self,
            states,
            hasChanges: column != form.column
        )
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
        for (table, isOfAliases) in names.states {
            try rename(names, isOfAliases, TableStatements.quoted(table), key: "id")
            let condition = "WHERE type = \(TableStatements.literal(table))"
            try rename(names, isOfAliases, "flatcache_quarantine", key: "rowid", condition)
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
        _ isOfAliases: Bool,
        _ table: String,
        key: String,
        _ condition: String = ""
    ) throws(SQLiteGraphError) {
        let rows = try database.rows("SELECT \(key), value FROM \(table) \(condition)") {
            row -> (key: RowIdentifier, value: [UInt8]?)? in
            let key = row.identifier(0, row.isInteger(0) ? .integer : .text)
            do {
                return (key, try renamed(row.bytes(1), isOfAliases, names))
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

    /// Returns the row of a list or an alias with present identifiers, or `nil` if none is left.
    private func renamed(
        _ bytes: UnsafeRawBufferPointer,
        _ isOfAliases: Bool,
        _ names: FormerNames
    ) throws -> [UInt8]? {
        switch names.column {
        case .integer:
            do {
                return try renamed(bytes, isOfAliases, names, as: Int64.self)
            } catch {
                return try renamed(bytes, isOfAliases, names, as: UInt64.self)
            }
        case .text: return try renamed(bytes, isOfAliases, names, as: String.self)
        case .blob: return try renamed(bytes, isOfAliases, names, as: names.type)
        }
    }

    private func renamed<Former: Hashable & Codable>(
        _ bytes: UnsafeRawBufferPointer,
        _ isOfAliases: Bool,
        _ names: FormerNames,
        as type: Former.Type
    ) throws -> [UInt8]? {
        let rename = { [form] (former: Former) throws -> Value.ID? in
            try names.identifier(of: former).map(form.decode)
        }
        var encoded: [UInt8] = []
        if isOfAliases {
            let row = try coder.decode(AliasRow<Former>.self, from: bytes)
            guard let target = try rename(row.target) else { return nil }
            try coder.encode(AliasRow(target: target, pins: row.pins), into: &encoded)
        } else {
            let row = try coder.decode(ListRow<Former>.self, from: bytes)
            guard let row = try row.renamed(rename) else { return nil }
            try coder.encode(row, into: &encoded)
        }
        return encoded
    }
}
#endif
