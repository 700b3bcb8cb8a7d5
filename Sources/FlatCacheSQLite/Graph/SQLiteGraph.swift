#if canImport(SQLite3) || canImport(CSQLite)
public import FlatCache
public import Foundation

/// A durable graph: a file that keeps the entities, lists, aliases and responses of a cache across
/// launches.
///
/// ```swift
/// import Foundation
///
/// let url = URL(fileURLWithPath: "shop.sqlite")
/// let graph = try SQLiteGraph(url) {
///     Durable(Book.self, "book", limit: .bytes(50_000_000))
///     Durable(Author.self, "author", load: .atStart)
/// }
/// try await graph.attach(to: cache)
/// let book = try await graph.load(Book.self, id: 7)
/// ```
///
/// While the graph is attached to a cache, it collects the changes to entities of the declared
/// types and writes them after the flush interval, in one transaction. The file always shows a
/// state that the cache had between two commits. Explicit removals delete rows; evictions, expiries
/// and prunings keep them. See <doc:Offline>.
///
/// ## Concurrency
/// A graph can be used on any thread. After the initializer, it reads and writes its file on its
/// own thread, so reads and writes of the cache never wait for the file.
public final class SQLiteGraph: Sendable {
    let engine: GraphEngine

    /// The URL of the file.
    public let url: URL

    /// Opens a file, or creates it and its folder.
    ///
    /// If the file is damaged, the initializer copies the rows that can still be read to a new
    /// file, and renames the damaged one. `onError` receives the new name of the damaged file and
    /// the rows that can't be read. If there's no space for the new file, the initializer throws an
    /// error of the kind ``SQLiteGraphError/Kind/diskFull``, and the damaged file remains in place.
    ///
    /// - Parameters:
    ///   - url: The URL of the file. Graphs of other processes can use it at the same time.
    ///   - coder: The coder of the values.
    ///   - flushInterval: The longest time for which a change waits for others before the graph
    ///     writes them.
    ///   - lockTimeout: The longest time to wait for another process that writes to the file.
    ///   - clock: The clock that measures the flush interval, and the second after which the graph
    ///     repeats a failed flush. With a `ManualClock`, tests don't wait for flushes: see
    ///     <doc:Offline>. The wait for the lock of another process takes real time.
    ///   - wallClock: A closure that returns the present date. Rows contain dates, since instants
    ///     of clocks can't be compared across launches. In a test with a `ManualClock`, return a
    ///     date that advances with the clock.
    ///   - onError: A closure that receives the errors of work in the background: rows that can't
    ///     be decoded, values that can't be encoded, and failures of flushes. The graph repeats a
    ///     failed flush. The default writes a line to the standard error stream.
    ///   - types: The declarations of the types, lists, aliases and responses that the file keeps.
    ///     Declaring a type, a list or a name twice is a programmer error and traps, as is a list
    ///     or an alias of entities whose type isn't declared.
    /// - Throws: An error if the file can't be opened, or if another program or another version of
    ///   this library, with another format, has written it. The file then remains unchanged.
    /// - Complexity: O(1). If the last process that used the file was killed, O(*n*) in the size of
    ///   SQLite's log. If the file is damaged, O(*n*) in the number of its rows.
    ///
    /// ## Concurrency
    /// The initializer opens the file on the calling thread, and reports a damaged file there.
    /// Later, the graph calls `onError` on its own thread, and `wallClock` only there, under no
    /// lock of a cache. It reads `clock` on any thread, also under locks of a cache.
    public init(
        _ url: URL,
        coder: some RowCoder = CompactRowCoder(),
        flushInterval: Duration = .milliseconds(100),
        lockTimeout: Duration = .seconds(2),
        clock: any Clock<Duration> = ContinuousClock(),
        wallClock: @escaping @Sendable () -> Date = { Date() },
        onError: @escaping @Sendable (SQLiteGraphError) -> Void = SQLiteGraphError
            .writeToStandardError,
        @DurableBuilder types: () -> [DurableBuilder.Declaration]
    ) throws(SQLiteGraphError) {
        self.url = url
        engine = try GraphEngine(
            path: url.path,
            tables: types(),
            coder: coder,
            clock: clock,
            wallClock: wallClock,
            flushInterval: flushInterval,
            lockTimeout: lockTimeout,
            onError: onError
        )
    }

    /// Attaches the graph to a cache.
    ///
    /// First, the graph upgrades the rows of former versions. From then on, it writes the changes
    /// to the cache to the file, and also the values that the cache already holds. Then it loads
    /// the rows of the types that are declared with ``DurableLoading/atStart``, and stores the
    /// values that the cache lacks in one commit, with the lists and the aliases that are declared.
    ///
    /// The cache retains the graph's engine until ``detach()``. If the cache is deallocated before
    /// that, the graph still writes the cache's last changes.
    ///
    /// - Parameter cache: The cache. Attaching a graph that is attached already, even to the same
    ///   cache, is a programmer error and traps, as is attaching two graphs with the same type to
    ///   one cache.
    /// - Throws: An error if the file can't be opened or read, if its rows can't be upgraded, or if
    ///   the graph is suspended. The graph then isn't attached and writes nothing, since the cache
    ///   may lack lists and entities of the file. Call the method again later. If rows can't be
    ///   decoded, the method doesn't throw, and `onError` receives the errors.
    /// - Complexity: O(*n*) in the number of the cache's values of the declared types, of the rows
    ///   to load, and of the rows to upgrade.
    public func attach(to cache: Cache) async throws(SQLiteGraphError) {
        try await engine.attach(to: cache)
    }

    /// Writes the remaining changes, and ends the connection to the cache.
    ///
    /// The graph also writes the commits that other threads make while the method writes earlier
    /// ones, up to the instant at which the connection ends. If an attached graph is suspended, the
    /// method resumes it first.
    ///
    /// If the cache has been deallocated, the method writes its last changes, unless the graph has
    /// written them already. The call has no effect on a graph that was never attached.
    ///
    /// - Throws: An error if the changes can't be written. The graph then remains attached. If only
    ///   commits during the call couldn't be written, ``isAttached`` is `false`, and the graph
    ///   writes them with the next call of this method or of ``flush(surviving:)``. Changes of
    ///   types with a newer version or without an upgrade are dropped without an error, since
    ///   ``attach(to:)`` has reported these types.
    public func detach() async throws(SQLiteGraphError) { try await engine.detach() }

    /// Returns the value of an entity in the cache, or else loads its value from the file.
    ///
    /// The method stores a loaded value in the cache. The value keeps the freshness that it had
    /// when it was written. If a commit removes the entity in the meantime, the method stores
    /// nothing. If the graph isn't attached, the method upgrades the rows of former versions, and
    /// reads the value from the file without storing it.
    ///
    /// - Parameters:
    ///   - type: The type of the entity. A type that the graph doesn't declare is a programmer's
    ///     error and traps.
    ///   - id: The identifier of the entity.
    /// - Returns: The value, or `nil` if neither the cache nor the file has one, or if its row
    ///   can't be decoded.
    /// - Throws: An error if the file can't be read. If the cache lacks the entity and the graph
    ///   doesn't read the type, because the file has a newer version of it or a version without an
    ///   upgrade, the error's kind is ``SQLiteGraphError/Kind/newerVersion`` or
    ///   ``SQLiteGraphError/Kind/missingUpgrade``.
    /// - Complexity: O(log *n*) in the number of rows.
    @discardableResult
    public func load<Value: Identifiable & Codable & Sendable>(
        _ type: Value.Type,
        id: Value.ID
    ) async throws(SQLiteGraphError) -> Value? where Value.ID: Codable & Sendable {
        try await engine.load(type, ids: [id])[id]
    }

    /// Returns the values of several entities in the cache, or else loads them from the file, in
    /// one commit.
    ///
    /// ```swift
    /// import FlatCacheSQLite
    /// import Foundation
    ///
    /// let graph = try SQLiteGraph(URL(fileURLWithPath: "shop.sqlite")) {
    ///     Durable(Book.self, "book")
    ///     DurableList("search", of: Book.self, load: .onDemand)
    /// }
    /// try await graph.attach(to: cache)
    /// let found = cache.list("search", of: Book.self).ids
    /// let books = try await graph.load(Book.self, ids: found.prefix(20))
    /// ```
    ///
    /// See ``load(_:id:)``.
    ///
    /// - Parameters:
    ///   - type: The type of the entities. A type that the graph doesn't declare is a programmer's
    ///     error and traps.
    ///   - ids: The identifiers of the entities.
    /// - Returns: The values by identifier, without entities that neither the cache nor the file
    ///   has.
    /// - Throws: An error as ``load(_:id:)`` does.
    /// - Complexity: O(*k* log *n*) for *k* identifiers and *n* rows.
    @discardableResult
    public func load<Value: Identifiable & Codable & Sendable>(
        _ type: Value.Type,
        ids: some Sequence<Value.ID>
    ) async throws(SQLiteGraphError) -> [Value.ID: Value] where Value.ID: Codable & Sendable {
        try await engine.load(type, ids: Set(ids))
    }

    /// Loads the entities of a type that the cache lacks from the file, in one commit.
    ///
    /// Queries contain only entities in memory. Load the type before you query it:
    ///
    /// ```swift
    /// import FlatCacheSQLite
    /// import Foundation
    ///
    /// let graph = try SQLiteGraph(URL(fileURLWithPath: "shop.sqlite")) {
    ///     Durable(Book.self, "book")
    /// }
    /// try await graph.attach(to: cache)
    /// try await graph.load(Book.self)
    /// let books = cache.query(Book.self).sorted(by: \.title).elements
    /// ```
    ///
    /// If the type has a `CacheLimit`, the cache evicts the values above it. If the graph isn't
    /// attached, the method does nothing.
    ///
    /// - Parameter type: The type of the entities. A type that the graph doesn't declare is a
    ///   programmer error and traps.
    /// - Throws: An error if the file can't be read, or if the graph doesn't read the type: see
    ///   ``load(_:id:)``. Rows that can't be decoded are reported to `onError`.
    /// - Complexity: O(*n*) in the number of rows.
    public func load<Value: Identifiable & Sendable>(
        _ type: Value.Type
    ) async throws(SQLiteGraphError) where Value.ID: Sendable {
        try await engine.loadAll(type)
    }

    /// A Boolean value that indicates whether the graph is attached to a cache.
    ///
    /// If the cache is deallocated, the property becomes `false` after the graph has written the
    /// last changes, or has failed to.
    public var isAttached: Bool {
        get async { await engine.attachment != nil }
    }

    /// The event that flushed changes survive.
    public enum Survival: Sendable {
        /// The exit of the process, for any reason.
        case processExit
        /// A crash of the system or a loss of power.
        ///
        /// A flush that survives it takes longer, since it waits for the disk.
        case powerLoss
    }

    /// Writes all changes that were committed before the call, as one transaction.
    ///
    /// If the graph isn't attached, the method writes only the last changes of earlier caches. With
    /// ``Survival/powerLoss``, it then waits until the disk has stored this and earlier flushes.
    ///
    /// For example, call `try await graph.flush(surviving: .powerLoss)` after a purchase.
    ///
    /// - Parameter event: The event that the changes must survive.
    /// - Throws: An error if the changes can't be written. The graph keeps them and tries again
    ///   with the next flush. If the file is damaged, the method replaces it, calls `onError`, and
    ///   writes the changes to the new file. If this or an earlier flush has written all changes
    ///   except changes to types with a newer version or without an upgrade, the error's kind is
    ///   ``SQLiteGraphError/Kind/newerVersion`` or ``SQLiteGraphError/Kind/missingUpgrade``. The
    ///   graph never writes the changes to these types. If the graph is suspended, and is attached
    ///   or must wait for the disk, the kind is ``SQLiteGraphError/Kind/suspended``.
    /// - Complexity: O(*k* log *n*) for *k* changes to *n* rows.
    public func flush(
        surviving event: Survival = .processExit
    ) async throws(SQLiteGraphError) {
        try await engine.flush(surviving: event)
    }

    /// Writes the changes, and closes the file until ``resume()``.
    ///
    /// Call this method when an app moves to the background. iOS ends a suspended app that holds a
    /// lock of a file in a shared container. Until ``resume()``, the graph keeps the changes to the
    /// cache in memory. Loads of the cache don't read the file. ``load(_:id:)`` of an entity that
    /// the cache lacks and ``flush(surviving:)`` throw an error of the kind
    /// ``SQLiteGraphError/Kind/suspended``. If the cache is deallocated, the graph opens the file
    /// to write the cache's last changes. The call has no effect on a suspended graph.
    ///
    /// - Throws: An error if the changes can't be written. The file is closed nonetheless, and the
    ///   graph writes the changes after ``resume()``.
    public func suspend() async throws(SQLiteGraphError) { try await engine.suspend() }

    /// Opens the file of a suspended graph again.
    ///
    /// The graph stores the changes that other processes have made in the meantime in the cache, in
    /// one commit, and then writes the changes that it has kept. The call has no effect on a graph
    /// that isn't suspended.
    ///
    /// - Throws: An error if the changes can't be written, or if the file can't be opened. If the
    ///   file can't be opened, the graph remains suspended.
    /// - Complexity: O(*n*) in the number of changed rows. If the graph was suspended for longer
    ///   than seven days, or during so many transactions that their log took more than a megabyte
    ///   and a quarter of the file, O(*n*) in the number of entities in memory and of rows that are
    ///   loaded at the start.
    public func resume() async throws(SQLiteGraphError) { try await engine.resume() }

    /// Moves the rows in the quarantine that can be decoded now back to their types.
    ///
    /// The graph upgrades rows of former versions. The rows that return are stale. If the graph is
    /// attached, it imports them in one commit, like the rows of another process. Values in memory
    /// remain. Of several rows of an entity, the latest one returns. A row whose entity has a newer
    /// row remains in the quarantine, and so do responses of requests.
    ///
    /// - Returns: The number of rows that return.
    /// - Throws: An error if the file can't be read or written, or if the graph is suspended.
    /// - Complexity: O(*n*) in the number of rows in the quarantine.
    @discardableResult
    public func restoreQuarantinedRows() async throws(SQLiteGraphError) -> Int {
        try await engine.restoreQuarantine()
    }

    /// Opens the values of all rows and seals them again, so that they no longer need a former key.
    ///
    /// The call changes all rows in one transaction: entities, lists, aliases and responses, also
    /// of types that the graph doesn't declare, and the rows in the quarantine. Rows that the
    /// ``SealedRowCoder`` of the graph can't open remain unchanged. With another coder, the method
    /// has no effect.
    ///
    /// - Returns: The number of rows that were sealed.
    /// - Throws: An error if the file can't be read or written, or if the graph is suspended. If a
    ///   value can't be sealed, the error's kind is ``SQLiteGraphError/Kind/unencodable``. The rows
    ///   are then as they were.
    /// - Complexity: O(*n*) in the number of rows.
    @discardableResult
    public func resealRows() async throws(SQLiteGraphError) -> Int {
        try await engine.resealRows()
    }

    /// Adds the rows of another graph's file, such as a backup or a repaired copy of a damaged
    /// file, to this graph's file.
    ///
    /// ```swift
    /// import FlatCacheSQLite
    /// import Foundation
    ///
    /// let file = URL(fileURLWithPath: "backup.sqlite")
    /// let graph = try SQLiteGraph(URL(fileURLWithPath: "shop.sqlite")) {
    ///     Durable(Book.self, "book")
    /// }
    /// try await graph.attach(to: cache)
    /// let count = try await graph.importRows(of: file)
    /// print("\(count) rows are back.")
    /// ```
    ///
    /// The rows return like those of the quarantine: they're upgraded and stale, and they don't
    /// replace rows of the graph's file or values in memory. See ``restoreQuarantinedRows()``. Rows
    /// that can't be upgraded move to the quarantine at once, and rows of the present version that
    /// can't be decoded when they're first read. The rows in the quarantine of the other file are
    /// added to the one of the graph's file. Entities whose removal is in the log of transactions,
    /// usually for seven days, don't return, and neither do responses of requests. If rows can't be
    /// read, `onError` receives an error of the kind ``SQLiteGraphError/Kind/corrupt`` that names
    /// them. The graph upgrades the rows in a temporary copy beside its file. Delete the other file
    /// afterwards.
    ///
    /// - Parameter file: The URL of the other file. No graph may use it meanwhile.
    /// - Returns: The number of rows that have returned.
    /// - Throws: An error if there's no other file or another program has locked it, if the graph's
    ///   file can't be read or written, or if the graph is suspended. The graph's file then has all
    ///   or none of the rows.
    /// - Complexity: O(*n*) in the number of rows of the other file.
    @discardableResult
    public func importRows(of file: URL) async throws(SQLiteGraphError) -> Int {
        try await engine.importRows(of: file.path)
    }

    /// The size of the graph's file, and the state of its flushes.
    ///
    /// The statistics leave out types that the graph refuses because of their version.
    ///
    /// - Throws: An error if the file can't be read, or if the graph is suspended.
    /// - Complexity: O(*n*) in the number of rows.
    public var statistics: SQLiteGraphStatistics {
        get async throws(SQLiteGraphError) { try await engine.statistics() }
    }
}
#endif
