#if canImport(CPostgres)
import CPostgres
import FlatCache
import Foundation

/// A connection to the server.
///
/// One thread uses it at a time, and blocks for its results.
///
/// Each call has a deadline, since a server that no longer answers would otherwise block the thread
/// until the system gives up, which takes minutes.
final class Session {
    private let connection: OpaquePointer
    /// The names of the prepared statements, by their text.
    private var prepared: [String: String] = [:]
    /// The time that a statement may take, with a margin above the server's own limits.
    private let timeout: Duration
    /// `true` if an answer is missing, so that later answers would be taken for it.
    private(set) var isBroken = false

    /// Connects to the server.
    ///
    /// The name of the host is resolved on the calling thread.
    ///
    /// - Parameters:
    ///   - address: A connection string as libpq takes it.
    ///   - connectTimeout: The time that connecting to a host may take, two seconds or more.
    ///   - timeout: The time that a statement may take.
    init(
        _ address: String,
        connectTimeout: Duration,
        timeout: Duration
    ) throws(PostgresGraphError) {
        // libpq's own message would quote the connection string, which may contain a password.
        guard let options = PQconninfoParse(address, nil) else {
            throw PostgresGraphError(.failed, "The connection string can't be parsed.")
        }
        defer { PQconninfoFree(options) }
        if Self.containsPassword(options, of: address) {
            throw PostgresGraphError(
                .failed,
                "The connection string can't be parsed: percent-encode the characters of its password."
            )
        }
        self.timeout = timeout
        // The server's silence is noticed early, unless the connection string says otherwise.
        let settings = [
            ("application_name", "FlatCache"), ("keepalives_idle", "10"),
            ("keepalives_interval", "5"), ("keepalives_count", "3"), ("tcp_user_timeout", "20000"),
            // The time for each host of the connection string.
            ("connect_timeout", "\(max(2, Int(connectTimeout / .seconds(1))))"),
            ("dbname", address), ("client_encoding", "UTF8"),
        ]
        let names = settings.map { strdup($0.0) } + [nil]
        let values = settings.map { strdup($0.1) } + [nil]
        defer { for text in names + values { free(text) } }
        guard
            let connection = PQconnectdbParams(
                names.map { $0.map { UnsafePointer($0) } },
                values.map { $0.map { UnsafePointer($0) } },
                1
            )
        else {
            throw PostgresGraphError(.failed, "There is no memory for a connection.")
        }
        self.connection = connection
        // Notices go to the standard error stream otherwise.
        PQsetNoticeProcessor(connection, { _, _ in }, nil)
        guard PQstatus(connection) == CONNECTION_OK else {
            let message = Self.message(of: connection)
            throw PostgresGraphError(
                .disconnected,
                message.isEmpty ? "The server doesn't answer." : message
            )
        }
        PQsetnonblocking(connection, 1)
    }

    deinit { PQfinish(connection) }

    /// Returns whether the host, the port or the database of a URI is a part of its password.
    ///
    /// That's so after `@` or `/` in a password, and libpq's messages quote these options.
    private static func containsPassword(
        _ options: UnsafePointer<PQconninfoOption>,
        of address: String
    ) -> Bool {
        guard address.hasPrefix("postgres://") || address.hasPrefix("postgresql://") else {
            return false
        }
        var option = options
        while let keyword = option.pointee.keyword {
            let value = option.pointee.val.map { String(cString: $0) } ?? ""
            switch String(cString: keyword) {
            case "host", "dbname":
                // The name of an abstract socket begins with `@`.
                if value.dropFirst().contains("@") { return true }
            case "port":
                if !value.allSatisfy({ $0.isNumber || $0 == "," }) { return true }
            default: break
            }
            option += 1
        }
        return false
    }

    var socket: Int32 { PQsocket(connection) }

    /// `true` if the server hasn't closed the connection, as far as is known without asking it.
    var isOpen: Bool {
        !isBroken && PQconsumeInput(connection) == 1 && PQstatus(connection) == CONNECTION_OK
    }

    // MARK: Statements

    /// Executes a statement, and returns its rows.
    @discardableResult
    func run(
        _ sql: String,
        _ parameters: [SQLParameter] = []
    ) throws(PostgresGraphError) -> Rows {
        try pipeline([Step(sql, parameters)])[0].get()
    }

    /// Executes a script of statements without parameters.
    func runScript(_ sql: String) throws(PostgresGraphError) {
        try send { PQsendQuery(connection, sql) }
        var failure: PostgresGraphError?
        while let rows = try nextResult() {
            if let error = rows.error, failure == nil { failure = error }
        }
        if let failure { throw failure }
    }

    /// Executes statements in one round trip.
    ///
    /// After a failed statement, the server skips the others until the next step that ends with a
    /// synchronization.
    ///
    /// - Parameters:
    ///   - steps: The statements.
    ///   - willSend: A closure that is called before the first one is sent.
    /// - Returns: The results of the statements, in their order.
    /// - Throws: If the connection is lost. Whether the statements were executed isn't known then.
    func pipeline(
        _ steps: [Step],
        willSend: () -> Void = {}
    ) throws(PostgresGraphError) -> [Result<Rows, PostgresGraphError>] {
        for step in steps where step.isPrepared { try prepare(step.sql) }
        if !isOpen { throw lost() }
        willSend()
        guard PQenterPipelineMode(connection) == 1 else { throw lost() }
        for (index, step) in steps.enumerated() {
            try send(flushing: false) {
                if let name = prepared[step.sql], step.isPrepared {
                    return step.parameters.withValues { count, values in
                        PQsendQueryPrepared(connection, name, count, values, nil, nil, 0)
                    }
                }
                return step.parameters.withValues { count, values in
                    PQsendQueryParams(connection, step.sql, count, nil, values, nil, nil, 0)
                }
            }
            if step.isSynchronized || index == steps.count - 1 {
                try send(flushing: false) { PQpipelineSync(connection) }
            }
        }
        // Not each by itself: the server would wake up for each.
        try flush(until: .now + timeout)
        var results: [Result<Rows, PostgresGraphError>] = []
        for (index, step) in steps.enumerated() {
            guard let rows = try nextResult() else { throw lost() }
            if let error = rows.error {
                results.append(.failure(error))
            } else {
                results.append(.success(rows))
            }
            // A null result separates the results of two statements.
            guard try nextResult() == nil else { throw lost() }
            if step.isSynchronized || index == steps.count - 1 {
                guard let sync = try nextResult(), sync.isSynchronization else { throw lost() }
            }
        }
        guard PQexitPipelineMode(connection) == 1 else { throw lost() }
        return results
    }

    private func prepare(_ sql: String) throws(PostgresGraphError) {
        if prepared[sql] != nil { return }
        let name = "s\(prepared.count)"
        try send { PQsendPrepare(connection, name, sql, 0, nil) }
        var failure: PostgresGraphError?
        while let rows = try nextResult() { failure = failure ?? rows.error }
        if let failure { throw failure }
        prepared[sql] = name
    }

    /// Copies the rows of a query in the binary format.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - receive: A closure that receives the bytes of each message, which is a row or the header
    ///     with the first row.
    func copy(
        _ query: String,
        _ receive: (UnsafeRawBufferPointer) throws(PostgresGraphError) -> Void
    ) throws(PostgresGraphError) {
        try send { PQsendQuery(connection, "COPY (\(query)) TO STDOUT (FORMAT binary)") }
        guard let begin = try nextResult() else { throw lost() }
        if let error = begin.error {
            while try nextResult() != nil {}
            throw error
        }
        var deadline = ContinuousClock.now + timeout
        while true {
            var buffer: UnsafeMutablePointer<CChar>?
            let count = PQgetCopyData(connection, &buffer, 1)
            if count > 0, let buffer {
                defer { PQfreemem(buffer) }
                try receive(UnsafeRawBufferPointer(start: buffer, count: Int(count)))
                deadline = .now + timeout
            } else if count == 0 {
                guard Self.wait(for: socket, POLLIN, until: deadline),
                    PQconsumeInput(connection) == 1
                else { throw lost() }
            } else {
                break
            }
        }
        var failure: PostgresGraphError?
        while let rows = try nextResult() { failure = failure ?? rows.error }
        if let failure { throw failure }
    }

    /// Reads the data that has arrived; returns whether it contains a notification of another
    /// connection.
    func takeNotifications() throws(PostgresGraphError) -> Bool {
        guard PQconsumeInput(connection) == 1 else { throw lost() }
        var isNotified = false
        while let notification = PQnotifies(connection) {
            if notification.pointee.be_pid != PQbackendPID(connection) { isNotified = true }
            PQfreemem(notification)
        }
        return isNotified
    }

    // MARK: Sending and receiving

    private func send(
        flushing mustFlush: Bool = true,
        _ body: () -> Int32
    ) throws(PostgresGraphError) {
        if isBroken { throw lost() }
        guard body() == 1 else {
            if PQstatus(connection) != CONNECTION_OK { throw lost() }
            // libpq itself refuses the statement, in the middle of others.
            isBroken = true
            throw PostgresGraphError(.failed, Self.message(of: connection))
        }
        if mustFlush { try flush(until: .now + timeout) }
    }

    private func flush(until deadline: ContinuousClock.Instant) throws(PostgresGraphError) {
        while true {
            let left = PQflush(connection)
            if left == 0 { return }
            // The server may wait for its own answers to be read before it reads on.
            guard left == 1, Self.wait(for: socket, POLLIN | POLLOUT, until: deadline),
                PQconsumeInput(connection) == 1
            else { throw lost() }
        }
    }

    private func nextResult() throws(PostgresGraphError) -> Rows? {
        let deadline = ContinuousClock.now + timeout
        while PQisBusy(connection) == 1 {
            guard Self.wait(for: socket, POLLIN, until: deadline), PQconsumeInput(connection) == 1
            else { throw lost() }
        }
        guard let result = PQgetResult(connection) else {
            if PQstatus(connection) == CONNECTION_BAD { throw lost() }
            return nil
        }
        return Rows(result)
    }

    /// The error of a lost connection.
    private func lost() -> PostgresGraphError {
        isBroken = true
        let message = Self.message(of: connection)
        return PostgresGraphError(
            .disconnected,
            message.isEmpty ? "The server doesn't answer." : message
        )
    }

    private static func message(of connection: OpaquePointer) -> String {
        String(cString: PQerrorMessage(connection))
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Waits until a socket is ready, or for a moment; returns `false` if it isn't at the deadline.
    ///
    /// The caller reads in either case: a part of what TLS has decrypted may be in its buffer,
    /// where the socket doesn't show it.
    private static func wait(
        for socket: Int32,
        _ events: Int32,
        until deadline: ContinuousClock.Instant
    ) -> Bool {
        guard socket >= 0 else { return false }
        while true {
            var descriptor = pollfd(fd: socket, events: Int16(events), revents: 0)
            let count = poll(&descriptor, 1, min(100, deadline.milliseconds))
            if count < 0, errno == EINTR { continue }
            return count > 0 || .now < deadline
        }
    }
}

/// A statement of a pipeline.
struct Step: Equatable, Sendable {
    let sql: String
    let parameters: [SQLParameter]
    /// `true` if the server parses the statement once in a connection.
    let isPrepared: Bool
    /// `true` if a failure of this or an earlier statement doesn't skip the following ones.
    let isSynchronized: Bool

    init(
        _ sql: String,
        _ parameters: [SQLParameter] = [],
        isPrepared: Bool = false,
        isSynchronized: Bool = false
    ) {
        self.sql = sql
        self.parameters = parameters
        self.isPrepared = isPrepared
        self.isSynchronized = isSynchronized
    }
}

extension [SQLParameter] {
    /// Calls a closure with the parameters as C strings.
    fileprivate func withValues(
        _ body: (Int32, UnsafePointer<UnsafePointer<CChar>?>?) -> Int32
    ) -> Int32 {
        let copies = map { $0.text.flatMap { strdup($0) } }
        defer { for copy in copies { free(copy) } }
        return copies.map { $0.map { UnsafePointer($0) } }.withUnsafeBufferPointer {
            body(Int32($0.count), $0.baseAddress)
        }
    }
}
#endif
