#if canImport(SQLite3) || canImport(CSQLite)
import Foundation

enum GraphFile {
    /// The application identifier of the files: "FlCa" in ASCII.
    private static let application: Int64 = 0x466C_4361
    /// The version of the tables that don't belong to a type.
    private static let format: Int64 = 1

    /// Opens a file, or creates it and its folder.
    ///
    /// If the file is damaged, the method replaces it by a new one with the rows that can still be
    /// read. If the new file can't be completed, the damaged one remains in its place.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - lockTimeout: The longest time to wait for the lock of another connection.
    ///   - damaged: A connection to the file that has found damage, and its error, or `nil`. The
    ///     method closes the connection when the new file is complete.
    ///   - onDamage: A closure that receives the error of a file that was replaced.
    static func open(
        _ path: String,
        _ lockTimeout: Duration,
        replacing damaged: (file: Database, cause: SQLiteGraphError)? = nil,
        onDamage: (SQLiteGraphError) -> Void
    ) throws(SQLiteGraphError) -> Database {
        try createFolder(of: path)
        let replacement = FileReplacement(path)
        return try replacement.withLock(lockTimeout) { () throws(SQLiteGraphError) in
            let cause: SQLiteGraphError
            // Another process may have replaced the damaged file before this one has the lock.
            if let damaged, !damaged.file.isLost {
                cause = damaged.cause
            } else {
                damaged?.file.abandon()
                let damage = try replacement.finish()
                do throws(SQLiteGraphError) {
                    let database = try openUndamaged(path, lockTimeout)
                    damage.map(onDamage)
                    return database
                } catch {
                    guard error.kind == .corrupt else { throw error }
                    cause = error
                }
            }
            let damage = try replace(replacement, lockTimeout, cause, closing: damaged?.file)
            do throws(SQLiteGraphError) {
                let database = try openUndamaged(path, lockTimeout)
                onDamage(damage)
                return database
            } catch {
                throw error.following("\(damage.reason) It can't be opened", file: path)
            }
        }
    }

    /// Replaces a damaged file by a new one with the rows that can still be read; returns the error
    /// to report.
    private static func replace(
        _ replacement: FileReplacement,
        _ lockTimeout: Duration,
        _ cause: SQLiteGraphError,
        closing former: Database?
    ) throws(SQLiteGraphError) -> SQLiteGraphError {
        let (path, newPath) = (replacement.path, replacement.newPath)
        FileReplacement.remove(newPath)
        let copied: (count: Int, unreadable: [String])
        let name: String
        do throws(SQLiteGraphError) {
            copied = try copyRows(from: path, to: newPath, lockTimeout)
            former?.abandon()
            name = try replacement.moveFiles()
        } catch {
            // If only the damaged file was moved, the next opening moves the new one.
            if FileManager.default.fileExists(atPath: path) { FileReplacement.remove(newPath) }
            throw error.following("\(cause.reason), and it can't be replaced", file: path)
        }
        return SQLiteGraphError(
            .corrupt,
            file: path,
            code: cause.code,
            reason: """
                \(cause.reason). The file was moved to \(name). \
                \(description(of: copied.unreadable))\
                \(copied.count) of its rows could be read and were copied to a new file.
                """,
            underlyingError: cause
        )
    }

    /// Returns a sentence that lists the rows that can't be read, or an empty text without any.
    static func description(of unreadable: [String]) -> String {
        if unreadable.isEmpty { return "" }
        let more = unreadable.count > 10 ? ", …" : ""
        let listed = unreadable.prefix(10).joined(separator: ", ") + more
        return "Rows with identifiers in these ranges can't be read: \(listed). "
    }

    /// Copies the rows that can still be read to a new file, and closes it without a log.
    private static func copyRows(
        from path: String,
        to newPath: String,
        _ lockTimeout: Duration
    ) throws(SQLiteGraphError) -> (count: Int, unreadable: [String]) {
        let database = try openUndamaged(newPath, lockTimeout)
        defer { database.close() }
        // The rows would need twice the space with a log. An incomplete file isn't used.
        try database.execute("PRAGMA journal_mode = MEMORY")
        let copied = try RowSalvage.copyRows(from: path, to: database, lockTimeout)
        try database.execute("PRAGMA journal_mode = DELETE")
        return copied
    }

    /// Throws if a table that doesn't belong to a type lacks a column, as in a damaged file.
    private static func checkDefinitions(_ database: Database) throws(SQLiteGraphError) {
        try database.checkDefinition([
            "SELECT name, version, identifiers FROM flatcache_types",
            "SELECT type, id, value, version, cause, time FROM flatcache_quarantine",
            "SELECT number FROM flatcache_syncs",
            "SELECT number FROM flatcache_identity",
            "SELECT number, type, token, written, scope, lists FROM flatcache_log",
        ])
    }

    private static func createFolder(of path: String) throws(SQLiteGraphError) {
        do {
            try FileManager.default.createDirectory(
                at: URL(fileURLWithPath: path).deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
        } catch {
            throw SQLiteGraphError(
                .cannotOpen,
                file: path,
                reason: "The folder can't be created: \(error.localizedDescription)",
                underlyingError: error
            )
        }
    }

    private static func openUndamaged(
        _ path: String,
        _ lockTimeout: Duration
    ) throws(SQLiteGraphError) -> Database {
        let database = try openSettled(path, lockTimeout)
        try prepare(database)
        // If the identity is damaged, this call throws, and the caller replaces the file.
        _ = try FileIdentity(of: database)
        return database
    }

    /// Opens a file together with the log and the shared memory that are beside it.
    ///
    /// With deleted ones, the connection would neither see the transactions of others nor show them
    /// its own.
    private static func openSettled(
        _ path: String,
        _ lockTimeout: Duration
    ) throws(SQLiteGraphError) -> Database {
        for _ in 0..<10 {
            let database = try Database(path: path, lockTimeout: lockTimeout)
            if database.isSettled { return database }
            database.abandon()
        }
        throw SQLiteGraphError(
            .lostFile,
            file: path,
            reason: """
                The files beside the file were deleted while it was opened, or another graph of \
                this process still uses deleted ones: flush or suspend that graph.
                """
        )
    }

    /// Creates the tables that don't belong to a type, unless the file has them.
    private static func prepare(_ database: Database) throws(SQLiteGraphError) {
        let tables = try database.number("SELECT count(*) FROM sqlite_schema") ?? 0
        let isGraph =
            try database.number("SELECT 1 FROM sqlite_schema WHERE name = 'flatcache_types'") != nil
        guard tables == 0 || isGraph else {
            throw SQLiteGraphError(
                .foreign,
                file: database.path,
                reason: "The file is a database of another program. Give the graph its own file."
            )
        }
        let version = try database.number("PRAGMA user_version") ?? 0
        if isGraph, version != format {
            throw SQLiteGraphError(
                .newerVersion,
                file: database.path,
                reason: "The file has format \(version); this library uses format \(format)."
            )
        }
        if isGraph { return try checkDefinitions(database) }
        try database.transaction { () throws(SQLiteGraphError) in
            try database.execute(
                """
                PRAGMA application_id = \(application);
                PRAGMA user_version = \(format);
                CREATE TABLE IF NOT EXISTS flatcache_types (name TEXT PRIMARY KEY NOT NULL, \
                version INTEGER NOT NULL, identifiers TEXT NOT NULL) WITHOUT ROWID;
                CREATE TABLE IF NOT EXISTS flatcache_quarantine (type TEXT NOT NULL, id NOT NULL, \
                value BLOB, version INTEGER NOT NULL, cause TEXT NOT NULL, time INTEGER NOT NULL);
                CREATE INDEX IF NOT EXISTS flatcache_quarantined \
                ON flatcache_quarantine (type, id);
                CREATE TABLE IF NOT EXISTS flatcache_syncs (number INTEGER NOT NULL);
                INSERT INTO flatcache_syncs SELECT 0 \
                WHERE NOT EXISTS (SELECT 1 FROM flatcache_syncs);
                """
            )
            try database.execute(FileIdentity.create)
            try database.execute(TransactionLog.create)
        }
        try checkDefinitions(database)
    }
}

/// The identity that distinguishes a file from another one at its path.
struct FileIdentity: Hashable {
    static let create = """
        CREATE TABLE IF NOT EXISTS flatcache_identity (number INTEGER NOT NULL);
        INSERT INTO flatcache_identity SELECT random() \
        WHERE NOT EXISTS (SELECT 1 FROM flatcache_identity);
        """

    /// The random number that the file got when it was created.
    ///
    /// Copies of a file have the same number.
    let number: Int64?
    /// The number in the file system, possibly reused after the deletion of another file.
    private let systemNumber: UInt64?

    init(of database: Database) throws(SQLiteGraphError) {
        number = try Self.number(in: database)
        systemNumber = FileStatus.number(ofFileAt: database.path)
    }

    static func number(in database: Database) throws(SQLiteGraphError) -> Int64? {
        try database.number("SELECT number FROM flatcache_identity")
    }
}

/// The properties of a file in the file system.
enum FileStatus {
    /// Returns the number of a file in the file system, or `nil` if there's no file at the path.
    static func number(ofFileAt path: String) -> UInt64? {
        status(ofFileAt: path).map { UInt64($0.st_ino) }
    }

    /// Returns the number of bytes that are free in the folder of a file, or `nil` if it isn't
    /// known.
    static func space(besideFileAt path: String) -> Int? {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: folder)
        return (attributes?[.systemFreeSize] as? NSNumber)?.intValue
    }

    /// Returns the size of a file in bytes, or zero if there's no file at the path.
    static func size(ofFileAt path: String) -> Int {
        status(ofFileAt: path).map { Int($0.st_size) } ?? 0
    }

    private static func status(ofFileAt path: String) -> stat? {
        var status = stat()
        return stat(path, &status) == 0 ? status : nil
    }
}
#endif
