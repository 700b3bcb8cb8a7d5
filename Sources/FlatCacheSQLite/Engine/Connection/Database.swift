#if canImport(SQLite3) || canImport(CSQLite)
#if canImport(SQLite3)
import SQLite3
#else
import CSQLite
#endif

/// A connection to a database file for one thread at a time.
///
/// The connection prepares each statement once, and keeps it until the connection is closed.
final class Database {
    let path: String
    let handle: OpaquePointer
    private var isClosed = false
    private var statements: [String: Statement] = [:]
    /// The numbers of the log and of the shared memory in the file system, as the connection opened
    /// them.
    private var companions: [UInt64?] = []
    /// `true` if `companions` are certainly the open files.
    ///
    /// If they were created, deleted or replaced meanwhile, the connection may have opened others.
    private(set) var isSettled = false
    /// The longest time to wait for the lock of another connection, in milliseconds.
    private var lockTimeout: Int32 = 0
    /// The number of pages in the log after the latest transaction of this connection.
    private(set) var logPageCount = 0

    /// Opens a file, or creates it.
    ///
    /// - Parameters:
    ///   - path: The path of the file. Its folder must exist.
    ///   - lockTimeout: The longest time to wait for the lock of another connection.
    /// - Throws: An error if the file can't be opened, or isn't a database.
    convenience init(path: String, lockTimeout: Duration) throws(SQLiteGraphError) {
        try self.init(opening: path, lockTimeout: lockTimeout)
        let before = presentCompanions
        do throws(SQLiteGraphError) {
            // This setting takes effect only in a new file. In others, it would need the lock.
            if try number("PRAGMA page_count") == 0 {
                try execute("PRAGMA auto_vacuum = INCREMENTAL")
            }
            try execute("PRAGMA journal_mode = WAL")
            // A commit survives the process without a sync. Only checkpoints sync.
            try execute("PRAGMA synchronous = NORMAL")
            // After a large transaction, the log shrinks to this size.
            try execute("PRAGMA journal_size_limit = 1048576")
            countLogPages()
            // The first read opens the log.
            _ = try number("SELECT count(*) FROM sqlite_schema")
            companions = presentCompanions
            isSettled = companions == before && !companions.contains(nil)
        } catch {
            // The log of a damaged file contains rows, so closing must not delete it.
            abandon()
            throw error
        }
    }

    /// Opens a file, or creates it, and leaves the settings in it, since changing them can fail if
    /// the file is damaged.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - lockTimeout: The longest time to wait for the lock of another connection.
    init(opening path: String, lockTimeout: Duration = .zero) throws(SQLiteGraphError) {
        self.path = path
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        let status = sqlite3_open_v2(path, &opened, flags, nil)
        guard let opened else {
            throw SQLiteGraphError(.cannotOpen, file: path, code: status, reason: "out of memory")
        }
        handle = opened
        sqlite3_extended_result_codes(handle, 1)
        guard status == SQLITE_OK else { throw error() }
        setLockTimeout(Int32(max(0, min(lockTimeout / .milliseconds(1), Double(Int32.max)))))
        try execute("PRAGMA cell_size_check = ON")
        try execute("PRAGMA trusted_schema = OFF")
    }

    deinit { close() }

    /// Closes the connection for good: it must not be used afterwards.
    func close() {
        if isClosed { return }
        isClosed = true
        for statement in statements.values { statement.finalize() }
        statements = [:]
        sqlite3_close_v2(handle)
    }

    /// Closes the connection to a file that is no longer at its path, or that will be moved.
    ///
    /// The connection must no longer be used. The method doesn't delete the log at the path,
    /// because that log may belong to another file.
    func abandon() {
        if isClosed { return }
        var keepsLog: Int32 = 1
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &keepsLog)
        close()
    }

    private func error() -> SQLiteGraphError { SQLiteGraphError(of: handle, file: path) }

    /// `true` if the connection no longer leads to the file at the path, or to the log and the
    /// shared memory beside it.
    var isLost: Bool {
        if isClosed { return true }
        var hasMoved: Int32 = 0
        let status = sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
        if status == SQLITE_OK, hasMoved != 0 { return true }
        return companions != presentCompanions
    }

    /// The numbers of the log and of the shared memory at their paths in the file system.
    private var presentCompanions: [UInt64?] {
        ["-wal", "-shm"].map { FileStatus.number(ofFileAt: resolvedPath + $0) }
    }

    /// The path of the log to which transactions are appended.
    var logPath: String { resolvedPath + "-wal" }

    private var resolvedPath: String {
        let resolved = isClosed ? nil : sqlite3_db_filename(handle, "main")
        return resolved.map { String(cString: $0) } ?? path
    }

    /// The number of rows that the latest `INSERT`, `UPDATE` or `DELETE` has changed.
    var changedRows: Int { Int(sqlite3_changes(handle)) }

    /// The maximum size of a row in bytes.
    var maximumRowSize: Int {
        get { Int(sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, -1)) }
        set { sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Int32(clamping: newValue)) }
    }

    /// Throws if the connection is closed, for example because the file at the path couldn't be
    /// opened.
    private func checkOpen() throws(SQLiteGraphError) {
        guard isClosed else { return }
        throw SQLiteGraphError(.cannotOpen, file: path, reason: "The file is closed.")
    }

    // MARK: The log

    /// Counts the pages in the log after each transaction, instead of copying them to the file.
    private func countLogPages() {
        let count:
            @convention(c) (
                UnsafeMutableRawPointer?, OpaquePointer?, UnsafePointer<CChar>?, Int32
            ) -> Int32 = { context, _, _, count in
                guard let context else { return SQLITE_OK }
                let database = Unmanaged<Database>.fromOpaque(context).takeUnretainedValue()
                database.logPageCount = Int(count)
                return SQLITE_OK
            }
        // SQLite calls the function during calls for the connection, and only this object owns the
        // connection.
        sqlite3_wal_hook(handle, count, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Copies the pages in the log to the file, as far as no other connection reads the log.
    ///
    /// If pages can't be copied, the log keeps them for the next time. After all of them were
    /// copied, the next transaction begins the log again, and SQLite shrinks it.
    func copyLog() {
        logPageCount = 0
        try? execute("PRAGMA wal_checkpoint(PASSIVE)")
    }

    /// The size of the log in bytes.
    var logSize: Int { FileStatus.size(ofFileAt: logPath) }

    // MARK: Statements

    /// Returns the prepared statement of a text after resetting it.
    func statement(_ sql: String) throws(SQLiteGraphError) -> Statement {
        try checkOpen()
        if let prepared = statements[sql] {
            prepared.reset()
            return prepared
        }
        var prepared: OpaquePointer?
        // The statement is kept, so SQLite allocates it outside its memory for short-lived objects.
        let status = sqlite3_prepare_v3(
            handle,
            sql,
            -1,
            UInt32(SQLITE_PREPARE_PERSISTENT),
            &prepared,
            nil
        )
        guard status == SQLITE_OK, let prepared else { throw error() }
        let statement = Statement(prepared, path: path)
        statements[sql] = statement
        return statement
    }

    /// Throws an error of a damaged file if a statement can't be prepared, because a table or a
    /// column is missing.
    func checkDefinition(_ statements: [String]) throws(SQLiteGraphError) {
        do throws(SQLiteGraphError) {
            for sql in statements { _ = try statement(sql) }
        } catch {
            guard error.kind == .failed else { throw error }
            throw error.following("A definition in the file is damaged", file: path, as: .corrupt)
        }
    }

    /// Runs statements without arguments, and ignores their rows.
    func execute(_ sql: String) throws(SQLiteGraphError) {
        try checkOpen()
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw error() }
    }

    /// Returns the number in the first column of a statement's first row, or `nil` without a row.
    func number(
        _ sql: String,
        _ arguments: (any StatementArgument)?...
    ) throws(SQLiteGraphError) -> Int64? {
        let statement = try statement(sql)
        defer { statement.reset() }
        statement.bind(arguments)
        return try statement.step() ? statement.number(0) : nil
    }

    /// Returns the results of a closure for the rows of a statement, without `nil`.
    @discardableResult
    func rows<Row>(
        _ sql: String,
        _ arguments: (any StatementArgument)?...,
        body: (Statement) throws(SQLiteGraphError) -> Row?
    ) throws(SQLiteGraphError) -> [Row] {
        let statement = try statement(sql)
        defer { statement.reset() }
        statement.bind(arguments)
        var rows: [Row] = []
        while try statement.step() {
            if let row = try body(statement) { rows.append(row) }
        }
        return rows
    }

    // MARK: Transactions

    var isInTransaction: Bool { !isClosed && sqlite3_get_autocommit(handle) == 0 }

    /// Runs a closure as a transaction that holds the file's lock for writing from the start.
    ///
    /// If the closure throws, or the transaction can't be committed, it's rolled back. Inside
    /// another transaction, the closure is a part of that.
    func transaction<Result>(
        _ body: () throws(SQLiteGraphError) -> Result
    ) throws(SQLiteGraphError) -> Result {
        try transaction("BEGIN IMMEDIATE", body)
    }

    /// Runs a closure whose reads all show the same state of the file, and which doesn't write.
    ///
    /// Inside a transaction, the closure is a part of that.
    func read<Result>(
        _ body: () throws(SQLiteGraphError) -> Result
    ) throws(SQLiteGraphError) -> Result {
        try transaction("BEGIN", body)
    }

    /// Runs a closure as a transaction that doesn't wait for another connection.
    func transactionWithoutWaiting<Result>(
        _ body: () throws(SQLiteGraphError) -> Result
    ) throws(SQLiteGraphError) -> Result {
        try waiting(atMost: .zero) { () throws(SQLiteGraphError) in try transaction(body) }
    }

    /// Runs a closure in which the connection waits for other connections for a shorter time.
    func waiting<Result>(
        atMost timeout: Duration,
        _ body: () throws(SQLiteGraphError) -> Result
    ) throws(SQLiteGraphError) -> Result {
        let former = lockTimeout
        setLockTimeout(min(former, Int32(timeout / .milliseconds(1))))
        defer { setLockTimeout(former) }
        return try body()
    }

    private func setLockTimeout(_ milliseconds: Int32) {
        lockTimeout = milliseconds
        // The closure may have closed the connection.
        if !isClosed { sqlite3_busy_timeout(handle, milliseconds) }
    }

    private func transaction<Result>(
        _ begin: String,
        _ body: () throws(SQLiteGraphError) -> Result
    ) throws(SQLiteGraphError) -> Result {
        try checkOpen()
        if isInTransaction { return try body() }
        try statement(begin).run()
        do throws(SQLiteGraphError) {
            let result = try body()
            perturbThread()
            try statement("COMMIT").run()
            perturbThread()
            return result
        } catch {
            // A full disk or a damaged page has already rolled the transaction back.
            if isInTransaction {
                for statement in statements.values { statement.reset() }
                try? statement("ROLLBACK").run()
            }
            throw error
        }
    }
}
#endif
