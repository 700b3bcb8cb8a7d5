#if canImport(SQLite3) || canImport(CSQLite)
import FlatCache
import FlatCachePersistence
import Foundation

// These methods import the transactions of other graphs, in this process or another one.
extension GraphEngine {
    /// Begins to watch the file for transactions of others.
    func watchFile() {
        let log = URL(fileURLWithPath: database.logPath)
        monitor = FileWriteMonitor(url: log) { [weak self] _ in
            guard let self else { return }
            Task { await self.importInBackground() }
        }
    }

    /// Announces a transaction of this graph to the monitors of others.
    ///
    /// SQLite publishes a transaction in mapped memory, after the write that monitors see, and
    /// monitors wait a little for further writes. A change of the log's times is an event after the
    /// transaction, which they report at once.
    func announceTransaction() {
        utimes(database.logPath, nil)
    }

    private func importInBackground() {
        guard attachment != nil, !isSuspended else { return }
        if database.isLost {
            // A flush opens the file that is at the path now. Without one, the next flush creates
            // it, unless another process does so first.
            if FileManager.default.fileExists(atPath: path) { flushInBackground() }
            return
        }
        do throws(SQLiteGraphError) {
            try reading { () throws(SQLiteGraphError) in }
        } catch {
            onError(error)
        }
    }

    /// Runs a closure that reads the file, in one transaction for reading, after the transactions
    /// of others were imported.
    ///
    /// Memory shows the state of the file that the closure reads, except for its own unwritten
    /// changes.
    func reading<Result>(
        _ body: () throws(SQLiteGraphError) -> Result
    ) throws(SQLiteGraphError) -> Result {
        defer { for table in tables { report(table.endReading(database)) } }
        return try recovering { () throws(SQLiteGraphError) in
            try database.read { () throws(SQLiteGraphError) in
                try importTransactions()
                return try body()
            }
        }
    }

    /// Imports the transactions of others that the present read shows, as one commit.
    private func importTransactions() throws(SQLiteGraphError) {
        guard let attachment, !attachment.access.isClosed else { return }
        let log = TransactionLog(database: database)
        let latest = try log.latest()
        guard let imported = importedNumber, imported != latest else {
            importedNumber = latest
            return
        }
        if latest < imported {
            // Another file has the number of the imported one, which was deleted.
            importedNumber = latest
            report([lostFile])
            return attachment.access.recordAll(in: attachment.journals.map(\.journal))
        }
        let (records, isComplete) = try log.recordsLeft(after: imported)
        // All types are compared at one time, so that a transaction wins or loses as a whole if it
        // can.
        let time = PresentTime(wall: WallTime(wallClock()), instant: attachment.access.now)
        var rows: [ReadRows] = []
        for (table, journal) in zip(tables, attachment.journals) where table.isCurrent {
            let changes = ForeignChanges(
                records,
                isComplete: isComplete,
                of: table.name,
                for: writer
            )
            let read = try table.readChanges(changes, journal, database, at: time)
            if let read { rows.append(read) }
        }
        for rows in rows { report(rows.errors) }
        importedNumber = latest
        guard rows.contains(where: { $0.count > 0 }) else { return }
        attachment.access.write(.writing) { transaction in
            for rows in rows { rows.restore(transaction) }
        }
    }
}
#endif
