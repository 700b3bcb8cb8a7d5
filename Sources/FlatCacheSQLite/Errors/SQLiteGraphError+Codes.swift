#if canImport(SQLite3) || canImport(CSQLite)
import Foundation

#if canImport(SQLite3)
import SQLite3
#else
import CSQLite
#endif

extension SQLiteGraphError {
    /// Creates the error of the latest call for a connection.
    ///
    /// - Parameters:
    ///   - handle: The connection.
    ///   - file: The path of the file.
    init(of handle: OpaquePointer?, file: String) {
        // SQLite doesn't keep the error number of writes to the log.
        let lastError = errno
        let code = sqlite3_extended_errcode(handle)
        let keptError = sqlite3_system_errno(handle)
        let kind = Kind(code: code, systemError: keptError == 0 ? lastError : keptError)
        let message = String(cString: sqlite3_errmsg(handle))
        self.init(
            kind,
            file: file,
            code: code,
            reason: kind.summary.map { "\($0): \(message)" } ?? message
        )
    }
}

extension SQLiteGraphError {
    /// `true` if SQLite has read less of a file than it expected.
    var isShortRead: Bool { code == SQLITE_IOERR | (2 << 8) }

    /// Returns whether a statement failed because the file lacks a table of the graph, or a column
    /// of the log.
    ///
    /// - Parameter tables: The names of the types' tables.
    func isMissingDefinition(ofTypes tables: [String]) -> Bool {
        guard kind == .failed, code == SQLITE_ERROR else { return false }
        let message = "no such table: "
        if reason.hasPrefix(message) {
            let table = String(reason.dropFirst(message.count))
            return table.hasPrefix("flatcache_") || tables.contains(table)
        }
        return TransactionLog.addedColumns.contains { column in
            reason == "no such column: \(column)"
                || reason == "table flatcache_log has no column named \(column)"
        }
    }
}

extension SQLiteGraphError.Kind {
    /// The effect of the error on the file, or `nil` if SQLite's message alone describes it.
    fileprivate var summary: String? {
        switch self {
        case .diskFull: "There is no space for the file or the files beside it"
        case .locked: "Another connection has kept the file locked for longer than `lockTimeout`"
        case .readOnly: "The file or its folder can't be written to"
        case .corrupt: "The file is damaged"
        case .cannotOpen: "The file can't be opened or created"
        case .lostFile: "The file was deleted, moved or replaced"
        default: nil
        }
    }

    /// Creates the kind that an extended result code stands for.
    ///
    /// - Parameters:
    ///   - code: The extended result code.
    ///   - systemError: The error number of the system call that failed, for codes of input and
    ///     output.
    init(code: Int32, systemError: Int32 = 0) {
        // The name of this code is a macro that Swift doesn't import.
        let movedFile = SQLITE_READONLY | (4 << 8)
        if code == movedFile {
            self = .lostFile
            return
        }
        switch code & 0xFF {
        case SQLITE_FULL: self = .diskFull
        case SQLITE_BUSY, SQLITE_LOCKED: self = .locked
        case SQLITE_READONLY, SQLITE_PERM: self = .readOnly
        case SQLITE_CORRUPT, SQLITE_NOTADB: self = .corrupt
        case SQLITE_CANTOPEN: self = .cannotOpen
        case SQLITE_IOERR where [ENOSPC, EFBIG, EDQUOT].contains(systemError): self = .diskFull
        case SQLITE_IOERR where systemError == EROFS: self = .readOnly
        default: self = .failed
        }
    }
}
#endif
