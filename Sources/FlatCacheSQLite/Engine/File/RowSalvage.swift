#if canImport(SQLite3) || canImport(CSQLite)
/// The copying of rows from a damaged file to a new one.
///
/// It reads each table from both ends up to the first row that SQLite can't read. The rows in
/// between remain in the damaged file.
struct RowSalvage {
    private let damaged: Database
    private let database: Database
    /// The number of copied rows.
    private(set) var count = 0
    /// The descriptions of the rows that can't be read.
    private(set) var unreadable: [String] = []

    /// The number of successive known rows after which a part of the file counts as unreadable.
    ///
    /// Damaged pages can lead to the same rows again and again.
    private static let maximumRepetitions = 100

    /// Copies the rows that SQLite can read.
    ///
    /// - Throws: An error if the new file can't be written.
    static func copyRows(
        from path: String,
        to database: Database
    ) throws(SQLiteGraphError) -> (count: Int, unreadable: [String]) {
        guard let damaged = try? Database(opening: path) else { return (0, ["all"]) }
        defer { damaged.abandon() }
        // SQLite then reads files that are shorter than their header says or whose definitions are
        // damaged, and pages of which only parts are damaged.
        try? damaged.execute("PRAGMA writable_schema = ON; PRAGMA cell_size_check = OFF")
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
        for (name, column) in try types() {
            // The definitions in the file may be damaged.
            try database.execute(
                TableStatements(name: name, column: column, storesText: false).create
            )
            try copy(name)
        }
    }

    /// Returns the types and their identifiers' columns, also those of tables that a damaged list
    /// of types lacks.
    private func types() throws(SQLiteGraphError) -> [(String, IdentifierColumn)] {
        var columns: [String: String] = [:]
        let select = try? damaged.statement(
            """
            SELECT s.name, c.type FROM sqlite_schema AS s, pragma_table_info(s.name) AS c \
            WHERE s.type = 'table' AND c.cid = 0
            """
        )
        while let select, (try? select.step()) == true {
            let name = select.text(0)
            let isOwn = name.hasPrefix("flatcache_") || name.hasPrefix("sqlite_")
            if !isOwn || TableStatements.isOfStates(name) { columns[name] = select.text(1) }
        }
        select?.reset()
        for (name, column) in try database.rows(
            "SELECT name, identifiers FROM flatcache_types",
            body: { ($0.text(0), $0.text(1)) }
        ) { columns[name] = column }
        return columns.sorted { $0.key < $1.key }.map { name, column in
            (name, IdentifierColumn(rawValue: column) ?? .blob)
        }
    }

    /// Copies the rows of a table from its beginning on, and then from its end.
    private mutating func copy(_ name: String) throws(SQLiteGraphError) {
        let table = TableStatements.quoted(name)
        let names = "SELECT name FROM pragma_table_info(?)"
        let columns = try database.rows(names, name) { TableStatements.quoted($0.text(0)) }
        let damagedColumns = (try? damaged.rows(names, name) { $0.text(0) }) ?? []
        let hasNumbers = (try? damaged.statement("SELECT rowid FROM \(table)")) != nil
        let key = hasNumbers ? "rowid" : TableStatements.quoted(damagedColumns.first ?? "")
        var ends: [String] = []
        for order in ["", "DESC"] {
            let sql = "SELECT \(key), * FROM \(table) ORDER BY \(key) \(order)"
            guard let select = try? damaged.statement(sql) else { continue }
            let copied = Array(columns.prefix(select.columnCount - 1))
            let database = database
            let (isComplete, last) = try database.transaction { () throws(SQLiteGraphError) in
                try copyRows(of: select, to: table, copied)
            }
            if isComplete { return }
            ends.append(last)
        }
        // Only a file with limits has this table.
        if ends.isEmpty, name == "flatcache_clock" { return }
        let range = ends.joined(separator: "...")
        unreadable.append(ends.isEmpty ? "all of \(table)" : "\(table) \(range)")
    }

    /// Copies rows up to the first one that can't be read.
    ///
    /// - Returns: `true` if all rows can be read, and the key of the last one.
    private mutating func copyRows(
        of select: Statement,
        to table: String,
        _ columns: [String]
    ) throws(SQLiteGraphError) -> (isComplete: Bool, last: String) {
        defer { select.reset() }
        let places = columns.map { _ in "?" }.joined(separator: ", ")
        let names = columns.joined(separator: ", ")
        let insert = try database.statement(
            "INSERT OR IGNORE INTO \(table) (\(names)) VALUES (\(places))"
        )
        var last = ""
        var repetitions = 0
        while repetitions < Self.maximumRepetitions, let hasRow = try? select.step() {
            if !hasRow { return (true, last) }
            last = select.isInteger(0) ? "\(select.number(0))" : String(reflecting: select.text(0))
            for index in 1...Int32(columns.count) { insert.bind(index, of: select, at: index) }
            do throws(SQLiteGraphError) {
                try insert.run()
                count += database.changedRows
                repetitions = database.changedRows > 0 ? 0 : repetitions + 1
            } catch {
                // SQLite refuses a row because of its damaged values.
                guard error.kind == .failed else { throw error }
            }
        }
        return (false, last)
    }
}
#endif
