#if canImport(SQLite3) || canImport(CSQLite)
import FlatCacheSQLite
import Foundation

#if canImport(SQLite3)
import SQLite3
#else
import CSQLite
#endif

/// The baseline of the rows about graphs: prepared statements without a graph.
struct RawTable {
    struct Failure: Error {
        let code: Int32
    }

    /// The path of the file.
    let path: String

    private func withConnection<Result>(_ body: (OpaquePointer) throws -> Result) throws -> Result {
        var connection: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        let status = sqlite3_open_v2(path, &connection, flags, nil)
        defer { sqlite3_close_v2(connection) }
        guard status == SQLITE_OK, let connection else { throw Failure(code: status) }
        // The graph of an earlier round locks the file while it closes it.
        sqlite3_busy_timeout(connection, 10_000)
        try execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL", connection)
        return try body(connection)
    }

    private func execute(_ sql: String, _ connection: OpaquePointer) throws {
        let status = sqlite3_exec(connection, sql, nil, nil, nil)
        guard status == SQLITE_OK else { throw Failure(code: status) }
    }

    private func withStatement<Result>(
        _ sql: String,
        _ connection: OpaquePointer,
        _ body: (OpaquePointer) throws -> Result
    ) throws -> Result {
        var statement: OpaquePointer?
        let status = sqlite3_prepare_v2(connection, sql, -1, &statement, nil)
        defer { sqlite3_finalize(statement) }
        guard status == SQLITE_OK, let statement else { throw Failure(code: status) }
        return try body(statement)
    }

    /// Creates a table and inserts rows, numbered from zero, in one transaction.
    func insert(_ rows: [[UInt8]]) throws {
        try withConnection { connection in
            try execute("CREATE TABLE book (id INTEGER PRIMARY KEY, value BLOB)", connection)
            try execute("BEGIN IMMEDIATE", connection)
            try withStatement("INSERT INTO book VALUES (?, ?)", connection) { statement in
                for (number, row) in rows.enumerated() {
                    sqlite3_bind_int64(statement, 1, Int64(number))
                    row.withUnsafeBytes { bytes in
                        let count = UInt64(bytes.count)
                        sqlite3_bind_blob64(statement, 2, bytes.baseAddress, count, nil)
                        sqlite3_step(statement)
                    }
                    sqlite3_reset(statement)
                }
            }
            try execute("COMMIT", connection)
        }
    }

    /// Reads and decodes all values of a graph's table into a dictionary.
    func readAll<Value: Identifiable & Decodable>(
        _ type: Value.Type
    ) throws -> [Value.ID: Value] {
        try withConnection { connection in
            try withStatement("SELECT value FROM book", connection) { statement in
                var values: [Value.ID: Value] = [:]
                while sqlite3_step(statement) == SQLITE_ROW {
                    let bytes = UnsafeRawBufferPointer(
                        start: sqlite3_column_blob(statement, 0),
                        count: Int(sqlite3_column_bytes(statement, 0))
                    )
                    let value = try CompactRowCoder().decode(type, from: bytes)
                    values[value.id] = value
                }
                return values
            }
        }
    }
}
#endif
