#if canImport(SQLite3) || canImport(CSQLite)
import FlatCache
import FlatCachePersistence
import Foundation

// These methods import the transactions of other graphs, in this process or another one.
extension GraphEngine {
    func watchFile() {
        let log = URL(fileURLWithPath: database.logPath)
        monitor = FileWriteMonitor(url: log) { [weak self] _ in
            guard let self else { return }
            #if TestHooks
            Perturbation.delayThread()
            #endif
            Task { await self.importInBackground() }
        }
    }

    /// Announces a transaction of this graph to the monitors of others.
    ///
    /// SQLite publishes a transaction in mapped memory, after the write that monitors see, and
    /// monitors wait a little for further writes. Setting the times of SQLite's log is an event
    /// after the transaction, and monitors report it at once.
    func announceTransaction() {
        utimes(database.logPath, nil)
    }

    /// Imports the transactions of others, or continues with the file at the path of a lost file.
    func importInBackground() async {
        guard attachment != nil, !isSuspended else { return }
        if database.isLost {
            // A flush opens the file that is at the path now. Without one, the next flush creates
            // it, unless another process does so first. A failed attempt changes the files, too.
            if FileManager.default.fileExists(atPath: path) { await flushInBackground() }
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
    func importTransactions() throws(SQLiteGraphError) {
        guard let attachment, !attachment.access.isClosed else { return }
        let log = TransactionLog(database: database)
        let time = WallTime(wallClock())
        let latest = try log.latest()
        guard let imported = importedNumber else { return try setImported(latest, at: time) }
        try checkContent()
        if hasOtherContent { return scheduleFlush() }
        if latest == imported { return try setImported(latest, at: time) }
        let (records, isComplete) = try log.recordsLeft(after: imported)
        try importChanges(of: records, isComplete: isComplete, attachment)
        try setImported(latest, at: time)
    }

    /// Compares the content of the file with the transactions that memory has shown.
    ///
    /// If the content was replaced, the next flush opens the file again, as if it were lost.
    func checkContent() throws(SQLiteGraphError) {
        let isRenewed = try FileIdentity.number(in: database) != fileIdentity.number
        if try showsOtherContent(database, isRenewed: isRenewed) {
            // An earlier content can bring back the number that another graph knows, so each graph
            // that notices other content renews it.
            hasOtherContent = true
            mustRenewIdentity = true
        } else if isRenewed {
            fileIdentity = try FileIdentity(of: database)
            mustRenewIdentity = false
        }
    }

    /// Returns whether a file lacks transactions that memory has shown.
    ///
    /// - Parameters:
    ///   - database: The connection.
    ///   - isRenewed: `true` if another graph has noticed that the content was replaced.
    func showsOtherContent(
        _ database: Database,
        isRenewed: Bool
    ) throws(SQLiteGraphError) -> Bool {
        guard let importedNumber, importedNumber > 0 else { return false }
        let log = TransactionLog(database: database)
        if try log.latest() < importedNumber { return true }
        guard let importedWriter, let writer = try log.writer(of: importedNumber) else {
            return isRenewed
        }
        return writer != importedWriter
    }

    /// Records that memory shows all transactions up to a number, unless the cache has ended.
    ///
    /// A cache that has ended may not have shown them, so its last changes are compared with them.
    private func setImported(_ number: Int64, at time: WallTime) throws(SQLiteGraphError) {
        if attachment?.access.isClosed ?? true { return }
        if number != importedNumber {
            importedNumber = number
            importedWriter = try TransactionLog(database: database).writer(of: number)
        }
        // If the file is lost, the file at the path may have later transactions.
        if !database.isLost { agreementTime = time }
    }

    /// Imports the transactions that others have written to the file at the path since memory last
    /// showed the lost file.
    func importFileAtPath() throws(SQLiteGraphError) {
        defer { for table in tables { report(table.endReading(database)) } }
        try database.read { () throws(SQLiteGraphError) in
            guard let attachment, !attachment.access.isClosed, let time = agreementTime else {
                return
            }
            let log = TransactionLog(database: database)
            let left = try log.recordsLeft(after: 0)
            let records = left.records.filter { $0.written.milliseconds >= time.milliseconds }
            let firstKept = WallTime(wallClock()).milliseconds - TransactionLog.keptMilliseconds
            let hasAll = left.isComplete || time.milliseconds >= firstKept
            try importChanges(
                of: records,
                isComplete: true,
                changedSince: hasAll ? nil : time,
                attachment
            )
            try restoreMissing(attachment)
            importedNumber = nil
            try setImported(try log.latest(), at: WallTime(wallClock()))
        }
    }

    /// Stores the rows of the file at the path that memory lacks: the rows to load at the start,
    /// and the rows of observed entities.
    ///
    /// Memory then lacks no row of these kinds, as after attaching the graph.
    private func restoreMissing(_ attachment: Attachment) throws(SQLiteGraphError) {
        var rows = try readAtStart()
        rows += try readReached(attachment.access.missingObserved, attachment)
        store(rows, .restoring, attachment)
    }

    /// Reads the rows that records concern, and stores them in one commit.
    private func importChanges(
        of records: [TransactionRecord],
        isComplete: Bool,
        changedSince changeTime: WallTime? = nil,
        _ attachment: Attachment
    ) throws(SQLiteGraphError) {
        // All types are compared at one time, so that a transaction wins or loses as a whole if it
        // can.
        let time = PresentTime(wall: WallTime(wallClock()), instant: attachment.access.now)
        var rows: [ReadRows] = []
        for (table, journal) in zip(tables, attachment.journals) where table.isCurrent {
            let changes = ChangesOfOthers(
                records,
                isComplete: isComplete,
                keepsMissing: mustWriteAll,
                changedSince: changeTime,
                of: table.name,
                for: writer
            )
            let read = try table.readChanges(
                changes,
                journal,
                database,
                at: time,
                since: shownNumber
            )
            if let read { rows.append(read) }
        }
        // Without these rows, an observed list would lack elements until they're loaded.
        rows += try readReached(rows.flatMap(\.reached), attachment)
        store(rows, .writing, attachment)
    }

    /// Reads the rows of entities that memory lacks and that observations will reach, and those of
    /// the entities that they will reach through these rows.
    private func readReached(
        _ entities: [ReachedEntity],
        _ attachment: Attachment
    ) throws(SQLiteGraphError) -> [ReadRows] {
        var read: [ReadRows] = []
        var known: Set<CacheKey> = []
        var next = entities
        while !next.isEmpty {
            let missing = attachment.access.missing(next).filter { known.insert($0.key).inserted }
            let entities = Dictionary(grouping: missing, by: \.key.typeIdentifier)
            next = []
            for (table, journal) in zip(tables, attachment.journals) where table.isCurrent {
                guard let entities = entities[ObjectIdentifier(table.type)],
                    let rows = try table.readReached(entities, journal, database)
                else { continue }
                read.append(rows)
                next += rows.reached
            }
        }
        return read
    }

    /// Reports the errors of rows, and stores the rows in one commit.
    func store(
        _ rows: [ReadRows],
        _ mode: CacheAccess.WriteMode,
        _ attachment: Attachment
    ) {
        for rows in rows { report(rows.errors) }
        guard rows.contains(where: { $0.count > 0 }) else { return }
        attachment.access.write(mode) { transaction in
            for rows in rows { rows.restore(transaction) }
        }
    }
}
#endif
