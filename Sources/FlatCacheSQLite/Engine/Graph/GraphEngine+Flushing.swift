#if canImport(SQLite3) || canImport(CSQLite)
import FlatCache
import Foundation

extension GraphEngine {
    /// Flushes after the interval.
    ///
    /// A journal calls this method under the writers' lock, at its first change after a flush.
    nonisolated func scheduleFlush() {
        let sleep = clock.beginInterval(flushInterval)
        Task { [weak self] in
            await sleep()
            await self?.flushInBackground()
        }
    }

    func flushInBackground() async {
        // `resume()` or the next attempt flushes the changes.
        if isSuspended || isRetryScheduled { return }
        do throws(SQLiteGraphError) {
            try await waitingForLock { () throws(SQLiteGraphError) in
                if !isSuspended { try flush() }
            }
        } catch {
            onError(error)
            scheduleRetry()
        }
    }

    func scheduleRetry() {
        if isRetryScheduled { return }
        isRetryScheduled = true
        let sleep = clock.beginInterval(Self.retryInterval)
        Task { [weak self] in
            await sleep()
            await self?.retry()
        }
    }

    private func retry() async {
        isRetryScheduled = false
        await flushInBackground()
    }

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
        guard let attachment else { return }
        try checkNotSuspended()
        let journals = attachment.journals.map(\.journal)
        var isWritten = false
        var hasEnded = false
        do throws(SQLiteGraphError) {
            var attempts = 0
            while !isWritten, attempts == 0 || !attachment.access.isClosed {
                try reopenIfLost()
                isWritten = try writeMergedChanges(
                    attachment,
                    journals,
                    isLast: attempts >= 3 || mustWriteAll
                )
                if isWritten { break }
                attempts += 1
                attachment.access.putBack(journals)
                for table in tables { table.endWriting(isCommitted: false) }
            }
            hasEnded = !isWritten || !attachment.access.confirm(journals)
        } catch {
            attachment.access.putBack(journals)
            for table in tables { table.endWriting(isCommitted: false) }
            guard try recover(from: error), !isRepeated else { throw error }
            return try flush(isRepeated: true)
        }
        if hasEnded {
            // The recorder has read the changes. This flush may have lacked them.
            takeLastChanges(of: attachment.recorder)
            try writeLastChanges()
        }
    }

    /// Imports the transactions of others, and writes the changes to the state of the file that
    /// results; returns `false` if another transaction came in between.
    ///
    /// The file isn't locked while changes are encoded, unless it's the last attempt.
    private func writeMergedChanges(
        _ attachment: Attachment,
        _ journals: [any AnyChangeJournal],
        isLast: Bool
    ) throws(SQLiteGraphError) -> Bool {
        let shown = (importedNumber, importedWriter, fileIdentity)
        let rewrites = mustWriteAll
        let attempt = { () throws(SQLiteGraphError) -> Outcome? in
            let number = rewrites ? try self.writeUnchanged(attachment) : nil
            guard let changes = try self.takeMergedChanges(attachment, journals),
                // The content of the file must not have been replaced in the meantime.
                !self.hasOtherContent, self.mustWriteAll == rewrites,
                var outcome = try self.writeRows(of: changes, after: self.importedNumber)
            else { return nil }
            outcome.number = outcome.number ?? number
            return outcome
        }
        var outcome: Outcome?
        do throws(SQLiteGraphError) {
            outcome = isLast ? try database.transaction(attempt) : try attempt()
        } catch {
            // The transaction may have contained the unchanged entities.
            if rewrites { (importedNumber, importedWriter, fileIdentity) = shown }
            throw error
        }
        guard let outcome else { return false }
        if let number = outcome.number, number != importedNumber {
            (importedNumber, importedWriter) = (number, writer)
        }
        if rewrites { endRewriting() }
        endFlush(outcome)
        return true
    }

    /// Takes the changes, after rows were merged beneath values that memory lacked before.
    ///
    /// - Returns: The changes, or `nil` if memory doesn't show the transactions of others yet.
    private func takeMergedChanges(
        _ attachment: Attachment,
        _ journals: [any AnyChangeJournal]
    ) throws(SQLiteGraphError) -> [any TypeChanges]? {
        try reading { () throws(SQLiteGraphError) in }
        while true {
            var changes = attachment.access.withSnapshot(taking: journals) {
                readChanges(of: attachment, in: $0)
            }
            #if TestHooks
            Perturbation.delayThread()
            #endif
            guard let beneath = try readBeneath(changes) else { return nil }
            if beneath.isEmpty { return changes }
            for rows in beneath { report(rows.errors) }
            // The merged values are changes, too, so the changes are taken again. If no copy of
            // them is left, they are put back without being copied.
            changes = []
            attachment.access.putBack(journals)
            attachment.access.write(.writing) { transaction in
                for rows in beneath { rows.restore(transaction) }
            }
        }
    }

    /// Reads the values of changes that were taken.
    ///
    /// To take changes, the engine needs the writers' lock. The recorder holds that lock while it
    /// waits for the gate, so the gate is closed only afterwards.
    func readChanges(
        of attachment: Attachment,
        in snapshot: CacheSnapshot
    ) -> [any TypeChanges] {
        gate.begin()
        defer { gate.end() }
        // If the cache has ended, the recorder has read the values.
        return attachment.access.isClosed
            ? [] : attachment.journals.map { $0.changes(in: snapshot) }
    }

    /// Reads the rows to merge beneath values that memory lacked before, or returns `nil` if memory
    /// doesn't show the transactions of others yet.
    private func readBeneath(
        _ changes: [any TypeChanges]
    ) throws(SQLiteGraphError) -> [ReadRows]? {
        defer { for table in tables { report(table.endReading(database)) } }
        return try database.read { () throws(SQLiteGraphError) in
            guard try TransactionLog(database: database).latest() == importedNumber else {
                return nil
            }
            var beneath: [ReadRows] = []
            for (table, changes) in zip(tables, changes) {
                if let rows = try table.readBeneath(changes, database) { beneath.append(rows) }
            }
            return beneath
        }
    }

    struct Outcome {
        /// The number of the latest transaction afterwards, or `nil` if there were no changes.
        var number: Int64?
        var errors: [SQLiteGraphError] = []
    }

    /// Returns whether there are changes, or uses of rows, to write.
    func mustWrite(_ changes: [any TypeChanges]) -> Bool {
        changes.contains { !$0.isEmpty } || tables.contains(where: \.hasUses)
    }

    /// Writes changes of all types as one transaction.
    ///
    /// If it throws, the caller ends the writing of the tables.
    ///
    /// - Parameters:
    ///   - changes: The changes.
    ///   - number: The number that the latest transaction must have, or `nil` if it may have any.
    /// - Returns: The result, or `nil` if nothing was written because there's a later transaction.
    func writeRows(
        of changes: [any TypeChanges],
        after number: Int64?
    ) throws(SQLiteGraphError) -> Outcome? {
        guard mustWrite(changes) else { return Outcome() }
        for (table, changes) in zip(tables, changes) {
            report(table.encode(changes, for: database))
        }
        #if TestHooks
        Perturbation.delayThread()
        #endif
        return try database.transaction { () throws(SQLiteGraphError) in
            let latest = try TransactionLog(database: database).latest()
            if let number {
                // The content may have been replaced while the changes were encoded.
                try checkContent()
                if number != latest || hasOtherContent { return nil }
            }
            try recordTime()
            let next = max(latest, greatestNumber) + 1
            var outcome = Outcome()
            let listLimit = try listLimit()
            for table in tables {
                let error = try table.writeEncoded(
                    database,
                    number: next,
                    writer: writer,
                    listLimit: listLimit
                )
                if let error { outcome.errors.append(error) }
            }
            // If only uses of rows were written, there is no record, and `next` isn't the number.
            outcome.number = try TransactionLog(database: database).latest()
            return outcome
        }
    }

    /// Records the present time in the history of the clock, as part of a transaction, if a limit
    /// depends on it.
    private func recordTime() throws(SQLiteGraphError) {
        guard tables.contains(where: \.hasBounds) else { return }
        try ClockHistory.record(WallTime(wallClock()), after: stopwatch(), in: database)
        stopwatch = clock.startStopwatch()
    }

    func endFlush(_ outcome: Outcome) {
        if let number = outcome.number {
            greatestNumber = max(greatestNumber, number)
            announceTransaction()
            transactionCount += 1
            lastFlush = wallClock()
            if !database.isLost { agreementTime = lastFlush.map(WallTime.init) }
        }
        for table in tables { table.endWriting(isCommitted: true) }
        report(outcome.errors)
        if outcome.number != nil { compact() }
        scheduleCopyingOfLog()
    }

    /// Flushes, and throws the refusal of a type whose changes flushes have left out.
    func flush(surviving event: SQLiteGraph.Survival) async throws(SQLiteGraphError) {
        try await waitingForLock { () throws(SQLiteGraphError) in try write(surviving: event) }
    }

    private func write(surviving event: SQLiteGraph.Survival) throws(SQLiteGraphError) {
        try flush()
        if event == .powerLoss {
            do throws(SQLiteGraphError) {
                try synchronize()
            } catch {
                guard try recover(from: error) else { throw error }
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
}
#endif
