/// The state of the thread that holds the writers' lock.
///
/// It consists of the open transaction with its savepoints, the watch graph and the participants.
/// Only writers change these, and the writers' lock guards all properties. The type is a class, not
/// a value inside the lock, because user code runs during a transaction and reenters on the same
/// thread.
@usableFromInline
final class Writer {
    /// A piece of user code that must not write to the cache.
    @usableFromInline
    struct UserCode {
        @usableFromInline let name: StaticString
        @usableFromInline let type: Any.Type

        @inlinable
        init(name: StaticString, type: Any.Type) {
            self.name = name
            self.type = type
        }
    }

    /// An action that belongs to a savepoint.
    private enum SavepointAction {
        /// Undoes a side effect if the savepoint is rolled back.
        case undo(() -> Void)
        /// Ends the transaction, unless the savepoint is rolled back, with the withdrawal that it
        /// records.
        case ending(Withdrawal?, () -> Void)
        /// Follows the observers of the commit, unless the savepoint is rolled back.
        case completion(@Sendable () -> Void)

        var completion: (@Sendable () -> Void)? {
            if case .completion(let call) = self { call } else { nil }
        }

        var withdrawal: Withdrawal? {
            if case .ending(let withdrawal, _) = self { withdrawal } else { nil }
        }
    }

    /// The graph calls nothing, so no two accesses to it overlap.
    @exclusivity(unchecked) var graph = WatchGraph()
    /// The changes that tables have made to entries with nodes, and that `graph` doesn't know yet.
    @exclusivity(unchecked) var nodeChanges: [NodeChange] = []
    @exclusivity(unchecked) var participants = CommitParticipants() {
        didSet { reportsWithdrawals = participants.readWithdrawals }
    }
    /// `true` if any participant reads withdrawals.
    @exclusivity(unchecked) @usableFromInline private(set) var reportsWithdrawals = false
    /// The name of the public method that opened the transaction or exchanged a value in place.
    @exclusivity(unchecked) var origin: StaticString = ""
    /// The participant that makes the present transaction, or `nil` if it's a user's.
    @exclusivity(unchecked) @usableFromInline var author: ObjectIdentifier?
    /// `true` if the present transaction only restores earlier values, so that its writes don't
    /// concern the loads that run.
    @exclusivity(unchecked) var isRestoring = false
    /// The missing entities that observations have reached since the lock was acquired, and that a
    /// source may have.
    @exclusivity(unchecked) var missingKeys: [CacheKey] = []
    /// The observed entities whose latest whole values have become stale.
    @exclusivity(unchecked) var staleWholeValues: [CacheKey] = []
    @exclusivity(unchecked) var hasJournals = false
    /// The layers of the types that the open transaction concerns.
    @exclusivity(unchecked) var layers: [TableLayers] = []
    /// The number of the layer that began last.
    @exclusivity(unchecked) var lastLayer: UInt64 = 0
    /// The open layers, by number.
    @exclusivity(unchecked) var openLayers: [UInt64: LayerRecord] = [:]
    /// The orphaned entities to remove before the commit ends, with the reasons for their owners'
    /// removal.
    @usableFromInline var orphans: [(key: CacheKey, reason: RemovalReason)] = []
    /// `true` if any table may have limits or record the freshness of its values.
    @exclusivity(unchecked) var hasLimits = false
    /// `true` if the tables count the pins of lists and aliases, because limits or a trim need
    /// them.
    @exclusivity(unchecked) var countsPins = false
    @exclusivity(unchecked) var leases = PresentLeases()
    @exclusivity(unchecked) var responses = ResponseRelations()
    /// `true` if there are leases, so that each write is recorded.
    @exclusivity(unchecked) @usableFromInline var hasLeases = false
    /// The ticket of the last notifications that were enqueued since the lock was acquired.
    @exclusivity(unchecked) private var ticket: DeliveryTicket?

    @exclusivity(unchecked) @usableFromInline private(set) var committedVersion: UInt64 = 0
    /// The number of open savepoints: one for the transaction, and one for each batch inside it
    /// that can be rolled back alone.
    @exclusivity(unchecked) @usableFromInline private(set) var depth = 0
    @exclusivity(unchecked) private(set) var writtenTables: [any AnyTable] = []
    /// The actions of the open savepoints, in the order of their addition.
    @exclusivity(unchecked) private var actions: [(depth: Int, action: SavepointAction)] = []
    /// The objects to release after all locks.
    @exclusivity(unchecked) private var released = ReleasedObjects()
    @exclusivity(unchecked) @usableFromInline var userCode: UserCode?

    /// `true` if an insertion concerns the watch graph: because a node may wait for the new entry,
    /// or because entries with nodes have moved.
    @usableFromInline var mustUpdateNodes: Bool {
        graph.missingCount > 0 || !nodeChanges.isEmpty
    }

    /// Returns whether the watch graph remains unchanged if the entity of a node gets some
    /// relationships.
    ///
    /// - Parameter keys: A closure that returns the keys of the related entities. The method calls
    ///   it only if they matter.
    @usableFromInline
    func keepsRelationships(of node: WatchNodeID, _ keys: () -> Set<CacheKey>) -> Bool {
        if graph[node].isFollowedByBoundedObservers { return false }
        return !graph[node].isReached || graph.refers(node, exactlyTo: keys())
    }

    var isInTransaction: Bool { depth > 0 }

    @inlinable var isAtOutermostSavepoint: Bool { depth == 1 }

    /// `true` if the open transaction has no writes and no completions.
    @usableFromInline var hasWrittenNothing: Bool {
        writtenTables.isEmpty && !actions.contains { $0.action.completion != nil }
    }

    /// The version of the innermost savepoint's writes.
    ///
    /// It is the version of the next commit, plus one for each inner savepoint, so that the writes
    /// of a savepoint are distinguishable.
    @inlinable var writeVersion: UInt64 { committedVersion + UInt64(depth) }

    /// Makes this thread deliver notifications after it releases the writers' lock.
    func mustDeliver(through ticket: DeliveryTicket?) {
        if let ticket { self.ticket = max(ticket, self.ticket ?? ticket) }
    }

    func takeTicket() -> DeliveryTicket? {
        defer { ticket = nil }
        return ticket
    }

    func takeMissingKeys() -> [CacheKey] {
        if missingKeys.isEmpty { return [] }
        defer { missingKeys = [] }
        return missingKeys
    }

    func takeStaleWholeValues() -> [CacheKey] {
        defer { staleWholeValues = [] }
        return staleWholeValues
    }

    /// Counts a commit that was made without a transaction.
    @usableFromInline
    func countCommit() { committedVersion += 1 }

    /// Passes the tables' changes to entries with nodes on to the watch graph.
    func passOnNodeChanges() {
        guard !nodeChanges.isEmpty else { return }
        graph.apply(nodeChanges)
        nodeChanges = []
    }

    // MARK: Savepoints

    /// Opens a transaction with its outermost savepoint.
    @usableFromInline
    func beginTransaction(_ operation: StaticString) {
        origin = operation
        author = nil
        isRestoring = false
        beginSavepoint()
    }

    func beginSavepoint() { depth += 1 }

    /// Merges the innermost savepoint into the one around it.
    func mergeSavepoint() {
        for table in writtenTables { table.mergeInnermostSavepoint(of: self) }
        depth -= 1
        for index in actions.indices.reversed() {
            if actions[index].depth <= depth { break }
            actions[index].depth = depth
        }
    }

    /// Rolls back all writes of the innermost savepoint, and closes it.
    func rollBackSavepoint() {
        for table in writtenTables { table.rollBackInnermostSavepoint(of: self) }
        passOnNodeChanges()
        while let last = actions.last, last.depth == depth {
            actions.removeLast()
            if case .undo(let undo) = last.action { undo() }
        }
        depth -= 1
    }

    /// Ends the transaction.
    ///
    /// - Parameter version: The version that was published, or `nil` if there was nothing to
    ///   publish.
    /// - Returns: The completions to call, in the order in which their batches ended.
    func endTransaction(committing version: UInt64?) -> [@Sendable () -> Void] {
        if let version { committedVersion = version }
        depth = 0
        leases.ownedByRefused = []
        for layers in layers { layers.endTransaction() }
        layers = []
        // The endings of an answer's transaction record removals as old as the answer.
        defer { leases.storing = nil }
        if actions.isEmpty { return [] }
        var completions: [@Sendable () -> Void] = []
        for (_, action) in actions {
            switch action {
            case .undo: break
            case .ending(_, let end): end()
            case .completion(let call): completions.append(call)
            }
        }
        actions.removeAll(keepingCapacity: actions.count < 64)
        return completions
    }

    /// Reclaims the tables that the transaction has written to, and clears their list.
    func reclaimWrittenTables() {
        for table in writtenTables {
            table.isRecordedAsWritten = false
            table.reclaim(in: self)
        }
        passOnNodeChanges()
        writtenTables.removeAll(keepingCapacity: true)
    }

    func recordWrite(to table: any AnyTable) {
        guard !table.isRecordedAsWritten else { return }
        table.isRecordedAsWritten = true
        writtenTables.append(table)
    }

    func addCompletion(_ completion: @escaping @Sendable () -> Void) {
        actions.append((depth, .completion(completion)))
    }

    // MARK: Undoing

    /// Adds an action that undoes a side effect if the innermost savepoint is rolled back.
    func addUndo(_ undo: @escaping () -> Void) { actions.append((depth, .undo(undo))) }

    /// Adds an action for the end of the transaction, under the writers' lock, after the version is
    /// published.
    ///
    /// It also runs if there's nothing to publish, but not if the innermost savepoint is rolled
    /// back. It must not write.
    func addEnding(recording withdrawal: Withdrawal? = nil, _ ending: @escaping () -> Void) {
        actions.append((depth, .ending(withdrawal, ending)))
    }

    /// The withdrawals of the open transaction, except those that were rolled back.
    var withdrawals: [Withdrawal] {
        actions.compactMap(\.action.withdrawal)
    }

    // MARK: Releasing

    /// Releases an object after the locks.
    @usableFromInline
    func releaseLater(_ object: AnyObject) { released.objects.append(object) }

    /// Releases an object after the locks, on another thread if it's large.
    func releaseLater(_ object: any AnyObject & Sendable, isLarge: Bool) {
        if isLarge { released.large.append(object) } else { releaseLater(object) }
    }

    /// Releases the prior versions of a transaction after the locks.
    func releaseLater(_ memory: PriorVersionMemory) {
        memory.nextReleased = released.memory
        released.memory = memory
    }

    func takeReleased() -> ReleasedObjects {
        defer { released = ReleasedObjects() }
        return released
    }

    // MARK: User code

    /// Runs user code that may read the cache but must not write to it.
    @inlinable
    func runUserCode<Value, Result>(
        _ name: StaticString,
        of type: Value.Type,
        _ body: () -> Result
    ) -> Result {
        let outer = userCode
        userCode = UserCode(name: name, type: type)
        defer { userCode = outer }
        return body()
    }

    // Not specialized in the client: the closure receives its arguments by their addresses anyway.
    @usableFromInline @inline(never)
    func areEqual<Value>(_ left: Value, _ right: Value, _ traits: ValueTraits<Value>) -> Bool {
        guard let isEqual = traits.isEqual else { return false }
        return runUserCode("==", of: Value.self) { isEqual(left, right) }
    }

    /// Traps if the calling thread is running user code that must not call an operation.
    func checkNotInUserCode(_ operation: StaticString) {
        guard let userCode else { return }
        preconditionFailure(
            """
            \(operation) was called from \(userCode.name) of \(userCode.type), in the middle of a \
            write to the same cache. This code may read the cache but not change it: only \
            return the value, and write or observe after the current call.
            """
        )
    }
}

/// Content to release together.
@usableFromInline
final class Released<Content: ~Copyable>: @unchecked Sendable {
    // Nothing reads the content. The last reference releases it, on any thread.

    private let content: Content

    @usableFromInline
    init(_ content: consuming Content) { self.content = content }
}
