#if canImport(SQLite3) || canImport(CSQLite)
import FlatCache
import Foundation

extension GraphEngine {
    /// Writes all changes up to now, as one transaction.
    ///
    /// If the file is damaged or lost, the method writes them to the file that is then at the path.
    /// If it throws, the changes are kept for the next flush.
    ///
    /// - Parameter isRepeated: `true` if the method has already recovered.
    func flush(isRepeated: Bool = false) throws(SQLiteGraphError) {
        if let attachment, attachment.access.isClosed {
            // A thread that holds the writers' lock may still be ending the cache. This call waits
            // for the lock.
            attachment.access.putBack([])
            takeLastChanges(of: attachment.recorder)
        }
        // The values of a cache that was attached later are newer, so they're written later.
        try writeLastChanges()
        guard let attachment else { return endWaitsForFlush() }
        try checkNotSuspended()
        var hasEnded = false
        do throws(SQLiteGraphError) {
            if database.isLost { try attachAgain() }
            try writeChanges(attachment)
            hasEnded = !attachment.access.confirm(attachment.journals)
        } catch {
            attachment.access.putBack(attachment.journals)
            endFailedWriting()
            guard try recover(from: error), !isRepeated else { throw error }
            return try flush(isRepeated: true)
        }
        if hasEnded {
            // The recorder has read the changes. This flush may have lacked them.
            takeLastChanges(of: attachment.recorder)
            try writeLastChanges()
        }
        endWaitsForFlush()
    }

    /// Imports the transactions of others, and writes the changes to the state of the file that
    /// results, while no other connection writes.
    private func writeChanges(_ attachment: Attachment) throws(SQLiteGraphError) {
        // Most imports happen here, before the file is locked: they call observers. If the file is
        // lost, all entities are changes afterwards.
        try importLatest()
        guard hasChanges(attachment) else { return }
        let latest = try database.transaction { () throws(SQLiteGraphError) in
            try importTransactions()
            return try writeRows(of: try takeMergedChanges(attachment))
        }
        if let latest { (importedNumber, importedToken) = latest }
        endFlush(isWritten: latest != nil)
    }

    private func hasChanges(_ attachment: Attachment) -> Bool {
        attachment.access.pendingCount(of: attachment.journals) > 0
            || tables.contains(where: \.hasUses)
    }

    /// Takes the changes, after rows were merged beneath values that memory lacked before.
    private func takeMergedChanges(
        _ attachment: Attachment
    ) throws(SQLiteGraphError) -> [any TypeChanges] {
        while true {
            var changes = attachment.access.withSnapshot(taking: attachment.journals) {
                takenChanges(of: attachment, in: $0)
            }
            perturbThread()
            var beneath: [ReadRows] = []
            for (table, changes) in zip(tables, changes) {
                if let rows = try table.readBeneath(changes) { beneath.append(rows) }
            }
            if beneath.isEmpty { return changes }
            // The merged values are changes, too, so the changes are taken again. If no copy of
            // them is left, they are put back without being copied.
            changes = []
            attachment.access.putBack(attachment.journals)
            store(beneath, .writing, attachment)
        }
    }

    /// Reads the values of changes that were taken.
    ///
    /// To take changes, the engine needs the writers' lock. The recorder holds that lock while it
    /// waits for the gate, so the gate is closed only afterwards.
    func takenChanges(of attachment: Attachment, in snapshot: CacheSnapshot) -> [any TypeChanges] {
        gate.begin()
        defer { gate.end() }
        // If the cache has ended, the recorder has read the values.
        return attachment.access.isClosed
            ? [] : attachment.types.map { $0.takenChanges(snapshot) }
    }

    /// Returns whether there are changes, uses of rows, or undecodable rows to write.
    ///
    /// Without the changes of a cache that has ended, the other ones are written later.
    func mustWrite(_ changes: [any TypeChanges]) -> Bool {
        changes.contains { !$0.isEmpty } || !changes.isEmpty && tables.contains(where: \.hasUses)
    }

    /// Writes changes of all types as part of a transaction.
    ///
    /// If the transaction fails, the caller ends the writing of the tables.
    ///
    /// - Returns: The number and the random number of the latest transaction afterwards, or `nil`
    ///   if there was nothing to write.
    func writeRows(
        of changes: [any TypeChanges]
    ) throws(SQLiteGraphError) -> (number: Int64, token: Int64?)? {
        guard mustWrite(changes) else { return nil }
        if tables.contains(where: \.hasBounds) {
            try ClockHistory.record(WallTime(wallClock()), after: stopwatch(), in: database)
            stopwatch = clock.startStopwatch()
        }
        let transaction = try newTransaction()
        for (table, changes) in zip(tables, changes) {
            try table.write(changes, transaction)
        }
        // If only uses of rows were written, there is no record of the transaction.
        let latest = try database.log.latest()
        return (latest, latest == transaction.number ? transaction.token : importedToken)
    }

    func newTransaction() throws(SQLiteGraphError) -> NewTransaction {
        NewTransaction(
            number: try database.log.latest() + 1,
            token: Int64.random(in: 1 ... .max),
            listLimit: try listLimit()
        )
    }

    func endFlush(isWritten: Bool) {
        if isWritten { announceTransaction() }
        for table in tables { table.endWriting(isCommitted: isWritten) }
        reportErrors()
        if isWritten {
            transactionCount += 1
            lastFlush = wallClock()
            compact()
        }
        scheduleCopyingOfLog()
    }

    /// Ends the writing of changes that another attempt will write.
    func endFailedWriting() {
        for table in tables { table.endWriting(isCommitted: false) }
        // The other attempt encodes the values again.
        errors.list.removeAll { $0.kind == .unencodable }
        reportErrors()
    }

    /// Flushes, and throws the refusal of a type whose changes flushes have left out.
    func flush(surviving event: SQLiteGraph.Survival) async throws(SQLiteGraphError) {
        try await waitingForLock { () throws(SQLiteGraphError) in
            guard event == .powerLoss else { return try flush() }
            try recovering { () throws(SQLiteGraphError) in
                try flush()
                try synchronize()
            }
        }
        let refused = attachment == nil ? nil : tables.first(where: \.hasUnwrittenChanges)
        if let refusal = refused?.refusal { throw refusal }
    }

    /// Writes a transaction, and waits until the disk has stored it and all earlier ones.
    func synchronize() throws(SQLiteGraphError) {
        try checkNotSuspended()
        try database.execute("PRAGMA synchronous = FULL; PRAGMA fullfsync = ON")
        defer { try? database.execute("PRAGMA synchronous = NORMAL; PRAGMA fullfsync = OFF") }
        try database.transaction { () throws(SQLiteGraphError) in
            try database.execute("UPDATE flatcache_syncs SET number = number + 1")
        }
    }

    // These methods write the last changes of a cache that has been deallocated, or from which the
    // graph is detached.

    /// Writes the last changes of a cache that has been deallocated.
    func close(_ recorder: GraphRecorder) async {
        takeLastChanges(of: recorder)
        // No change of the cache schedules another flush, so the engine tries for a minute.
        for _ in 0..<60 {
            do throws(SQLiteGraphError) {
                return try await waitingForLock { () throws(SQLiteGraphError) in
                    try writeLastChanges()
                }
            } catch {
                onError(error)
            }
            await clock.beginInterval(Self.retryInterval)()
        }
    }

    /// Takes the last changes of a cache, unless a flush has taken them.
    func takeLastChanges(of recorder: GraphRecorder) {
        guard let changes = recorder.takeLastChanges() else { return }
        keep(changes)
        if attachment?.recorder === recorder { attachment = nil }
    }

    /// Keeps the last changes of a cache until they're written.
    private func keep(_ changes: [any TypeChanges]) {
        // Without changes, the file need not be opened or created.
        guard mustWrite(changes) else { return }
        lastChanges.append(LastChanges(changes: changes, time: WallTime(wallClock())))
    }

    /// Ends the connection to a cache, and keeps the commits since the latest flush as its last
    /// changes.
    func endRecording(of attachment: Attachment) {
        let journals = attachment.journals
        let changes = attachment.access.withSnapshot(taking: journals, endsJournals: true) {
            takenChanges(of: attachment, in: $0)
        }
        if attachment.access.confirm(journals) {
            keep(changes)
            self.attachment = nil
        } else {
            takeLastChanges(of: attachment.recorder)
        }
        for token in attachment.tokens { token.dispose() }
    }

    /// Writes the last changes of detached caches and of caches that have been deallocated, if any
    /// are left.
    ///
    /// A suspended graph opens its file for them, and closes it again.
    func writeLastChanges() throws(SQLiteGraphError) {
        let wasSuspended = isSuspended
        defer { if wasSuspended, !isSuspended { closeFile() } }
        var isRepeated = false
        while !lastChanges.isEmpty {
            do throws(SQLiteGraphError) {
                try openFile()
                if database.isLost { try attachAgain() }
                let latest = try database.transaction { () throws(SQLiteGraphError) in
                    try checkContent()
                    return try writeRows(of: try mergedWithRows(lastChanges[0]))
                }
                endFlush(isWritten: latest != nil)
                lastChanges.removeFirst()
            } catch {
                endFailedWriting()
                guard try recover(from: error), !isRepeated else { throw error }
                isRepeated = true
            }
        }
    }

    private func mergedWithRows(_ last: LastChanges) throws(SQLiteGraphError) -> [any TypeChanges] {
        let (records, isComplete) =
            try importedNumber.map { (number) throws(SQLiteGraphError) in
                try database.log.recordsLeft(after: number)
            } ?? ([], true)
        var merged: [any TypeChanges] = []
        for (table, changes) in zip(tables, last.changes) {
            let others = ChangesOfOthers(records, isComplete: isComplete, of: table.name)
            merged.append(try table.mergedWithRows(changes, others, takenAt: last.time))
        }
        return merged
    }
}
#endif
