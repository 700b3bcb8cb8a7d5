#if canImport(CPostgres)
import FlatCache
import Foundation

/// The engine of a graph: it imports the changes of all nodes, on one connection and thread.
///
/// Each import reads in one transaction and publishes before the next one begins, so memory equals
/// a snapshot of the database at any time.
actor ReplicationEngine {
    /// The connection of a graph to a cache.
    struct Attachment {
        weak var cache: Cache?
        let access: CacheAccess
        let tokens: [Disposable]
    }

    /// The state of the history that memory shows.
    struct Position {
        var cursor: TransactionSnapshot
        var history: History
        /// The time of the server at the last import, as it writes times.
        var serverTime: String
        var time: ContinuousClock.Instant
        /// The end of the log of the server that was on disk at the last import.
        var flushed: String
        /// The latest record that an import has seen, or `nil` if the log was empty.
        var latestRecord: (transaction: UInt64, write: String)?
    }

    /// The result of an import.
    struct Import: Sendable {
        let position: Position
        /// The rows that were read, among them those of the requested keys.
        var rows: [TypeRows] = []
        /// The number of records that memory didn't show before.
        var recordCount = 0
    }

    let thread = ConnectionThread("FlatCachePostgres")
    let configuration: PostgresConfiguration
    let tables: [any AnyReplicatedTable]
    let watched: [WatchedTable]
    let monitor: GraphMonitor

    var attachment: Attachment?
    var session: Session?
    /// The history of the present connection.
    var history: History?
    // Writes read it without waiting for an import that runs.
    private let shownPosition = Locked<Position?>(nil)
    /// `true` if the present connection hasn't caught up with the log since it was opened.
    var mustCatchUp = true
    private let requests = ImportRequests()
    var isAttaching = false
    var isListening = false
    /// `true` if this node has committed a write, and hasn't notified the others yet.
    var mustNotify = false
    /// `true` if the server has notified the connection since the last import began.
    var isNotified = false
    var lastCleaning = ContinuousClock.now
    /// The end of the pause after a failed connection.
    var pauseEnd = ContinuousClock.now
    /// The longest pause after the next failure.
    var pause: Duration = .zero
    var lostConnection: (time: Date, error: PostgresGraphError)?

    init(
        _ configuration: PostgresConfiguration,
        _ tables: [any AnyReplicatedTable],
        _ watched: [WatchedTable],
        _ monitor: GraphMonitor
    ) {
        self.configuration = configuration
        self.tables = tables
        self.watched = watched
        self.monitor = monitor
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    /// The position that memory shows, or `nil` before the first load.
    nonisolated var position: Position? { shownPosition.withLock(\.self) }

    func setPosition(_ position: Position?) { shownPosition.withLock { $0 = position } }

    // MARK: Requests

    /// Imports the changes that are committed before the call, and the rows of some keys.
    ///
    /// Requests that come while an import runs are answered by the next one together, which sends
    /// one notification for all of their writes.
    ///
    /// - Parameters:
    ///   - keys: The identifiers of the rows, by table.
    ///   - notifies: `true` if the other nodes must be notified.
    ///   - time: The time after which the method gives up, or `nil` if it doesn't. The import takes
    ///     place nevertheless.
    /// - Throws: The error of the import, or `.timeout` if the time is over or the task cancelled.
    @discardableResult
    nonisolated func synchronize(
        reading keys: [String: Set<String>] = [:],
        notifying notifies: Bool = false,
        within time: Duration? = nil
    ) async throws(PostgresGraphError) -> Import {
        try await requests.answer(ImportRequest(keys: keys, notifies: notifies), within: time) {
            Task { await performImport() }
        }
    }

    /// Returns the position that memory shows, importing first if there is none.
    nonisolated func currentPosition() async throws(PostgresGraphError) -> Position {
        if let position { return position }
        return try await synchronize().position
    }

    nonisolated func currentHistory() async throws(PostgresGraphError) -> History {
        try await currentPosition().history
    }

    private func performImport() async {
        // The requests that come until the address is known are answered, too.
        let wasConnected = session != nil
        let address = wasConnected ? nil : await address()
        let (numbers, requests) = requests.take()
        // This import reads all that was notified before.
        isNotified = false
        var keys: [String: Set<String>] = [:]
        for request in requests { keys.merge(request.keys) { $0.union($1) } }
        mustNotify = requests.contains(where: \.notifies)
        var result = self.result(reading: keys, address)
        if wasConnected, session == nil {
            // The server may have closed the connection since it was used.
            result = await resultOfNewConnection(reading: keys)
        }
        if case .failure(let error) = result, error.kind == .otherHistory {
            // A new connection knows the history.
            result = await resultOfNewConnection(reading: keys)
        }
        if mustNotify { monitor.record(.notificationFailed) }
        self.requests.answer(numbers, with: result)
        takeNotifications()
        if isNotified { thread.interruptWait() }
    }

    private func result(
        reading keys: [String: Set<String>],
        _ address: Result<String, PostgresGraphError>?
    ) -> Result<Import, PostgresGraphError> {
        Result { () throws(PostgresGraphError) in try importChanges(reading: keys, address) }
            .mapError(\.outsideWrite)
    }

    private func resultOfNewConnection(
        reading keys: [String: Set<String>]
    ) async -> Result<Import, PostgresGraphError> {
        // Another import may run until the address is known.
        let mustNotify = mustNotify
        let address = await address()
        self.mustNotify = mustNotify
        return result(reading: keys, address)
    }

    /// Notes whether the server has notified the connection.
    ///
    /// A notification may have arrived with the results of an import.
    private func takeNotifications() {
        guard let session else { return }
        do throws(PostgresGraphError) {
            if try session.takeNotifications() { isNotified = true }
        } catch {
            disconnect(error)
        }
    }

    /// Returns the address to connect to, or the error for which this isn't the time.
    private func address() async -> Result<String, PostgresGraphError> {
        // After a commit, the server is there.
        if ContinuousClock.now < pauseEnd, let lostConnection, !requests.containsWrite {
            var error = lostConnection.error
            error.disconnectedSince = lostConnection.time
            return .failure(error)
        }
        do throws(PostgresGraphError) {
            return .success(try await configuration.address())
        } catch {
            disconnect(error)
            return .failure(error)
        }
    }

    /// Makes the connection listen, or no longer: a server keeps notifications for those that
    /// listen and don't read.
    func setListening(_ isListening: Bool) {
        self.isListening = isListening
        guard let session else { return }
        do throws(PostgresGraphError) {
            try session.run("\(isListening ? "LISTEN" : "UNLISTEN") \(configuration.schema.name)")
        } catch {
            disconnect(error)
        }
    }

    /// Waits for a notification of the server, or for the time between two polls.
    func waitForChanges() async {
        takeNotifications()
        if isNotified { return }
        let left = pauseEnd - ContinuousClock.now
        let isConnected = session != nil
        _ = await thread.wait(
            for: isConnected ? session?.socket : nil,
            timeout: isConnected ? configuration.pollInterval : max(.milliseconds(10), left)
        )
        takeNotifications()
    }

    // MARK: Connection

    /// Returns the connection, opening it if necessary.
    ///
    /// - Parameter address: The address, or `nil` if the connection was open before.
    func connected(
        _ address: Result<String, PostgresGraphError>?
    ) throws(PostgresGraphError) -> Session {
        if let session { return session }
        guard let address else {
            throw lostConnection?.error ?? PostgresGraphError(.disconnected, "Connection lost.")
        }
        let known = try address.get()
        do throws(PostgresGraphError) {
            let (session, history) = try configuration.open(known)
            // Changes that are committed from now on are notified, and the import reads the others.
            if isListening { try session.run("LISTEN \(configuration.schema.name)") }
            // A prepared statement keeps its plan while tables grow, until their statistics are
            // collected. A plan from the time when they were small scans them from then on. The
            // server compiles plans that scan nevertheless, since it takes them for expensive.
            try session.runScript("SET enable_seqscan = off; SET jit = off;")
            self.session = session
            self.history = history
            mustCatchUp = true
            lostConnection = nil
            monitor.record(.connected)
            return session
        } catch {
            disconnect(error)
            throw error
        }
    }

    /// Records that the connection is lost, and lets some time pass until the next attempt.
    func disconnect(_ error: PostgresGraphError) {
        session = nil
        history = nil
        // All nodes lose a server at the same time, and shouldn't come back together. But after a
        // successful import, the first attempt follows at once.
        pauseEnd = .now + pause * Double.random(in: 0.5...1)
        pause = min(max(pause * 2, .milliseconds(50)), .seconds(5))
        var error = error
        error.disconnectedSince = lostConnection?.time ?? Date()
        lostConnection = (error.disconnectedSince ?? Date(), error)
        monitor.record(.disconnected(error))
    }
}

/// The settings of a graph that its connections share.
struct PostgresConfiguration: Sendable {
    /// A closure that returns the connection string.
    let connection: @Sendable () async throws -> String
    let schema: Schema
    var pollInterval: Duration = .seconds(1)
    /// The time after which the server ends a statement.
    var statementTimeout: Duration = .seconds(30)
    /// The time after which a server without an answer counts as lost.
    var answerTimeout: Duration = .seconds(35)
    var connectTimeout: Duration = .seconds(5)
    /// The time that a committed write waits for its import.
    var showingTime: Duration = .seconds(5)

    /// Opens a connection to the primary server, and compares the database with its history.
    func open(_ address: String) throws(PostgresGraphError) -> (Session, History) {
        let session = try connect(address)
        return (session, try history(of: session))
    }

    func address() async throws(PostgresGraphError) -> String {
        do {
            return try await connection()
        } catch {
            throw PostgresGraphError(
                .disconnected,
                "The connection string isn't available.",
                underlyingError: error
            )
        }
    }

    func connect(_ address: String) throws(PostgresGraphError) -> Session {
        let session = try Session(
            address,
            connectTimeout: connectTimeout,
            timeout: answerTimeout
        )
        let milliseconds = Int64(statementTimeout / .milliseconds(1))
        try session.runScript(
            """
            SET search_path = '';
            SET datestyle = 'ISO';
            SET default_transaction_isolation = 'read committed';
            SET statement_timeout = \(milliseconds);
            SET lock_timeout = \(milliseconds / 2);
            SET idle_in_transaction_session_timeout = \(milliseconds);
            SELECT pg_catalog.set_config('synchronous_commit', 'on', false)
                WHERE pg_catalog.current_setting('synchronous_commit')
                    NOT IN ('on', 'remote_apply');
            """
        )
        // Some systems can't notice a lost client in the middle of a statement.
        _ = try? session.run("SET client_connection_check_interval = 5000")
        let server = try session.run(
            "SELECT pg_is_in_recovery(), current_setting('server_encoding')"
        )
        if server.flag(0, 0) {
            // A standby's snapshots leave running transactions out.
            throw PostgresGraphError(.disconnected, "The server is a standby.")
        }
        guard server.text(0, 1) == "UTF8" else {
            throw PostgresGraphError(
                .schema,
                "The encoding of the database is \(server.text(0, 1)) instead of UTF8."
            )
        }
        return session
    }

    /// Returns the history of the database, renewing it if the database was restored elsewhere or a
    /// standby was promoted.
    private func history(of session: Session) throws(PostgresGraphError) -> History {
        let select = """
            SELECT schema_version, incarnation, system, timeline, \(schema.system), \
            \(Schema.timeline) FROM \(schema.name)._history
            """
        let rows = try session.run(select)
        guard rows.count == 1 else {
            throw PostgresGraphError(.schema, "The schema \(schema.name) has no history.")
        }
        guard rows.integer(0, 0) == Schema.version else {
            throw PostgresGraphError(
                .schema,
                "The schema \(schema.name) has the version \(rows.integer(0, 0)) instead of "
                    + "\(Schema.version)."
            )
        }
        if rows.text(0, 2) == rows.text(0, 4), rows.text(0, 3) == rows.text(0, 5) {
            return History(
                incarnation: rows.text(0, 1),
                system: rows.text(0, 2),
                timeline: rows.text(0, 3)
            )
        }
        try renew(
            session,
            where: "system <> \(schema.system) OR timeline <> \(Schema.timeline)"
        )
        let renewed = try session.run(select)
        return History(
            incarnation: renewed.text(0, 1),
            system: renewed.text(0, 2),
            timeline: renewed.text(0, 3)
        )
    }

    /// Renews the history of the database, if a condition holds, and deletes the records of the
    /// future.
    ///
    /// Records with numbers of the future would match every import, and numbers start again.
    func renew(_ session: Session, where condition: String) throws(PostgresGraphError) {
        try session.runScript(
            """
            BEGIN;
            SELECT 1 FROM \(schema.name)._history FOR UPDATE;
            DELETE FROM \(schema.name)._log
                WHERE xid >= pg_snapshot_xmin(pg_current_snapshot())
                AND EXISTS (SELECT 1 FROM \(schema.name)._history WHERE \(condition));
            DELETE FROM \(schema.name)._horizons
                WHERE EXISTS (SELECT 1 FROM \(schema.name)._history WHERE \(condition));
            UPDATE \(schema.name)._history SET incarnation = gen_random_uuid(),
                system = \(schema.system), timeline = \(Schema.timeline), deleted = '0'
                WHERE \(condition);
            COMMIT;
            """
        )
    }
}
#endif
