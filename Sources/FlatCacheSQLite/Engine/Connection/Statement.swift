#if canImport(SQLite3) || canImport(CSQLite)
#if canImport(SQLite3)
import SQLite3
#else
import CSQLite
#endif

/// A prepared statement of a connection.
///
/// The connection owns it. Parameters have numbers from 1, columns have numbers from 0.
final class Statement {
    private let handle: OpaquePointer
    private let path: String

    init(_ handle: OpaquePointer, path: String) {
        self.handle = handle
        self.path = path
    }

    /// Ends the use of the statement, when its connection is closed.
    func finalize() { sqlite3_finalize(handle) }

    /// Ends the execution, so that the statement can be executed again.
    func reset() { sqlite3_reset(handle) }

    /// Executes the statement up to its next row; returns whether there is one.
    func step() throws(SQLiteGraphError) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw SQLiteGraphError(of: sqlite3_db_handle(handle), file: path)
        }
    }

    /// Executes a statement without rows, and resets it.
    ///
    /// - Parameter arguments: The values of the first parameters.
    func run(_ arguments: (any StatementArgument)?...) throws(SQLiteGraphError) {
        defer { reset() }
        bind(arguments)
        _ = try step()
    }

    // MARK: Parameters

    /// Binds the values of the first parameters.
    func bind(_ arguments: [(any StatementArgument)?]) {
        for (index, argument) in zip(Int32(1)..., arguments) {
            if let argument { argument.bind(to: self, at: index) } else { bindNull(at: index) }
        }
    }

    func bind(_ number: Int64, at index: Int32) { sqlite3_bind_int64(handle, index, number) }

    func bind(_ text: String, at index: Int32) {
        var text = text
        text.withUTF8 { bind(UnsafeRawBufferPointer($0), isText: true, Self.copying, at: index) }
    }

    /// Binds a copy of bytes.
    ///
    /// - Parameters:
    ///   - bytes: The bytes. Those of a text needn't be valid UTF-8.
    ///   - isText: `true` to bind text instead of a blob.
    ///   - index: The index of the parameter.
    func bind(copyOf bytes: [UInt8], isText: Bool = false, at index: Int32) {
        bytes.withUnsafeBytes { bind($0, isText: isText, Self.copying, at: index) }
    }

    /// Binds bytes that must remain valid until the statement is reset.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - isText: `true` if the bytes are UTF-8 text.
    ///   - copying: The constant that makes SQLite copy the bytes, or `nil`.
    ///   - index: The index of the parameter.
    func bind(
        _ bytes: UnsafeRawBufferPointer,
        isText: Bool,
        _ copying: sqlite3_destructor_type? = nil,
        at index: Int32
    ) {
        let count = UInt64(bytes.count)
        // SQLite takes a null pointer for a null, and empty bytes may have one.
        guard let start = bytes.baseAddress, count > 0 else {
            if isText { sqlite3_bind_text(handle, index, "", 0, Self.copying) }
            if !isText { sqlite3_bind_zeroblob(handle, index, 0) }
            return
        }
        if isText {
            let text = start.assumingMemoryBound(to: CChar.self)
            sqlite3_bind_text64(handle, index, text, count, copying, UInt8(SQLITE_UTF8))
        } else {
            sqlite3_bind_blob64(handle, index, start, count, copying)
        }
    }

    /// Sets all parameters to null.
    func clearParameters() { sqlite3_clear_bindings(handle) }

    func bindNull(at index: Int32) { sqlite3_bind_null(handle, index) }

    func bind(_ argument: (some StatementArgument)?, at index: Int32) {
        if let argument { argument.bind(to: self, at: index) } else { bindNull(at: index) }
    }

    /// The constant `SQLITE_TRANSIENT` that makes SQLite copy an argument.
    ///
    /// It's a macro that Swift doesn't import.
    private static var copying: sqlite3_destructor_type? {
        unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    }

    /// Binds a copy of a column of another statement.
    func bind(_ column: Int32, of other: Statement, at index: Int32) {
        sqlite3_bind_value(handle, index, sqlite3_column_value(other.handle, column))
    }

    // MARK: Columns

    var columnCount: Int { Int(sqlite3_column_count(handle)) }

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    func isInteger(_ column: Int32) -> Bool {
        sqlite3_column_type(handle, column) == SQLITE_INTEGER
    }

    func number(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    func real(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

    func text(_ column: Int32) -> String {
        String(decoding: bytes(column), as: UTF8.self)
    }

    /// The identifier in a column, by the kind of its content: a damaged file may have other kinds
    /// of identifiers than the type declares.
    func identifier(_ column: Int32) -> RowIdentifier {
        switch sqlite3_column_type(handle, column) {
        case SQLITE_INTEGER: .number(number(column))
        case SQLITE_TEXT: .text(text(column))
        default: .bytes(Array(bytes(column)))
        }
    }

    /// The bytes of a column, valid until the next step or reset.
    func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
        let start = sqlite3_column_blob(handle, column)
        return UnsafeRawBufferPointer(
            start: start,
            count: Int(sqlite3_column_bytes(handle, column))
        )
    }
}

/// A value of a statement's parameter.
protocol StatementArgument {
    func bind(to statement: Statement, at index: Int32)
}

extension Int64: StatementArgument {
    func bind(to statement: Statement, at index: Int32) { statement.bind(self, at: index) }
}

extension String: StatementArgument {
    func bind(to statement: Statement, at index: Int32) { statement.bind(self, at: index) }
}

extension [UInt8]: StatementArgument {
    func bind(to statement: Statement, at index: Int32) { statement.bind(copyOf: self, at: index) }
}

extension RowIdentifier: StatementArgument {
    func bind(to statement: Statement, at index: Int32) { statement.bind(self, at: index) }
}
#endif
