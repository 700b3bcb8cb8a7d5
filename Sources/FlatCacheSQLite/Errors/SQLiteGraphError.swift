#if canImport(SQLite3) || canImport(CSQLite)
public import FlatCache
public import Foundation

#if canImport(SQLite3)
import SQLite3
#else
import CSQLite
#endif

/// An error of a durable graph, with the file and, if it concerns a single entity, the entity's
/// key.
public struct SQLiteGraphError: Error, Sendable, CustomStringConvertible {
    /// The cause of an error.
    public enum Kind: Hashable, Sendable {
        /// There is no space left on the disk, or a limit of the file's size is reached.
        case diskFull
        /// Another connection kept the file locked for longer than the graph waits.
        case locked
        /// The file, its folder or its volume can't be written to.
        case readOnly
        /// The file isn't a database, or parts of it are damaged.
        case corrupt
        /// The file or SQLite's log was deleted, moved or replaced, or the file's content was
        /// replaced, after the graph had opened the file.
        case lostFile
        /// The file can't be opened or created.
        case cannotOpen
        /// A row or a modification stamp can't be decoded, or a row can't be upgraded.
        case undecodable
        /// A value can't be encoded.
        case unencodable
        /// A type in the file has a newer version than the declared one, or the file has the format
        /// of another version of this library. Its rows remain unchanged.
        case newerVersion
        /// A type in the file has an older version than the declared one, and its declaration lacks
        /// the upgrade from that version. Its rows remain unchanged.
        case missingUpgrade
        /// The file is a database of another program.
        case foreign
        /// The graph is suspended: see ``SQLiteGraph/suspend()``.
        case suspended
        /// Reading or writing the file failed for another reason.
        case failed
    }

    /// The cause of the error.
    public let kind: Kind

    /// The path of the file.
    public let file: String

    /// The key of the entity that the error concerns, or `nil` if it doesn't concern an entity.
    public let key: CacheKey?

    /// SQLite's extended result code, or `nil` if the error isn't SQLite's.
    public let code: Int32?

    /// The description of the cause.
    public let reason: String

    /// The error of an encoder, a decoder, an upgrade or the file system that caused this error, or
    /// `nil` if there is none.
    public let underlyingError: (any Error)?

    init(
        _ kind: Kind,
        file: String,
        key: CacheKey? = nil,
        code: Int32? = nil,
        reason: String,
        underlyingError: (any Error)? = nil
    ) {
        self.kind = kind
        self.file = file
        self.key = key
        self.code = code
        self.reason = reason
        self.underlyingError = underlyingError
    }

    /// A description of the file, the entity and the cause.
    public var description: String {
        let subject = key.map { "\($0) in \(file)" } ?? file
        return "\(subject): \(reason)" + (code.map { " (SQLite \($0))" } ?? "")
    }
}

extension SQLiteGraphError: LocalizedError {
    /// The error's ``description``, returned by `localizedDescription`.
    public var errorDescription: String? { description }
}

extension SQLiteGraphError {
    /// Writes an error as a line to the standard error stream.
    ///
    /// A graph calls this function with each error if you pass no `onError` closure.
    ///
    /// - Parameter error: The error.
    public static func writeToStandardError(_ error: SQLiteGraphError) {
        FileHandle.standardError.write(Data("FlatCacheSQLite: \(error)\n".utf8))
    }
}

extension SQLiteGraphError {
    /// Returns an error that this one has caused.
    func following(_ reason: String, file: String, as kind: Kind? = nil) -> SQLiteGraphError {
        SQLiteGraphError(
            kind ?? self.kind,
            file: file,
            code: code,
            reason: "\(reason): \(self.reason)",
            underlyingError: self
        )
    }

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

    /// `true` if SQLite has read less of a file than it expected.
    var isShortRead: Bool { code == SQLITE_IOERR | (2 << 8) }

    /// `true` if the part of a file that a statement needs is damaged.
    ///
    /// Damaged definitions make statements invalid, and damaged sizes make rows too large.
    var isDamage: Bool {
        let primary = code.map { $0 & 0xFF }
        return kind == .corrupt || isShortRead || primary == SQLITE_ERROR
            || primary == SQLITE_TOOBIG
    }

    /// Returns whether a statement failed because the file lacks a table of the graph.
    ///
    /// - Parameter tables: The names of the types' tables.
    func isMissingDefinition(ofTypes tables: [String]) -> Bool {
        let message = "no such table: "
        guard code == SQLITE_ERROR, reason.hasPrefix(message) else { return false }
        let table = String(reason.dropFirst(message.count))
        return table.hasPrefix("flatcache_") || tables.contains(table)
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
