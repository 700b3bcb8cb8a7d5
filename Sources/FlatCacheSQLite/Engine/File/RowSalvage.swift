#if canImport(SQLite3) || canImport(CSQLite)
/// The copying of rows from a damaged file to a new one.
///
/// Each table is read from both ends, up to the first page that SQLite can't read.
struct RowSalvage {
    private let damaged: Database
    private let database: Database

    /// Copies the rows; returns their number.
    static func copyRows(
        from path: String,
        to database: Database
    ) throws(SQLiteGraphError) -> Int {
        guard let damaged = try? Database(opening: path) else { return 0 }
        defer { damaged.abandon() }
        return try RowSalvage(damaged: damaged, database: database).copyTables()
    }

    private func copyTables() throws(SQLiteGraphError) -> Int {
        for table in ["flatcache_types", "flatcache_quarantine"] {
            _ = try copy(table, order: "1")
        }
        try createTables()
        var count = 0
        for (name, create) in tables()
        where !name.hasPrefix("flatcache_") || TableStatements.isOfStates(name) {
            let table = TableStatements.quoted(name)
            // If the list of types is damaged, the table's own definition may still be correct.
            if (try? database.statement("SELECT 1 FROM \(table)")) == nil {
                guard (try? database.execute(create)) != nil else { continue }
            }
            for order in ["1", "1 DESC"] { count += try copy(table, order: order) }
        }
        return count
    }

    /// Creates the tables of all types, since their definitions in the file may be damaged.
    private func createTables() throws(SQLiteGraphError) {
        let select = try database.statement("SELECT name, identifiers FROM flatcache_types")
        var statements: [String] = []
        while try select.step() {
            guard let column = IdentifierColumn(rawValue: select.text(1)) else { continue }
            let sql = TableStatements(name: select.text(0), column: column, storesText: false)
            statements.append(sql.create)
        }
        select.reset()
        for statement in statements { try database.execute(statement) }
    }

    private func tables() -> [(name: String, create: String)] {
        var tables: [(name: String, create: String)] = []
        do throws(SQLiteGraphError) {
            let select = try damaged.statement(
                "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND sql NOT NULL"
            )
            defer { select.reset() }
            while try select.step() { tables.append((select.text(0), select.text(1))) }
        } catch {
            return tables
        }
        return tables
    }

    /// Copies the rows of a table up to the first that can't be read; returns their number.
    private func copy(_ table: String, order: String) throws(SQLiteGraphError) -> Int {
        guard let select = try? damaged.statement("SELECT * FROM \(table) ORDER BY \(order)") else {
            return 0
        }
        defer { select.reset() }
        let places = Array(repeating: "?", count: select.columnCount).joined(separator: ", ")
        return try database.transaction { () throws(SQLiteGraphError) in
            let insert = try database.statement(
                "INSERT OR IGNORE INTO \(table) VALUES (\(places))"
            )
            var count = 0
            while (try? select.step()) == true {
                for column in 0..<Int32(select.columnCount) {
                    insert.bind(column, of: select, at: column + 1)
                }
                try insert.run()
                count += database.changedRows
            }
            return count
        }
    }
}
#endif
