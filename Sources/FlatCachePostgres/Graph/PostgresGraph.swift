#if canImport(CPostgres)
public import FlatCache
import Foundation

/// A graph of entities in a PostgreSQL database that the caches of several nodes show.
///
/// ```swift
/// import FlatCachePostgres
///
/// let graph = PostgresGraph("host=db dbname=shop") {
///     Replicated(Book.self, "book", load: .atStart)
///     Replicated(Author.self, "author")
/// }
/// try await graph.attach(to: cache)
/// let running = Task { try await graph.run() }  // until it's cancelled
/// ```
///
/// The database is the truth. A write commits in the database first, and each node then shows it as
/// one commit of its cache. The rows in a node's memory equal one snapshot of the database, except
/// while the node reads all of them again: after a failover, a restore, or an absence of more than
/// an hour.
///
/// See <doc:Nodes>.
public final class PostgresGraph: Sendable {
    private let engine: ReplicationEngine
    private let writers: WriteConnections
    private let tablesByType: [ObjectIdentifier: any AnyReplicatedTable]
    private let createTables: [@Sendable (Cache) -> Void]
    private let access: Locked<CacheAccess?>
    private let isRunning = Locked(false)
    private let activeWrites = ActiveWrites()

    /// Creates a graph.
    ///
    /// - Parameters:
    ///   - connectionString: A connection string as libpq takes it: keywords and values, or a URI.
    ///     Nodes use the primary server, so name several hosts with
    ///     `target_session_attrs=read-write`. Use no pooler.
    ///   - schema: The name of the schema, and of the channel of the notifications: a lowercase
    ///     letter, and then up to 47 lowercase letters, digits and underscores. Another name traps.
    ///   - connections: The number of connections that write, one or more. A further one listens
    ///     and reads.
    ///   - onEvent: A closure that receives events, for log messages and metrics. The graph calls
    ///     it under no lock, on its own thread or in a task that writes. Calls may overlap.
    ///   - declarations: A closure that declares the types and tables, each once. A second
    ///     declaration traps.
    public convenience init(
        _ connectionString: String,
        schema: String = "flatcache",
        connections: Int = 4,
        onEvent: @escaping @Sendable (PostgresGraphEvent) -> Void = { _ in },
        @PostgresGraphBuilder _ declarations: () -> [PostgresGraphBuilder.Declaration]
    ) {
        self.init(
            connection: { connectionString },
            schema: schema,
            connections: connections,
            onEvent: onEvent,
            declarations
        )
    }

    /// Creates a graph that asks a closure for the connection string of each connection, for
    /// example to rotate credentials.
    ///
    /// - Parameters:
    ///   - connection: A closure that returns the connection string. It's called for each new
    ///     connection. Reads and writes wait for it, so it must limit its own time.
    ///   - schema: The name of the schema, as for ``init(_:schema:connections:onEvent:_:)``.
    ///   - connections: The number of connections that write, one or more.
    ///   - onEvent: A closure that receives events, as for
    ///     ``init(_:schema:connections:onEvent:_:)``.
    ///   - declarations: A closure that declares the types and tables, each once.
    public convenience init(
        connection: @escaping @Sendable () async throws -> String,
        schema: String = "flatcache",
        connections: Int = 4,
        onEvent: @escaping @Sendable (PostgresGraphEvent) -> Void = { _ in },
        @PostgresGraphBuilder _ declarations: () -> [PostgresGraphBuilder.Declaration]
    ) {
        self.init(
            PostgresConfiguration(connection: connection, schema: Schema(schema)),
            connections: connections,
            onEvent,
            declarations()
        )
    }

    init(
        _ configuration: PostgresConfiguration,
        connections: Int,
        _ onEvent: @escaping @Sendable (PostgresGraphEvent) -> Void,
        _ declared: [PostgresGraphBuilder.Declaration]
    ) {
        precondition(connections > 0, "A graph needs one connection or more to write.")
        let tables = declared.compactMap(\.replicated)
        let watched = declared.compactMap(\.watched)
        let names = tables.map(\.name) + watched.map(\.name)
        precondition(
            Set(names).count == names.count
                && Set(tables.map(\.typeIdentifier)).count == tables.count,
            "Each type and each table can be declared once in a graph."
        )
        tablesByType = Dictionary(uniqueKeysWithValues: tables.map { ($0.typeIdentifier, $0) })
        createTables = declared.map(\.createTable)
        engine = ReplicationEngine(configuration, tables, watched, GraphMonitor(onEvent))
        writers = WriteConnections(configuration, count: connections)
        access = Locked(nil)
    }

    // MARK: Attaching

    /// Attaches the graph to a cache.
    ///
    /// The method creates the missing tables of the schema, and loads the types that are declared
    /// with ``ReplicatedLoading/atStart``.
    ///
    /// Attach before the cache is used: the method removes the values of replicated types that the
    /// cache holds, and sets the loaders of these types. From now on, only ``write(attempts:_:)``
    /// changes replicated types; other writes to them trap, and ingests and loads leave such
    /// entities out.
    ///
    /// - Parameter cache: The cache. A second call traps, unless the first one threw an error.
    /// - Throws: ``PostgresGraphError``, such as `.schema` if the role may not create what the
    ///   schema lacks.
    public func attach(to cache: Cache) async throws(PostgresGraphError) {
        let attached = try await engine.attach(to: cache, createTables: createTables)
        access.withLock { $0 = attached }
    }

    /// Imports the changes of all nodes until the task is cancelled, or the cache is deallocated.
    ///
    /// The graph listens for notifications, and asks the server every second besides. It connects
    /// again after the connection was lost. One node at a time cleans the log.
    ///
    /// Call it after ``attach(to:)``. A call before that, or during another one, traps. When the
    /// task is cancelled, the method waits for the writes that have begun, and returns.
    ///
    /// - Throws: Nothing at present. It's declared `throws` for later versions.
    public func run() async throws {
        precondition(
            isRunning.withLock { isRunning in
                defer { isRunning = true }
                return !isRunning
            },
            "A graph runs once at a time."
        )
        precondition(access.withLock(\.self) != nil, "Attach the graph before you run it.")
        defer { isRunning.withLock { $0 = false } }
        // The connection listens first, and then catches up.
        await engine.setListening(true)
        while !Task.isCancelled, access.withLock({ $0?.isClosed }) == false {
            _ = try? await engine.synchronize()
            if await engine.clean() { continue }
            await engine.waitForChanges()
        }
        await activeWrites.end()
        await engine.setListening(false)
    }

    func clean() async { await engine.clean(afterPause: .zero) }

    // MARK: Writing

    /// Runs a closure that reads and changes entities, and commits its changes in one transaction
    /// of the database.
    ///
    /// ```swift
    /// import FlatCachePostgres
    ///
    /// struct SoldOut: Error {}
    ///
    /// func sell(_ graph: PostgresGraph) async throws {
    ///     try await graph.write { batch in
    ///         guard var book = try await batch.get(Book.self, id: 1), book.copies > 0 else {
    ///             throw SoldOut()
    ///         }
    ///         book.copies -= 1
    ///         batch.set(book)
    ///     }
    /// }
    /// ```
    ///
    /// The closure reads memory. If another write has changed a row that this one writes since it
    /// was read, nothing is written, and the closure runs again. If the closure writes nothing or
    /// throws, its reads are compared with the database before, so that no decision depends on old
    /// memory. Rows that are only read by a closure that writes others aren't compared.
    ///
    /// When the method returns, the write is committed in the database, and this node's cache shows
    /// it, unless ``WriteReceipt/isShown`` is `false`. After the commit, the method doesn't throw,
    /// not even if its task is cancelled.
    ///
    /// - Parameters:
    ///   - attempts: The number of times that the closure may run.
    ///   - body: A closure that reads and writes. It runs once per attempt, in the calling task.
    /// - Returns: The receipt of the write, with the closure's result.
    /// - Throws: The closure's error; ``PostgresGraphError``, such as `.conflict` after the last
    ///   attempt, and `.disconnected` before ``attach(to:)``; or `CancellationError` between two
    ///   attempts. If the closure throws and its reads can't be compared, the method throws the
    ///   error of the comparison instead. Nothing is committed then, except possibly after
    ///   `.unknownOutcome`.
    @discardableResult
    public func write<Value: Sendable>(
        attempts: Int = 10,
        _ body: @Sendable (GraphBatch) async throws -> Value
    ) async throws -> WriteReceipt<Value> {
        precondition(attempts > 0, "A write needs one attempt or more.")
        guard let access = access.withLock(\.self) else {
            throw PostgresGraphError(.disconnected, "The graph isn't attached to a cache.")
        }
        activeWrites.begin()
        defer { activeWrites.finish() }
        var lastConflict: PostgresGraphError?
        var lastKeys: [CacheKey] = []
        for attempt in 0..<attempts {
            if attempt > 0 {
                engine.monitor.record(.conflict(keys: lastKeys))
                try await Task.sleep(for: .milliseconds(1) * Double.random(in: 0...Double(attempt)))
                // Whatever memory shows of these rows, it isn't what the database has.
                try await engine.rows(of: lastKeys)
            }
            let batch = GraphBatch(engine, access, tablesByType)
            let history = try await engine.currentHistory()
            let value: Value
            do {
                defer {
                    batch.end()
                    lastKeys = batch.readKeys + batch.writtenKeys
                }
                value = try await body(batch)
            } catch {
                if try await isValid(batch) { throw error }
                continue
            }
            if batch.isOutdated { continue }
            if batch.isEmpty {
                guard try await isValid(batch) else { continue }
                let position = try await engine.currentPosition()
                let latest = position.cursor.latestShown
                return WriteReceipt(value, position.history, latest, isShown: true)
            }
            let plan = try batch.plan()
            do {
                let transaction = try await writers.withConnection { connection in
                    try await connection.commit(plan, in: history)
                }
                let isShown = await show(plan, transaction, of: history)
                return WriteReceipt(value, history, transaction, isShown: isShown)
            } catch let error as PostgresGraphError where error.kind == .conflict {
                lastConflict = error
            }
        }
        throw PostgresGraphError(
            .conflict,
            keys: Array(Set(lastKeys)).sorted { "\($0)" < "\($1)" },
            "\(attempts) attempts have met other writes: "
                + (lastConflict?.reason ?? "Rows that the closure read were changed."),
            sqlState: lastConflict?.sqlState,
            constraint: lastConflict?.constraint,
            underlyingError: lastConflict
        )
    }

    /// Returns whether the rows that a batch has read are still current in the database.
    private func isValid(_ batch: GraphBatch) async throws(PostgresGraphError) -> Bool {
        // Absent rows concern memory, too.
        let found = try await engine.rows(of: batch.readKeys)
        return !batch.isOutdated && batch.isCurrent(in: found)
    }

    /// Notifies the other nodes of a committed write, and imports it; returns whether the cache
    /// shows it.
    private func show(
        _ plan: WritePlan,
        _ transaction: UInt64,
        of history: History
    ) async -> Bool {
        var keys: [String: Set<String>] = [:]
        for change in plan.changes {
            keys[change.table] = Set(change.storedIDs + change.removedIDs)
        }
        let time = engine.configuration.showingTime
        let result = await position(reading: keys, notifying: true, within: time)
        guard let position = try? result?.get() else { return false }
        return position.history == history && position.cursor.shows(transaction)
    }

    /// Imports changes; returns the position, or `nil` if it takes too long or the task is
    /// cancelled.
    private func position(
        reading keys: [String: Set<String>] = [:],
        notifying notifies: Bool = false,
        within time: Duration
    ) async -> Result<ReplicationEngine.Position, PostgresGraphError>? {
        let (results, result) = AsyncStream.makeStream(
            of: Result<ReplicationEngine.Position, PostgresGraphError>?.self
        )
        let engine = engine
        // The import goes on for others if this call doesn't wait for it.
        Task {
            do throws(PostgresGraphError) {
                let found = try await engine.synchronize(reading: keys, notifying: notifies)
                result.yield(.success(found.position))
            } catch {
                result.yield(.failure(error))
            }
        }
        let timeout = Task {
            try await Task.sleep(for: time)
            result.yield(nil)
        }
        defer { timeout.cancel() }
        for await first in results { return first }
        return nil
    }

    /// Waits until this node's cache shows a write of any node.
    ///
    /// Pass the token of a client's last write, so that its next request sees that write, whichever
    /// node answers it.
    ///
    /// - Parameters:
    ///   - token: The token of a ``WriteReceipt``.
    ///   - timeout: The time after which the method gives up.
    /// - Throws: ``PostgresGraphError`` of the kinds `.timeout`, `.otherHistory` and
    ///   `.malformedToken`, the error with which reading the database failed, or
    ///   `CancellationError`.
    public func wait(for token: String, timeout: Duration) async throws {
        let token = try WriteToken(token)
        let deadline = ContinuousClock.now + timeout
        while true {
            let left = max(.milliseconds(1), deadline - .now)
            guard let result = await position(within: left) else {
                try Task.checkCancellation()
                throw PostgresGraphError(.timeout, "The database doesn't answer in \(timeout).")
            }
            let position = try result.get()
            // A write is committed before its token is known.
            guard position.history.incarnation == token.incarnation,
                token.transaction < position.cursor.xmax
            else {
                throw PostgresGraphError(
                    .otherHistory,
                    "The token belongs to another database, or to the time before a restore or a "
                        + "failover."
                )
            }
            if position.cursor.shows(token.transaction) { return }
            guard ContinuousClock.now < deadline else {
                throw PostgresGraphError(.timeout, "The write isn't visible after \(timeout).")
            }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    // MARK: Watching

    /// The figures of the graph, for health checks and metrics.
    public var statistics: PostgresGraphStatistics { engine.monitor.statistics }

    /// `true` if memory was in step with the database within the last five seconds.
    public var isReady: Bool { statistics.age.map { $0 < .seconds(5) } ?? false }

    // MARK: SQL

    /// The statements that create the schema and the tables of the replicated types.
    ///
    /// ``attach(to:)`` runs them if something is missing, unless its role may not.
    public var creationSQL: String { engine.creationSQL }

    /// Returns the statements that grant a role the rights of a node, but not to create tables.
    ///
    /// - Parameter role: The name of the role.
    public func grantingSQL(to role: String) -> String {
        engine.configuration.schema.grants(to: role, tables: engine.tables.map(\.name))
    }

    /// The statements that create the triggers of the watched tables and of their partitions.
    ///
    /// Run them as the owner of the tables, with the right to create functions in the schema and to
    /// insert into its log. Run them again after adding a partition.
    public var watchingSQL: String {
        engine.watched.map {
            engine.configuration.schema.triggers(type: $0.name, table: $0.table, id: $0.id)
        }.joined()
    }
}
#endif
