#if canImport(CPostgres)
import CPostgres
import Foundation

/// The baseline of the rows about nodes: a connection through libpq without a graph.
///
/// One thread uses it at a time.
final class RawSession: @unchecked Sendable {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let connection: OpaquePointer

    init(_ server: PostgresServer) throws {
        guard let connection = PQconnectdb(server.address) else {
            throw Failure(description: "There is no memory for a connection.")
        }
        self.connection = connection
        guard PQstatus(connection) == CONNECTION_OK else { throw failure }
    }

    deinit { PQfinish(connection) }

    private var failure: Failure {
        Failure(description: String(cString: PQerrorMessage(connection)))
    }

    /// Executes statements.
    func run(_ sql: String) throws { try check(PQexec(connection, sql)) }

    /// Parses the statement that `execute(_:_:)` executes.
    func prepare(_ sql: String) throws { try check(PQprepare(connection, "", sql, 0, nil)) }

    /// Executes the prepared statement with two parameters.
    func execute(_ first: String, _ second: String) throws {
        try first.withCString { first in
            try second.withCString { second in
                try check(PQexecPrepared(connection, "", 2, [first, second], nil, nil, 0))
            }
        }
    }

    private func check(_ result: OpaquePointer?) throws {
        defer { PQclear(result) }
        switch PQresultStatus(result) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK: return
        default: throw failure
        }
    }

    /// Waits for a notification.
    func waitForNotification() throws {
        while true {
            if let notification = PQnotifies(connection) { return PQfreemem(notification) }
            var descriptor = pollfd(
                fd: PQsocket(connection),
                events: Int16(POLLIN),
                revents: 0
            )
            poll(&descriptor, 1, 60_000)
            guard descriptor.revents != 0, PQconsumeInput(connection) == 1 else { throw failure }
        }
    }

    /// Copies the rows of a query of one JSON value, and calls a closure with the text of each.
    func copy(_ query: String, _ body: (Data) throws -> Void) throws {
        let begin = PQexec(connection, "COPY (\(query)) TO STDOUT (FORMAT binary)")
        defer { PQclear(begin) }
        guard PQresultStatus(begin) == PGRES_COPY_OUT else { throw failure }
        var isFirst = true
        var buffer: UnsafeMutablePointer<CChar>?
        while case let count = PQgetCopyData(connection, &buffer, 0), count > 0,
            let message = buffer
        {
            defer { PQfreemem(message) }
            // The header precedes the first row. Each row begins with the number of its fields, and
            // its field with its size and the version of the format.
            let start = (isFirst ? 19 : 0) + 7
            isFirst = false
            // The trailer is shorter.
            if count > start { try body(Data(bytes: message + start, count: Int(count) - start)) }
        }
        while let result = PQgetResult(connection) { try check(result) }
    }
}
#endif
