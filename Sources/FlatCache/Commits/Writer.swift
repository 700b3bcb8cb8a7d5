/// What the thread that has the writers' lock is doing: the open transaction and its levels, and
/// the watch graph, which only writers change.
///
/// Everything here is guarded by the writers' lock. A reference, not a value under the lock,
/// because closures of users run in the middle, and come back here through the same thread.
@usableFromInline
final class Writer {
    /// A piece of a user's code that must not write to the cache.
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

    var graph = WatchGraph()
    /// Those who want to know what should be fetched again.
    var refreshObservers = RegistrationList<AnyObserver>()
    /// Stale entities that have come to be watched, of which those are to be told.
    var staleWatched: [CacheKey] = []
    /// What belonged to values that have been removed, and is to be removed, too.
    @usableFromInline var orphans: [(key: CacheKey, reason: RemovalReason)] = []
    /// Whether any table has limits, so that it matters what lists and aliases pin.
    @exclusivity(unchecked) var hasLimits = false
    /// The last notifications that have been enqueued since the lock was taken.
    @exclusivity(unchecked) private var ticket: DeliveryTicket?

    /// The version of the latest commit.
    @exclusivity(unchecked) @usableFromInline private(set) var committedVersion: UInt64 = 0
    /// How many levels are open: one for a transaction, one more for each unit inside it that is
    /// taken back alone if it fails.
    @exclusivity(unchecked) @usableFromInline private(set) var depth = 0
    /// The tables that the transaction has written to.
    @exclusivity(unchecked) private(set) var writtenTables: [any AnyTable] = []
    @exclusivity(unchecked) private var completions:
        [(depth: Int, completion: @Sendable () -> Void)] = []
    /// What else must be undone if a level is taken back.
    @exclusivity(unchecked) private var undos: [(depth: Int, undo: () -> Void)] = []
    /// What has been displaced, to be released when all locks are.
    @exclusivity(unchecked) @usableFromInline var released: [AnyObject] = []
    @exclusivity(unchecked) @usableFromInline var userCode: UserCode?

    /// Whether a new entry must look for a node that waits for it.
    @usableFromInline var hasMissingNodes: Bool { graph.missingCount > 0 }

    var isInTransaction: Bool { depth > 0 }

    @inlinable var isAtOutermostLevel: Bool { depth == 1 }

    /// Whether the open transaction has neither written nor has anything to do at its end.
    @usableFromInline var hasWrittenNothing: Bool { writtenTables.isEmpty && completions.isEmpty }

    /// The version of what is written now: that of the commit to come, and above it one for each
    /// inner level, so that a level knows what it has written.
    @inlinable var level: UInt64 { committedVersion + UInt64(depth) }

    /// Has the thread deliver notifications when it has released the writers' lock.
    func mustDeliver(through ticket: DeliveryTicket?) {
        if let ticket { self.ticket = max(ticket, self.ticket ?? ticket) }
    }

    func takeTicket() -> DeliveryTicket? {
        defer { ticket = nil }
        return ticket
    }

    /// Counts a commit that was made without a transaction.
    @usableFromInline
    func noteCommit() { committedVersion += 1 }

    // MARK: Levels

    @usableFromInline
    func beginLevel() { depth += 1 }

    /// Makes the innermost of several levels part of the one around it.
    func mergeLevel() {
        for table in writtenTables { table.mergeInnermostLevel(of: self) }
        depth -= 1
        var index = completions.count - 1
        while index >= 0, completions[index].depth > depth {
            completions[index].depth = depth
            index -= 1
        }
        for index in undos.indices.reversed() {
            if undos[index].depth <= depth { break }
            undos[index].depth = depth
        }
    }

    /// Takes back all that was written at the innermost level, and closes it.
    func rollBackLevel() {
        for table in writtenTables { table.rollBackInnermostLevel(of: self) }
        completions.removeAll { $0.depth == depth }
        while let last = undos.last, last.depth == depth { undos.removeLast().undo() }
        depth -= 1
    }

    /// Ends the transaction, which has been published as a version, or left nothing to publish.
    ///
    /// - Returns: The completions to call, in the order in which their batches ended.
    func endTransaction(committing version: UInt64?) -> [@Sendable () -> Void] {
        if let version { committedVersion = version }
        depth = 0
        undos = []
        defer { completions = [] }
        return completions.map(\.completion)
    }

    /// Settles and forgets the tables that the transaction has written to.
    func settleWrittenTables() {
        for table in writtenTables {
            table.isNotedAsWritten = false
            table.settle(in: self)
        }
        writtenTables.removeAll(keepingCapacity: true)
    }

    func noteWrite(to table: any AnyTable) {
        guard !table.isNotedAsWritten else { return }
        table.isNotedAsWritten = true
        writtenTables.append(table)
    }

    func addCompletion(_ completion: @escaping @Sendable () -> Void) {
        completions.append((depth, completion))
    }

    func takeStaleWatched() -> [CacheKey] {
        defer { staleWatched = [] }
        return staleWatched
    }

    // MARK: Undoing

    /// Has something undone, beside what is written, if the innermost level is taken back.
    func addUndo(_ undo: @escaping () -> Void) { undos.append((depth, undo)) }

    // MARK: Displaced values

    @inlinable
    func releaseLater(_ object: AnyObject) { released.append(object) }

    @inlinable
    func releaseLater<Object: AnyObject>(_ objects: [Object?]) {
        released.append(Released(objects))
    }

    /// What must be released after the locks; the caller lets it go.
    func takeReleased() -> [AnyObject] {
        defer { released = [] }
        return released
    }

    // MARK: User code

    /// Runs a user's code that may read the cache but not write to it.
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

    @inlinable
    func areEqual<Value>(_ left: Value, _ right: Value, _ traits: ValueTraits<Value>) -> Bool {
        guard let isEqual = traits.isEqual else { return false }
        return runUserCode("==", of: Value.self) { isEqual(left, right) }
    }

    /// Traps if the calling thread is inside a piece of a user's code that must not do this.
    func checkNotInUserCode(_ operation: StaticString) {
        guard let userCode else { return }
        preconditionFailure(
            """
            \(operation) was called from \(userCode.name) of \(userCode.type), in the middle of a \
            write to the same cache. There the cache may be read but not changed: return the value \
            only, and write or observe after the call that is under way.
            """
        )
    }
}

/// Objects that wait together to be released.
@usableFromInline
final class Released<Object: AnyObject> {
    private let objects: [Object?]

    @usableFromInline
    init(_ objects: [Object?]) { self.objects = objects }
}
