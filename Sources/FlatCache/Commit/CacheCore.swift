public import Synchronization

/// The state of a cache, and the operations on it.
///
/// Only the `CacheCore+…` files acquire the writers' lock and deliver notifications.
///
/// A `Cache` owns its core, and closes it when it is deallocated. Handles, tokens and batches
/// retain the core instead of the cache. So they don't keep the cache alive, and need no weak
/// reference: reading one is slow.
///
/// Lock order: `writerLock` first. Under it, or without it, a thread briefly takes one of the
/// following locks at a time: those of a table (of each stripe, the count, the invalidations and
/// the whole values), the directory, the clock, the timeline, a delivery queue, `ownQueues`,
/// `deferredWork`, `loads`, `loaders`, `reportedProblems`, `loadFailures`, `observedLoads`, a
/// loading handle, `sources`, `sourceCalls`, `pageLoads`, the changes that a journal's participant
/// writes, the scope of an ingest, the timer, an observer, or a token. Five are exceptions, each in
/// this order: all stripes of emptied tables, the clock and the counts; the directory and a new
/// table's stripes; a table's invalidations and the clock; `observedLoads` and a loading handle; a
/// loading handle and the delivery queue. `ConcurrencyDesign.md` lists the guarded state.
@usableFromInline
final class CacheCore: @unchecked Sendable {
    // `writerLock` guards `writer` and the wake time in `policies`. All other properties are safe
    // by themselves.

    @usableFromInline let clock = CommitClock()
    @usableFromInline let tables: TableDirectory
    let writerLock = WriterLock()
    /// Guarded by `writerLock`.
    @usableFromInline let writer = Writer()
    let deliveryQueue: DeliveryQueue
    let policies: EvictionPolicies
    let timer: ExpirationTimer
    let deferredWork = Locked(DeferredWork())
    /// The delivery queues of observations with a separate delivery, by registration number.
    let ownQueues = Locked<[UInt64: DeliveryQueue]>([:])
    let registrationCount = Atomic<UInt64>(0)
    /// The number of observations that haven't ended, for descriptions.
    let observerCount = Atomic<Int>(0)
    /// `true` if a background thread is doing the deferred work.
    let isMaintained = Atomic<Bool>(false)
    /// `true` if any type has lifetimes or was invalidated.
    private let timed = Atomic<Bool>(false)
    /// `true` if the lifetimes of requests have been set.
    let requestLimits = Atomic<Bool>(false)
    @usableFromInline let closed = Atomic<Bool>(false)
    let loads = SingleFlight<CacheKey, LoadAnswer>()
    let loaders = Locked(Loaders())
    /// `true` from the first requirement of whole values on, of any type.
    let hasRequirements = Atomic<Bool>(false)
    let reportedProblems = Locked<Set<ReportedProblem>>([])
    let onDiagnostic: @Sendable (CacheDiagnostic) -> Void
    let loadFailures = Locked(LoadFailures())
    let observedLoads = Locked(ObservedLoads())
    /// `true` if removals and invalidations must look for remembered failures and loading handles,
    /// because there may be some.
    @usableFromInline let watchesLoads = Atomic<Bool>(false)
    /// The number of tokens that keep observations from loading.
    let loadPauseCount = Atomic<Int>(0)
    /// The number of the latest removal or invalidation that loading handles were notified of.
    let withdrawalCount = Atomic<UInt64>(0)
    /// A random offset of the times at which failed loads are repeated.
    ///
    /// Machines whose loads fail together therefore don't repeat them together: see `endOfPause`.
    let pausePhase = UInt64.random(in: 0...UInt64.max)
    let sources = Locked(EntitySources())
    /// `true` if there may be sources.
    @usableFromInline let asksSources = Atomic<Bool>(false)
    let sourceCalls = SingleFlight<CacheKey, Bool>()
    @usableFromInline let pageLoads = SingleFlight<PageRequest, PageOutcome>()
    let sharedQueries = Locked(SharedQueries())
    /// The threads that run closures of queries without the writers' lock.
    let queryThreads = QueryThreads()
    let indexes = Locked(CacheIndexes())
    /// `true` if a deriver has something to write even if no commit changes anything.
    let mustDerive = Atomic<Bool>(false)

    init(_ configuration: CacheConfiguration) {
        deliveryQueue = DeliveryQueue(configuration.delivery)
        policies = EvictionPolicies(configuration)
        tables = TableDirectory(
            clock: clock,
            policies: policies,
            segmentSize: configuration.segmentSize
        )
        timer = ExpirationTimer(policies.timeline)
        onDiagnostic = configuration.onDiagnostic
        writer.hasLimits = !policies.isEmpty
        writer.countsPins = writer.hasLimits
        if writer.hasLimits { beginToRecordTimes() }
    }

    #if TestHooks
    deinit { StateTracking.didChangeAtomically(StateTracking.lockless) }
    #endif

    /// The time of the next expiry, guarded by `writerLock`.
    var wakeTime: WakeTime { policies.wakeTime }

    /// `true` if any type can have lifetimes, or has been invalidated.
    ///
    /// Any thread can read this property.
    var isTimed: Bool { timed.load(ordering: .relaxed) }

    func beginToRecordTimes() { timed.store(true, ordering: .relaxed) }

    /// `true` if the cache has been deallocated.
    @inlinable var isClosed: Bool { closed.load(ordering: .acquiring) }

    /// Empties the core after its cache is deallocated.
    ///
    /// Handles read `nil` from now on.
    ///
    /// An identifier's `==` can release the cache, under a lock that the emptying needs. Another
    /// thread then empties the core.
    func close() {
        closed.store(true, ordering: .releasing)
        let isUnlocked =
            observedLoads.lock.isSoonFree() && tables.allTables.allSatisfy(\.areStripesSoonFree)
        if isUnlocked {
            finishClosing()
        } else {
            runOnNewThread { [self] in finishClosing() }
        }
    }

    private func finishClosing() {
        timer.end()
        for load in observedLoads.withLock({ $0.loads(in: .all) }) { load.close() }
        let former = sources.withLock { $0.removeAll() }
        withExtendedLifetime(former) {}
        deferWork { $0.mustClose = true }
    }
}

/// The work that needs the writers' lock, deferred by threads that must not wait for it.
struct DeferredWork {
    /// The removals of ended observations and pins from the writer's state.
    var ended: [@Sendable (Writer) -> Void] = []
    /// `true` if the core must be emptied, because its cache has been deallocated.
    var mustClose = false
    /// The layers whose handles were released before they ended.
    var releasedLayers: [LayerRecord] = []

    var isEmpty: Bool { ended.isEmpty && !mustClose && releasedLayers.isEmpty }
}

extension CacheCore {
    @inlinable @inline(__always)
    func get<Value: Identifiable & Sendable>(
        _ type: Value.Type,
        id: Value.ID,
        at version: UInt64? = nil
    ) -> Value? where Value.ID: Sendable {
        // Keeps the core alive, and with it the table.
        defer { withExtendedLifetime(self) {} }
        return tables.unmanagedTable(of: type)?._withUnsafeGuaranteedRef {
            $0.value(id: id, hash: $0.hash(of: id), at: version)
        }
    }

    /// Runs a closure with the version of a snapshot that is open until the closure returns.
    @usableFromInline
    func withOpenSnapshot<Result, Failure: Error>(
        _ body: (UInt64) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let version = clock.openSnapshot()
        defer { closeSnapshot(version) }
        return try body(version)
    }

    func closeSnapshot(_ version: UInt64) {
        clock.closeSnapshot(version)
        doDeferredWorkIfIdle()
    }
}

extension CacheCore {
    /// Traps unless the tables and the watch graph are valid, and the graph agrees with the stored
    /// values.
    ///
    /// For tests, outside of transactions.
    ///
    /// - Complexity: O(*n*) in the number of values and the size of the graph.
    func checkInvariants() {
        withWriterLock("checkInvariants()") { writer in
            precondition(!writer.isInTransaction, "Invariants hold between commits.")
            precondition(
                writer.committedVersion == clock.visibleVersion,
                "The latest commit must be visible."
            )
            precondition(
                writer.nodeChanges.isEmpty,
                "The watch graph must know all changes to nodes between commits."
            )
            for table in tables.allTables { table.checkInvariants() }
            writer.graph.checkInvariants()
            for id in writer.graph.allNodes {
                let node = writer.graph[id]
                let table = tables.table(withTypeIdentifier: node.key.typeIdentifier)
                precondition(
                    table?.entry(of: node.key) == node.entry?.entry,
                    "The node of \(node.key) must have its entry."
                )
                guard let (entry, table) = node.entry else { continue }
                precondition(
                    table.node(of: entry) == id,
                    "The entry of \(node.key) must have its node."
                )
                guard node.isReached else { continue }
                let stored = table.relatedCacheKeys(
                    of: entry,
                    at: writer.committedVersion,
                    in: writer
                )
                let watched = Set(node.related.map { writer.graph[$0.node].key })
                precondition(
                    stored == watched && watched.count == node.related.count,
                    "The relationships of \(node.key) must be the same as its value's."
                )
            }
        }
    }

    /// The number of watched entities.
    ///
    /// For tests.
    var watchedCount: Int { withWriterLock("watchedCount") { $0.graph.count } }
}

/// The objects to release after all locks.
struct ReleasedObjects {
    var objects: [AnyObject] = []
    /// The objects to release on another thread, since it takes long.
    var large: [any AnyObject & Sendable] = []
    /// The memory of closed logs, as a linked list, so that a commit needn't allocate an array.
    var memory: PriorVersionMemory?

    consuming func release() {
        while let current = memory {
            memory = current.nextReleased.take()
            current.release()
        }
        if large.isEmpty { return }
        runOnNewThread { [large] in withExtendedLifetime(large) {} }
    }
}
