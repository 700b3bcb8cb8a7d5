extension LiveQuery {
    /// Keeps the result current until the token ends.
    ///
    /// The call doesn't wait for another thread's write. The first hold runs the query.
    func hold(in core: CacheCore, _ operation: StaticString) -> Disposable {
        let registration = PendingRegistration(
            number: core.nextRegistration(),
            add: { [unowned core] _ in self.addHold(in: core) }
        )
        _ = core.tables.table(of: State.self)
        prepareIndexes(in: core)
        // The run begins before the registration, so no other thread begins it afterwards.
        let run = firstRun.withLock { $0.begin() }
        let version = core.register(registration, operation, opensSnapshot: true)
        if let run {
            let scan = scan(in: core, at: version, recordsReads: definition.usesReader)
            let isNeeded = firstRun.withLock { $0.end(run, with: scan) }
            if !isNeeded { core.closeSnapshot(version) }
            core.requestDerivation()
        } else {
            core.closeSnapshot(version)
        }
        let token = core.token(for: registration) { [unowned core] _ in self.removeHold(in: core) }
        guard registration.isWaiting else { return token }
        // The token may cancel the registration, and then nothing takes the result of the run.
        return Disposable(stopping: token.dispose) {
            core.deferWork { $0.ended.append { _ in self.abandonFirstRun(in: core) } }
        }
    }

    /// Closes the snapshot of a first run whose holders have ended before the cache added them.
    private func abandonFirstRun(in core: CacheCore) {
        guard holdCount == 0, phase == .idle, let scan = firstRun.withLock({ $0.reset() }) else {
            return
        }
        core.clock.closeSnapshot(scan.version)
    }

    private func addHold(in core: CacheCore) {
        holdCount += 1
        guard phase == .idle else { return }
        phase = .waitingForFirstRun
        let deriver = core.queryDeriver()
        deriver.begin(self, of: table)
        for index in definition.readIndexes { index.follow(with: deriver) }
        // A run that has ended has requested a derivation, but perhaps in a commit before this
        // hold.
        let (hasBegun, isRunning) = firstRun.withLock { run in
            // If no thread has begun a run, the commit runs the query, and no thread does so
            // meanwhile.
            defer { if !run.hasBegun { run.supersede() } }
            return (run.hasBegun, run.isRunning)
        }
        mustRunInCommit = !hasBegun
        if !isRunning { core.requestDerivation() }
        let writer = core.writer
        // If the hold was added after a commit had been published, the query has missed that
        // commit, whose changes are still there.
        let hasMissed = !writer.isInTransaction && !writer.writtenTables.isEmpty
        recordedSince = hasMissed ? writer.committedVersion - 1 : writer.committedVersion
        if hasMissed { missedKeys = writer.changedKeys(at: writer.committedVersion) }
    }

    private func removeHold(in core: CacheCore) {
        holdCount -= 1
        guard holdCount == 0, let deriver = core.writer.participants.first(QueryDeriver.self)
        else { return }
        deriver.requestEnd(of: self)
    }
}

extension Writer {
    /// Returns the keys of the entities that the open transaction, or the commit that has just been
    /// published, has changed.
    func changedKeys(at version: UInt64) -> Set<CacheKey> {
        let deriver = participants.first(QueryDeriver.self)
        // A transaction with savepoints has several versions.
        let base = version == committedVersion ? version - 1 : committedVersion
        var keys: Set<CacheKey> = []
        for table in writtenTables where !table.isDerived {
            keys.formUnion(table.changedKeys(version: version))
            deriver?.insertKeys(ofIndexed: table, changedSince: base, into: &keys)
        }
        return keys
    }
}

extension CacheCore {
    /// Returns the deriver of queries, and adds it for the first query.
    ///
    /// The caller holds the writers' lock.
    func queryDeriver() -> QueryDeriver {
        if let present = writer.participants.first(QueryDeriver.self) { return present }
        let registration = nextRegistration()
        let deriver = QueryDeriver(self, registration: registration)
        writer.participants.insert(deriver, for: registration)
        return deriver
    }
}

/// The first run of a query that begins to be kept current.
struct QueryFirstRun<Element: Identifiable & Sendable, Payload: QueryPayload>
where Element.ID: Sendable {
    private var number = 0
    private(set) var hasBegun = false
    /// The result, whose snapshot is open.
    private var result: QueryScan<Element, Payload>?

    var isRunning: Bool { hasBegun && result == nil }

    /// Begins the run; returns its number, or `nil` if a thread has begun it before.
    mutating func begin() -> Int? {
        if hasBegun { return nil }
        hasBegun = true
        number += 1
        return number
    }

    /// Stores the result of a run; returns whether the run is still needed.
    mutating func end(_ run: Int, with scan: QueryScan<Element, Payload>) -> Bool {
        guard hasBegun, run == number else { return false }
        result = scan
        return true
    }

    /// Returns the result once, when the run has ended.
    mutating func takeResult() -> QueryScan<Element, Payload>? { result.take() }

    /// Makes the results of other threads unneeded, because a commit runs the query.
    mutating func supersede() {
        hasBegun = true
        number += 1
    }

    /// Makes another run possible; returns the result unless a commit has taken it.
    mutating func reset() -> QueryScan<Element, Payload>? {
        hasBegun = false
        return result.take()
    }
}

/// The rows of a query as of an open snapshot, from a run without the writers' lock.
struct QueryScan<Element: Identifiable & Sendable, Payload: QueryPayload>
where Element.ID: Sendable {
    let version: UInt64
    let rows: QueryRows<Element.ID, Payload>
    /// The identifiers of the rows that have read an entity.
    let dependents: [CacheKey: Set<Element.ID>]
    /// The functions that make the deriver follow the types that have been read.
    let types: [@Sendable (QueryDeriver) -> Void]
}
