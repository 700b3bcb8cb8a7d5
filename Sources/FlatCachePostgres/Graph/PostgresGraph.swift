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
    let engine: ReplicationEngine
    let writers: WriteConnections
    let tablesByType: [ObjectIdentifier: any AnyReplicatedTable]
    private let createTables: [@Sendable (Cache) -> Void]
    let access: Locked<CacheAccess?>
    private let isRunning = Locked(false)
    let activeWrites = ActiveWrites()

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
