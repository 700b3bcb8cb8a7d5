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
        self.init(
            Kind(code: code, systemError: keptError == 0 ? lastError : keptError),
            file: file,
            code: code,
            reason: String(cString: sqlite3_errmsg(handle))
        )
    }
}

extension SQLiteGraphError.Kind {
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
