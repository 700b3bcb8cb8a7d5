#if canImport(SQLite3) || canImport(CSQLite)
public import FlatCache
public import Foundation

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
        /// of a newer version of this library. Its rows remain unchanged.
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
#endif
