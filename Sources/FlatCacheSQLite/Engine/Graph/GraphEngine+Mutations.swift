#if canImport(SQLite3) || canImport(CSQLite)
import FlatCache
import FlatCacheFoundation

/// The state of the queue whose mutations a graph stores, and of the lease to send them.
struct MutationSending {
    /// The queue whose mutations the graph stores.
    weak var queue: (any AnyObject & Sendable)?
    /// The number of attempts that run.
    var attemptCount = 0
    var isHeartbeatScheduled = false
    /// `true` if this graph has taken the lease and hasn't released it.
    var holdsLease = false
    /// The number by which the file names this graph as the holder of the lease.
    let holder = Int64.random(in: 1 ... .max)
    /// The calls that wait for a flush.
    var waits: [CheckedContinuation<Void, Never>] = []

    /// The time after which a holder that doesn't renew its lease loses it, in milliseconds.
    static let leaseDuration: Int64 = 10_000
    /// The time between two renewals while an attempt runs.
    static let heartbeat: Duration = .seconds(1)
}

extension GraphEngine: MutationStore {
    func beginMutations(
        of account: String,
        for queue: any AnyObject & Sendable
    ) async throws -> [PendingMutation] {
        precondition(
            mutations.queue == nil,
            "The graph of \(path) has a queue of mutations already: call its close() first."
        )
        mutations.queue = queue
        try checkNotSuspended()
        if attachment == nil {
            try prepareTablesIfNeeded()
        } else {
            // An earlier removal of all concerns the account of the former queue.
            await storeCommits()
        }
        let prefix = PendingMutation.prefix(of: account)
        mutationPrefix.withLock { $0 = prefix }
        guard let table = tables.last as? DurableTable<PendingMutation> else { return [] }
        let rows = try reading { () throws(SQLiteGraphError) in
            let identifiers = try table.identifiers(withPrefixes: [prefix])
            return try table.read(identifiers.compactMap { try? table.form.decode($0) })
        }
        if let refusal = table.refusal { throw refusal }
        return rows.map(\.value)
    }

    func attachMutations(to cache: Cache) async throws {
        if let attachment {
            precondition(
                attachment.cache === cache,
                "The graph of \(path) is attached to another cache than that of its mutations."
            )
            try await loadAll(PendingMutation.self)
        } else {
            try await attach(to: cache)
        }
        precondition(
            (attachment?.journals.last as? ChangeJournal<PendingMutation>)?.isRecording ?? true,
            "Another graph of the cache keeps its mutations: pass that graph as storedIn."
        )
    }

    func storeCommits() async {
        // The commits before a detachment are stored. Later ones are when the graph is attached
        // again, and aren't sent before.
        if attachment == nil { return }
        do throws(SQLiteGraphError) {
            return try await waitingForLock { () throws(SQLiteGraphError) in try flush() }
        } catch {
            if error.kind != .suspended {
                onError(error)
                scheduleRetry()
            }
        }
        // The queue was released meanwhile.
        if mutations.queue == nil { return }
        // The next flush writes the commits.
        await withCheckedContinuation { mutations.waits.append($0) }
    }

    func closeMutations(of queue: any AnyObject & Sendable) async {
        guard mutations.queue === queue else { return }
        do throws(SQLiteGraphError) {
            // An earlier removal of all concerns the account of this queue.
            try await waitingForLock { () throws(SQLiteGraphError) in try flush() }
        } catch {
            if error.kind != .suspended { onError(error) }
        }
        guard mutations.queue === queue else { return }
        mutations.queue = nil
        mutationPrefix.withLock { $0 = nil }
        endWaitsForFlush()
    }

    nonisolated func endMutations() {
        Task { await self.endWaitsForFlush() }
    }

    /// Continues the calls that wait for a flush.
    func endWaitsForFlush() {
        let waits = mutations.waits
        mutations.waits = []
        for wait in waits { wait.resume() }
    }

    // MARK: The lease

    func beginSending() async -> Bool {
        await storeCommits()
        do throws(SQLiteGraphError) {
            guard try await waitingForLock({ () throws(SQLiteGraphError) in try takeLease() })
            else { return false }
        } catch {
            if error.kind != .suspended { onError(error) }
            return false
        }
        mutations.attemptCount += 1
        scheduleHeartbeat()
        return true
    }

    func endSending() async {
        mutations.attemptCount -= 1
        guard mutations.attemptCount == 0, !isSuspended else { return }
        // The changes are flushed first: the next process that takes the lease must find them.
        do throws(SQLiteGraphError) {
            try await waitingForLock { () throws(SQLiteGraphError) in
                try flush()
                if mutations.attemptCount == 0 { releaseLease() }
            }
        } catch {
            // The lease expires, and the next flush stores the changes.
            if error.kind != .suspended { onError(error) }
        }
    }

    /// Takes or renews the lease; returns `false` if another process holds it.
    ///
    /// The same transaction imports the changes of other processes, so that a mutation isn't sent
    /// again after another process has ended it.
    private func takeLease() throws(SQLiteGraphError) -> Bool {
        try checkNotSuspended()
        if attachment == nil { return false }
        return try recovering { () throws(SQLiteGraphError) in
            try database.transaction { () throws(SQLiteGraphError) in
                try importTransactions()
                try database.execute(
                    """
                    CREATE TABLE IF NOT EXISTS flatcache_sender (holder INTEGER NOT NULL, \
                    expires INTEGER NOT NULL)
                    """
                )
                let now = WallTime(wallClock()).milliseconds
                let end = now + MutationSending.leaseDuration
                // A lease that ends later was taken before the clock was set back.
                let other = try database.number(
                    "SELECT 1 FROM flatcache_sender WHERE holder != ? AND expires BETWEEN ? AND ?",
                    mutations.holder,
                    now + 1,
                    end
                )
                if other != nil { return false }
                try database.execute("DELETE FROM flatcache_sender")
                try database.statement(
                    "INSERT INTO flatcache_sender (holder, expires) VALUES (?, ?)"
                ).run(mutations.holder, end)
                mutations.holdsLease = true
                return true
            }
        }
    }

    /// Releases the lease, if this process holds it.
    func releaseLease() {
        guard mutations.holdsLease else { return }
        mutations.holdsLease = false
        // If that fails, the lease expires.
        try? database.transaction { () throws(SQLiteGraphError) in
            try database.statement("DELETE FROM flatcache_sender WHERE holder = ?").run(
                mutations.holder
            )
        }
    }

    private func scheduleHeartbeat() {
        if mutations.isHeartbeatScheduled { return }
        mutations.isHeartbeatScheduled = true
        schedule(after: MutationSending.heartbeat) { engine in
            engine.mutations.isHeartbeatScheduled = false
            guard engine.mutations.attemptCount > 0 else { return }
            // Without the lease, attempts that have begun continue, and no others begin.
            _ = try? await engine.waitingForLock { () throws(SQLiteGraphError) in
                try engine.takeLease()
            }
            engine.scheduleHeartbeat()
        }
    }
}
#endif
