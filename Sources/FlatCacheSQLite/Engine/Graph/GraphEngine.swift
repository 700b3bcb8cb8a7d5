#if canImport(SQLite3) || canImport(CSQLite)
import FlatCache
import FlatCachePersistence
import Foundation

/// The engine of a durable graph. It reads and writes the file on a separate thread.
actor GraphEngine {
    /// The connection of the graph to a cache.
    struct Attachment {
        weak var cache: Cache?
        let access: CacheAccess
        let recorder: GraphRecorder
        /// The journals of the types, in the order of the tables.
        let types: [TypeJournal]
        let tokens: [Disposable]

        var journals: [any AnyChangeJournal] { types.map(\.journal) }
    }

    /// The last changes of a cache that has been deallocated or detached.
    struct LastChanges {
        let changes: [any TypeChanges]
        /// The time at which the changes were taken.
        let time: WallTime
    }

    /// The time after which a failed flush is tried again.
    static let retryInterval: Duration = .seconds(1)

    let executor = GraphExecutor()
    let path: String
    /// The clock that measures the flush interval and the retry interval.
    let clock: any Clock<Duration>
    let wallClock: @Sendable () -> Date
    let flushInterval: Duration
    /// The longest time to wait for the lock of another process.
    let lockTimeout: Duration
    let onError: @Sendable (SQLiteGraphError) -> Void
    let gate = ReadingGate()
    let tables: [any AnyDurableTable]
    /// A closure that creates tables of the declared types in a file.
    let makeTables: (Database) -> [any AnyDurableTable]
    let errors: PendingErrors
    /// The beginning of the identifiers of the queue's mutations, or `nil` before there is a queue.
    let mutationPrefix: Locked<String?>
    var mutations = MutationSending()
    let coder: any RowCoder
    var database: Database {
        didSet { for table in tables { table.database = database } }
    }
    var attachment: Attachment? {
        didSet { if attachment == nil { monitor = nil } }
    }
    /// The number of the latest transaction that memory shows, or `nil` before the first read.
    var importedNumber: Int64?
    /// The random number of that transaction, or `nil` if it isn't known.
    var importedToken: Int64?
    /// The error of an attempt to replace the damaged file without enough space, and the number of
    /// bytes that were free then.
    var failedReplacement: (space: Int, error: SQLiteGraphError)?
    /// The monitor of SQLite's log, while the graph is attached and not suspended.
    var monitor: FileWriteMonitor?
    var isSuspended = false
    /// The identity of the file that memory shows, to notice another file at the path.
    var fileIdentity: FileIdentity
    /// The unwritten last changes of caches that have been deallocated or detached.
    var lastChanges: [LastChanges] = []
    var lastFlush: Date?
    /// A closure that returns the time since the graph last recorded the time of the wall clock.
    var stopwatch: @Sendable () -> Duration
    var transactionCount = 0
    /// The number of transactions when the transaction log was last shortened.
    ///
    /// The first transaction of a graph shortens the log, since others may have left it long.
    var shortenedAt = -GraphEngine.transactionsToShorten
    /// `true` if the tables exist and have the declared versions.
    private var isPrepared = false
    /// `true` if the pages in SQLite's log will be copied to the file.
    var isCopyingScheduled = false
    /// `true` if another attempt of a failed flush is scheduled.
    var isRetryScheduled = false

    #if TestHooks
    /// A closure that is called whenever a write finds the file locked.
    var onWaitForLock: @Sendable () -> Void = {}
    #endif

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(
        path: String,
        tables declarations: [DurableBuilder.Declaration],
        coder: any RowCoder,
        clock: any Clock<Duration>,
        wallClock: @escaping @Sendable () -> Date,
        flushInterval: Duration,
        lockTimeout: Duration,
        onError: @escaping @Sendable (SQLiteGraphError) -> Void
    ) throws(SQLiteGraphError) {
        let database = try GraphFile.open(path, lockTimeout, onDamage: onError)
        let errors = PendingErrors()
        let mutationPrefix = Locked<String?>(nil)
        let mutations = DeclaredContent(mutationsOf: mutationPrefix)
        let makeTables = { database in
            DeclaredContent.tables(
                of: declarations + [DurableBuilder.Declaration(content: mutations)],
                DeclaredContent.Shared(
                    database: database,
                    coder: coder,
                    wallClock: wallClock,
                    errors: errors
                )
            )
        }
        let tables = makeTables(database)
        precondition(
            // SQLite ignores the case of a table's name.
            Set(tables.map { $0.name.lowercased() }).count == tables.count
                && Set(tables.map { ObjectIdentifier($0.type) }).count == tables.count,
            """
            A graph declares each type once, and each name once, whatever its case: \
            \(tables.map { "\($0.type) as \"\($0.name)\"" }.joined(separator: ", ")).
            """
        )
        self.lockTimeout = lockTimeout
        self.path = path
        self.makeTables = makeTables
        self.errors = errors
        self.mutationPrefix = mutationPrefix
        self.tables = tables
        self.coder = coder
        self.database = database
        fileIdentity = try FileIdentity(of: database)
        self.clock = clock
        stopwatch = clock.startStopwatch()
        self.wallClock = wallClock
        self.flushInterval = flushInterval
        self.onError = onError
    }

    /// Reports the errors of rows, outside a transaction.
    func reportErrors() {
        for error in errors.list { onError(error) }
        errors.list = []
    }

    // MARK: Attaching

    func attach(to cache: Cache) async throws(SQLiteGraphError) {
        precondition(
            attachment == nil,
            """
            The graph of \(path) is attached already\
            \(attachment?.cache === cache ? " to this cache" : ", to another cache"): attach it \
            once, or call detach() before.
            """
        )
        try checkNotSuspended()
        if database.isLost { try attachAgain(isReported: false) }
        try recovering { () throws(SQLiteGraphError) in
            fileIdentity = try FileIdentity(of: database)
            try prepareTables()
        }
        importedNumber = nil
        addJournals(to: cache)
        perturbThread()
        watchFile()
        // Upgrades can make SQLite's log long.
        scheduleCopyingOfLog()
        do throws(SQLiteGraphError) {
            try await loadAtStart()
        } catch {
            // The cache lacks states of the file, and must not replace them.
            for token in attachment?.tokens ?? [] { token.dispose() }
            attachment = nil
            throw error
        }
    }

    func prepareTables() throws(SQLiteGraphError) {
        isPrepared = false
        defer { reportErrors() }
        for table in tables { try table.prepare() }
        isPrepared = true
    }

    /// Prepares the tables of a graph that hasn't been attached yet.
    func prepareTablesIfNeeded() throws(SQLiteGraphError) {
        try checkNotSuspended()
        if isPrepared || attachment != nil { return }
        try recovering { () throws(SQLiteGraphError) in try prepareTables() }
    }

    private func addJournals(to cache: Cache) {
        let recorder = GraphRecorder(self, gate)
        let access = CacheAccess(recorder, to: cache)
        var tokens = [cache.add(recorder)]
        var types: [TypeJournal] = []
        for table in tables {
            let (journal, token) = table.makeJournal(of: cache, access) { [weak self] in
                self?.scheduleFlush()
            }
            types.append(journal)
            tokens.append(token)
        }
        recorder.setJournals(access, types)
        tokens.append(access.add(recorder, of: tables.map(\.type)))
        attachment = Attachment(
            cache: cache,
            access: access,
            recorder: recorder,
            types: types,
            tokens: tokens
        )
    }

    func detach() throws(SQLiteGraphError) {
        // A flush also writes the last changes of a cache that has been deallocated.
        guard let attachment else { return try flush() }
        try openFile()
        try flush()
        // The flush may have found that the cache has been deallocated.
        if self.attachment != nil { endRecording(of: attachment) }
        try writeLastChanges()
        // The file is then complete without SQLite's log.
        try? database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }
}
#endif
