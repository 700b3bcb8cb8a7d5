#if canImport(SQLite3) || canImport(CSQLite)
import FlatCache
import Foundation

extension GraphEngine {
    /// Flushes after the interval.
    ///
    /// A journal calls this method under the writers' lock, at its first change after a flush.
    nonisolated func scheduleFlush() {
        Task { [weak self, flushInterval] in
            try? await Task.sleep(for: flushInterval)
            await self?.flushInBackground()
        }
    }

    func flushInBackground() {
        // `resume()` flushes the changes.
        if isSuspended { return }
        do throws(SQLiteGraphError) {
            try flush()
        } catch {
            onError(error)
            scheduleRetry()
        }
    }

    func scheduleRetry() {
        if isRetryScheduled { return }
        isRetryScheduled = true
        Task { [weak self] in
            try? await Task.sleep(for: Self.retryInterval)
            await self?.retry()
        }
    }

    private func retry() {
        isRetryScheduled = false
        flushInBackground()
    }

    /// Writes all changes up to now, as one transaction.
    ///
    /// If it throws, the changes are kept for the next flush.
    func flush() throws(SQLiteGraphError) {
        if let attachment, attachment.access.isClosed {
            // A thread that holds the writers' lock may be ending the cache.
            attachment.access.putBack([])
            takeLastChanges(of: attachment.recorder)
        }
        // The values of a cache that was attached later are newer.
        try writeLastChanges()
        guard let attachment else { return }
        try checkNotSuspended()
        try reopenIfLost()
        let journals = attachment.journals.map(\.journal)
        var isWritten = false
        do throws(SQLiteGraphError) {
            var attempts = 0
            while !isWritten, attempts == 0 || !attachment.access.isClosed {
                isWritten = try writeMergedChanges(
                    attachment,
                    journals,
                    isLast: attempts >= 3
                )
                if isWritten { break }
                attempts += 1
                attachment.access.putBack(journals)
                for table in tables { table.endWriting(isCommitted: false) }
            }
            if isWritten { attachment.access.confirm(journals) }
        } catch {
            attachment.access.putBack(journals)
            for table in tables { table.endWriting(isCommitted: false) }
            try recover(from: error)
            throw error
        }
        // The cache has ended, and its recorder has read the changes.
        if !isWritten { try flush() }
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
        let attempt = { () throws(SQLiteGraphError) -> Outcome? in
            guard let changes = try self.takeMergedChanges(attachment, journals) else { return nil }
            return try self.writeRows(of: changes, after: self.importedNumber)
        }
        let outcome = isLast ? try database.transaction(attempt) : try attempt()
        guard let outcome else { return false }
        importedNumber = outcome.number ?? importedNumber
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
            // Before it runs the closure, the call needs the writers' lock, with which the recorder
            // waits for the gate.
            var changes = attachment.access.withSnapshot(taking: journals) { snapshot in
                gate.begin()
                defer { gate.end() }
                // If the cache has ended, the recorder has read the values.
                return attachment.access.isClosed
                    ? [] : attachment.journals.map { $0.changes(in: snapshot) }
            }
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

    /// The result of a transaction.
    private struct Outcome {
        /// The number of the latest transaction afterwards, or `nil` if there were no changes.
        var number: Int64?
        var errors: [SQLiteGraphError] = []
    }

    /// Writes changes of all types as one transaction.
    ///
    /// If it throws, the caller ends the writing of the tables.
    ///
    /// - Parameters:
    ///   - changes: The changes.
    ///   - number: The number that the latest transaction must have, or `nil` if it may have any.
    /// - Returns: The result, or `nil` if nothing was written because there's a later transaction.
    private func writeRows(
        of changes: [any TypeChanges],
        after number: Int64?
    ) throws(SQLiteGraphError) -> Outcome? {
        guard changes.contains(where: { !$0.isEmpty }) || tables.contains(where: \.hasUses) else {
            return Outcome()
        }
        for (table, changes) in zip(tables, changes) {
            report(table.encode(changes, for: database))
        }
        return try database.transaction { () throws(SQLiteGraphError) in
            let latest = try TransactionLog(database: database).latest()
            if let number, number != latest { return nil }
            var outcome = Outcome()
            let listLimit = try listLimit()
            for table in tables {
                let error = try table.writeEncoded(
                    database,
                    number: latest + 1,
                    writer: writer,
                    listLimit: listLimit
                )
                if let error { outcome.errors.append(error) }
            }
            // The use of rows has no record.
            outcome.number = try TransactionLog(database: database).latest()
            return outcome
        }
    }

    /// Completes a flush after its transaction.
    private func endFlush(_ outcome: Outcome) {
        if outcome.number != nil {
            announceTransaction()
            transactionCount += 1
            lastFlush = wallClock()
        }
        for table in tables { table.endWriting(isCommitted: true) }
        report(outcome.errors)
        if outcome.number != nil { compact() }
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

    // MARK: The end of the cache

    /// Writes the last changes of a cache that has been deallocated.
    func close(_ recorder: GraphRecorder) async {
        takeLastChanges(of: recorder)
        // The cache can't report a failure any more, so it's repeated for a minute.
        for _ in 0..<60 {
            do throws(SQLiteGraphError) {
                return try writeLastChanges()
            } catch {
                onError(error)
            }
            try? await Task.sleep(for: Self.retryInterval)
        }
    }

    /// Takes the last changes of a cache, unless a flush has taken them.
    private func takeLastChanges(of recorder: GraphRecorder) {
        guard let changes = recorder.takeLastChanges() else { return }
        let isAttached = attachment?.recorder === recorder
        lastChanges.append(
            LastChanges(changes: changes, importedNumber: isAttached ? importedNumber : nil)
        )
        if isAttached {
            attachment = nil
            monitor = nil
        }
    }

    /// Writes the last changes of caches that have been deallocated, if any are left.
    ///
    /// A suspended graph opens its file for them, and closes it again.
    private func writeLastChanges() throws(SQLiteGraphError) {
        let wasSuspended = isSuspended
        defer { if wasSuspended, !isSuspended { closeFile() } }
        while !lastChanges.isEmpty {
            do throws(SQLiteGraphError) {
                // `resume()` flushes, and may write the changes.
                try resume()
                guard let last = lastChanges.first else { return }
                try reopenIfLost()
                let outcome = try database.transaction { () throws(SQLiteGraphError) in
                    try writeRows(of: try mergedWithRows(last), after: nil)
                }
                if let outcome { endFlush(outcome) }
                lastChanges.removeFirst()
            } catch {
                for table in tables { table.endWriting(isCommitted: false) }
                try recover(from: error)
                throw error
            }
        }
    }

    private func mergedWithRows(
        _ last: LastChanges
    ) throws(SQLiteGraphError) -> [any TypeChanges] {
        var (records, isComplete): ([TransactionRecord], Bool) = ([], true)
        if let number = last.importedNumber {
            (records, isComplete) = try TransactionLog(database: database).recordsLeft(
                after: number
            )
        }
        var merged: [any TypeChanges] = []
        for (table, changes) in zip(tables, last.changes) {
            let others = ForeignChanges(
                records,
                isComplete: isComplete,
                of: table.name,
                for: writer
            )
            var errors: [SQLiteGraphError] = []
            defer { report(errors) }
            merged.append(try table.mergedWithRows(changes, others, database, &errors))
            errors += table.endReading(database)
        }
        return merged
    }
}
#endif
