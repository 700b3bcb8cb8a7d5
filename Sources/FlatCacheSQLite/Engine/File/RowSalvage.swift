#if canImport(SQLite3) || canImport(CSQLite)
#if canImport(SQLite3)
import SQLite3
#else
import CSQLite
#endif

/// The copying of rows from a damaged file to a new one.
struct RowSalvage {
    private let damaged: DamagedFile
    private let database: Database
    /// The number of copied rows.
    private(set) var count = 0
    /// The descriptions of the rows that can't be read.
    private(set) var unreadable: [String] = []

    /// Copies the rows that SQLite can read.
    ///
    /// - Throws: An error if the new file can't be written.
    static func copyRows(
        from path: String,
        to database: Database
    ) throws(SQLiteGraphError) -> (count: Int, unreadable: [String]) {
        guard let damaged = DamagedFile(path) else { return (0, []) }
        var salvage = RowSalvage(damaged: damaged, database: database)
        try salvage.copyTables()
        return (salvage.count, salvage.unreadable)
    }

    private mutating func copyTables() throws(SQLiteGraphError) {
        try database.execute(ClockHistory.create)
        for table in ["flatcache_types", "flatcache_quarantine", "flatcache_clock"] {
            try copy(table)
        }
        count = 0
        let (definitions, unreadableKeys) = damaged.definitions()
        unreadable += unreadableKeys.map { "definitions of types \($0)" }
        for name in try createTables() where definitions[name] == nil {
            unreadable.append("all of \(TableStatements.quoted(name))")
        }
        for (name, create) in definitions
        where !name.hasPrefix("flatcache_") || TableStatements.isOfStates(name) {
            // If the list of types is damaged, the table's own definition may still be correct.
            let table = TableStatements.quoted(name)
            if (try? database.statement("SELECT 1 FROM \(table)")) == nil {
                guard (try? database.execute(create)) != nil else { continue }
            }
            try copy(name)
        }
    }

    /// Creates the tables of all types, since their definitions in the file may be damaged; returns
    /// the names of the types.
    private func createTables() throws(SQLiteGraphError) -> [String] {
        let tables = try database.rows("SELECT name, identifiers FROM flatcache_types") { row in
            IdentifierColumn(rawValue: row.text(1)).map {
                TableStatements(name: row.text(0), column: $0, storesText: false)
            }.map { (name: row.text(0), create: $0.create) }
        }
        for table in tables { try database.execute(table.create) }
        return tables.map(\.name)
    }

    /// Copies the readable rows of a table.
    private mutating func copy(_ name: String) throws(SQLiteGraphError) {
        guard let table = DamagedTable(name, of: damaged) else { return }
        let columns = try columns(of: name).prefix(table.columnCount)
        let places = columns.map { _ in "?" }.joined(separator: ", ")
        let database = database
        var copied = 0
        let unreadable = try database.transaction { () throws(SQLiteGraphError) in
            let insert = try database.statement(
                """
                INSERT OR IGNORE INTO \(TableStatements.quoted(name)) \
                (\(columns.joined(separator: ", "))) VALUES (\(places))
                """
            )
            return try table.forEachRow { row throws(SQLiteGraphError) in
                for index in Int32(1)...Int32(columns.count) {
                    insert.bind(index, of: row, at: index)
                }
                do throws(SQLiteGraphError) {
                    try insert.run()
                    copied += database.changedRows
                } catch {
                    guard error.concernsValues else { throw error }
                }
            }
        }
        count += copied
        self.unreadable += unreadable.map { "\(TableStatements.quoted(name)) \($0)" }
    }

    private func columns(of table: String) throws(SQLiteGraphError) -> [String] {
        try database.rows("SELECT name FROM pragma_table_info(?)", table) {
            TableStatements.quoted($0.text(0))
        }
    }
}

extension SQLiteGraphError {
    /// `true` if SQLite has refused a row because of its damaged values.
    fileprivate var concernsValues: Bool {
        [SQLITE_CONSTRAINT, SQLITE_MISMATCH, SQLITE_TOOBIG].contains {
            $0 == code.map { $0 & 0xFF }
        }
    }
}
#endif
