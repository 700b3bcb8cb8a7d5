#if canImport(SQLite3) || canImport(CSQLite)
import FlatCacheRows
import Foundation

/// The replacement of a damaged file by a new one.
///
/// The new file is complete before the damaged one is moved. If the process ends in between, the
/// next one finds either the damaged file at its place, and replaces it again, or only the new
/// file, and finishes the replacement.
struct FileReplacement {
    let path: String
    /// The path of the new file before the replacement.
    let newPath: String

    init(_ path: String) {
        self.path = path
        newPath = path + "-new"
    }

    private var manager: FileManager { .default }

    /// Runs a closure while no other process opens or replaces a file in the folder.
    ///
    /// - Parameter timeout: The longest time to wait for another process.
    func withLock<Result>(
        _ timeout: Duration,
        _ body: () throws(SQLiteGraphError) -> Result
    ) throws(SQLiteGraphError) -> Result {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let descriptor = open(folder, O_RDONLY | O_CLOEXEC)
        defer {
            // A process that is being forked may still hold a copy of the descriptor.
            flock(descriptor, LOCK_UN)
            close(descriptor)
        }
        let start = ContinuousClock.now
        // If the file system has no such locks, the method runs the closure without one.
        while descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
            guard start.duration(to: .now) < timeout else {
                let reason = "Another process has locked the folder for longer than `lockTimeout`."
                throw SQLiteGraphError(.locked, file: path, reason: reason)
            }
            usleep(1_000)
        }
        return try body()
    }

    /// Removes an incomplete file with those beside it.
    static func remove(_ path: String) {
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: path + suffix)
        }
    }

    /// Moves the damaged file away and the new one to its path; returns the damaged file's name.
    func moveFiles() throws(SQLiteGraphError) -> String {
        var name = "\(path).corrupt-\(WallTime(Date()).milliseconds)"
        while manager.fileExists(atPath: name) { name += "-again" }
        try moving {
            // Without its log, the damaged file would lack its latest transactions. A hard link
            // needs no space.
            if manager.fileExists(atPath: path + "-wal"), link(path + "-wal", name + "-wal") != 0 {
                try manager.copyItem(atPath: path + "-wal", toPath: name + "-wal")
            }
            try manager.moveItem(atPath: path, toPath: name)
            try moveNewFile()
        }
        return name
    }

    /// Finishes a replacement that another process has begun; returns the error that led to it.
    ///
    /// If the damaged file is still at its place, the method removes the new one, which may be
    /// incomplete.
    func finish() throws(SQLiteGraphError) -> SQLiteGraphError? {
        guard manager.fileExists(atPath: newPath) else { return nil }
        if manager.fileExists(atPath: path) {
            Self.remove(newPath)
            return nil
        }
        try moving { try moveNewFile() }
        return SQLiteGraphError(
            .corrupt,
            file: path,
            reason: """
                The file was damaged. Another process, which ended in the meantime, moved it to a \
                name that begins with \(path).corrupt-, and copied its readable rows.
                """
        )
    }

    private func moveNewFile() throws {
        // SQLite would apply the log of the damaged file to the new one.
        for suffix in ["-wal", "-shm"] { try remove(path + suffix) }
        try manager.moveItem(atPath: newPath, toPath: path)
    }

    private func remove(_ path: String) throws {
        if manager.fileExists(atPath: path) { try manager.removeItem(atPath: path) }
    }

    private func moving(_ body: () throws -> Void) throws(SQLiteGraphError) {
        do {
            try body()
        } catch {
            throw SQLiteGraphError(
                (error as? CocoaError)?.code == .fileWriteOutOfSpace ? .diskFull : .corrupt,
                file: path,
                reason: "The file is damaged and can't be replaced: \(error)",
                underlyingError: error
            )
        }
    }
}

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
    /// - Throws: An error if the new file can't be written, or if the damaged one can't be read for
    ///   another reason than its damage.
    static func copyRows(
        from path: String,
        to database: Database,
        _ lockTimeout: Duration = .zero
    ) throws(SQLiteGraphError) -> (count: Int, unreadable: [String]) {
        let damaged = try Database(opening: path, lockTimeout: lockTimeout)
        defer { damaged.abandon() }
        // SQLite then reads files that are shorter than their header says or whose definitions are
        // damaged, and pages of which only parts are damaged.
        try damaged.execute("PRAGMA writable_schema = ON; PRAGMA cell_size_check = OFF")
        // All tables show one transaction.
        try damaged.execute("BEGIN")
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
        let types = try types()
        for (name, column) in types {
            // The definitions in the file may be damaged.
            try database.execute(
                TableStatements(name: name, column: column, storesText: false).create
            )
            try copy(name)
        }
        // Responses may contain the entities of the unreadable rows.
        if !unreadable.isEmpty, types.contains(where: { $0.0 == TableStatements.responses }) {
            try database.execute("DELETE FROM \(TableStatements.responses)")
        }
    }

    /// Returns the types and their identifiers' columns, also those of tables that a damaged list
    /// of types lacks.
    private func types() throws(SQLiteGraphError) -> [(String, IdentifierColumn)] {
        var types = try database.rows("SELECT name, identifiers FROM flatcache_types") {
            (name: $0.text(0), column: $0.text(1))
        }
        let sql = """
            SELECT s.name, c.type FROM sqlite_schema AS s, pragma_table_info(s.name) AS c \
            WHERE s.type = 'table' AND c.cid = 0
            """
        let select = try undamaged(try damaged.statement(sql))
        while let select, try undamaged(try select.step()) == true {
            let name = select.text(0)
            let isOwn = name.hasPrefix("flatcache_") || name.hasPrefix("sqlite_")
            let isType = !isOwn || TableStatements.isOfStates(name)
            if isType, !types.contains(where: { $0.name == name }) {
                types.append((name, select.text(1)))
            }
        }
        select?.reset()
        return types.map { ($0.name, IdentifierColumn(describedAs: $0.column)) }
    }

    /// Copies the rows of a table from its beginning on, and then from its end.
    private mutating func copy(_ name: String) throws(SQLiteGraphError) {
        let table = name.quoted("\"")
        let names = "SELECT name FROM pragma_table_info(?)"
        let columns = try database.rows(names, name) { $0.text(0).quoted("\"") }
        let damagedColumns = try undamaged(try damaged.rows(names, name) { $0.text(0) }) ?? []
        let hasNumbers = try undamaged(try damaged.statement("SELECT rowid FROM \(table)")) != nil
        let key = hasNumbers ? "rowid" : (damagedColumns.first ?? "").quoted("\"")
        var ends: [String] = []
        for order in ["", "DESC"] {
            let sql = "SELECT \(key), * FROM \(table) ORDER BY \(key) \(order)"
            guard let select = try undamaged(try damaged.statement(sql)) else { continue }
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
        while repetitions < Self.maximumRepetitions, let hasRow = try undamaged(try select.step()) {
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

    /// Returns the result of a read, or `nil` if the file is damaged there.
    private func undamaged<Result>(
        _ read: @autoclosure () throws(SQLiteGraphError) -> Result
    ) throws(SQLiteGraphError) -> Result? {
        do throws(SQLiteGraphError) {
            return try read()
        } catch {
            guard error.isDamage else { throw error }
            return nil
        }
    }
}
#endif
