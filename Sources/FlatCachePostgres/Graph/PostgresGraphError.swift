#if canImport(CPostgres)
public import FlatCache
import FlatCacheRows
public import Foundation

/// An error of a graph in PostgreSQL.
///
/// Its description contains neither the values of a row nor the connection string. The message of
/// an encoder, a decoder or an upgrade, which may quote a value, is in ``underlyingError`` alone.
public struct PostgresGraphError: Error, Sendable, CustomStringConvertible {
    /// The cause of an error.
    public enum Kind: Hashable, Sendable {
        /// Other writes kept changing what the closure read, or the rows that it wrote, in each of
        /// its attempts.
        case conflict
        /// The connection was lost while the server committed, and asking it again failed. The
        /// write may or may not be in the database.
        case unknownOutcome
        /// The server can't be reached, or the graph hasn't caught up since it couldn't be.
        case disconnected
        /// The row was written by a later version of the program.
        case laterForm
        /// The value can't be stored as a row: its identifier or its encoding isn't one that the
        /// database keeps unchanged.
        case encoding
        /// The row can't be decoded or upgraded.
        case undecodable
        /// The database didn't show the write of a token in time.
        case timeout
        /// The token belongs to another database, or to the time before a restore or a failover.
        case otherHistory
        /// The string isn't a token of a ``WriteReceipt``.
        case malformedToken
        /// The schema is missing, or belongs to a later version of this library.
        case schema
        /// The server has refused a statement.
        case failed
    }

    /// The cause of the error.
    public let kind: Kind

    /// The keys of the entities that the error concerns.
    public let keys: [CacheKey]

    /// The SQLSTATE of the server's error, or `nil` if the error isn't the server's.
    public let sqlState: String?

    /// The name of the constraint that a statement violated, or `nil` if there is none.
    public let constraint: String?

    /// The description of the cause.
    public let reason: String

    /// The time at which the connection was lost, for ``Kind/disconnected``, or `nil` if there was
    /// none yet.
    public internal(set) var disconnectedSince: Date?

    /// The error of an encoder, a decoder or an upgrade that caused this error, or `nil` if there
    /// is none.
    public let underlyingError: (any Error)?

    init(
        _ kind: Kind,
        keys: [CacheKey] = [],
        _ reason: String,
        sqlState: String? = nil,
        constraint: String? = nil,
        underlyingError: (any Error)? = nil
    ) {
        self.kind = kind
        self.keys = keys
        self.reason = reason
        self.sqlState = sqlState
        self.constraint = constraint
        self.underlyingError = underlyingError
    }

    /// A description of the entities and the cause.
    public var description: String {
        let subject = keys.prefix(3).map { "\($0)" }.joined(separator: ", ")
        return (subject.isEmpty ? "" : subject + ": ") + reason
            + (sqlState.map { " (SQLSTATE \($0))" } ?? "")
    }
}

extension PostgresGraphError: LocalizedError {
    /// The error's ``description``, returned by `localizedDescription`.
    public var errorDescription: String? { description }
}

extension PostgresGraphError {
    /// Returns the description of an error of the client's code, without values.
    static func text(of error: any Error) -> String {
        let context: (String, [any CodingKey])
        switch error {
        case let error as RowError: return error.description
        case DecodingError.keyNotFound(let key, let found):
            context = ("A key is missing", found.codingPath + [key])
        case DecodingError.typeMismatch(let type, let found):
            context = ("The value isn't a \(type)", found.codingPath)
        case DecodingError.valueNotFound(let type, let found):
            context = ("The value isn't a \(type)", found.codingPath)
        case DecodingError.dataCorrupted(let found):
            context = ("The value isn't valid", found.codingPath)
        case EncodingError.invalidValue(_, let found):
            context = ("The value can't be encoded", found.codingPath)
        default: return "The code of the type has thrown a \(type(of: error))."
        }
        return context.0 + " at "
            + context.1.map { $0.intValue.map(String.init) ?? $0.stringValue }
            .joined(separator: ".") + "."
    }

    /// The error outside a write, where a lock that another session holds for long is no conflict.
    var outsideWrite: PostgresGraphError {
        guard kind == .conflict else { return self }
        return PostgresGraphError(.disconnected, reason, sqlState: sqlState, underlyingError: self)
    }

    /// Creates the error of a statement from the fields of the server's message.
    ///
    /// - Parameter isFatal: `true` if the server has closed the connection.
    init(sqlState: String, message: String, constraint: String?, isFatal: Bool) {
        let kind: Kind =
            switch sqlState {
            // A serialization failure, a deadlock, and a lock that wasn't free in time.
            case "40001", "40P01", "55P03": .conflict
            case SchemaError.conflict, SchemaError.otherHistory: .conflict
            // The schema or a table is missing.
            case "3F000", "42P01": .schema
            // A statement's own connections to other servers have the same states.
            default: isFatal ? .disconnected : .failed
            }
        // Errors of data quote values.
        let message = sqlState.hasPrefix("22") ? "The server can't use a value." : message
        self.init(kind, message, sqlState: sqlState, constraint: constraint)
    }
}
#endif
