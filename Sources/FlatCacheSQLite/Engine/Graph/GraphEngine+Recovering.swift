#if canImport(SQLite3) || canImport(CSQLite)
import FlatCache

// These methods continue after the file was lost or damaged.
extension GraphEngine {
    /// Opens the file at the path if the open file is lost, or if its content was replaced.
    ///
    /// - Parameter isReported: `true` if the loss is an error.
    func reopenIfLost(isReported: Bool = true) throws(SQLiteGraphError) {
        guard database.isLost || hasOtherContent else { return }
        // The connection still reads the lost file. That file may have transactions that memory
        // lacks.
        try? database.read { () throws(SQLiteGraphError) in try importTransactions() }
        database.abandon()
        do throws(SQLiteGraphError) {
            let (database, damage) = try GraphFile.open(path, lockTimeout: lockTimeout)
            report(damage.map { [$0] } ?? [])
            try switchTo(database)
        } catch {
            throw lostFileError(because: error)
        }
        if isReported { report([lostFileError]) }
    }

    /// Returns the error that the file at the path of a lost file can't be used, if SQLite failed
    /// without another cause.
    func lostFileError(because error: SQLiteGraphError) -> SQLiteGraphError {
        guard error.kind == .failed else { return error }
        return SQLiteGraphError(
            .lostFile,
            file: path,
            code: error.code,
            reason: """
                The file, or SQLite's log beside it, was deleted, moved or replaced, and the file \
                at the path can't be used yet: \(error.reason)
                """,
            underlyingError: error
        )
    }

    var lostFileError: SQLiteGraphError {
        SQLiteGraphError(
            .lostFile,
            file: path,
            reason: """
                The file, or SQLite's log beside it, was deleted, moved or replaced, or the \
                content was exchanged. The graph writes the entities in memory to the file at \
                the path.
                """
        )
    }

    /// Continues with the file at the path if the open file is damaged or lost; returns whether it
    /// is.
    ///
    /// SQLite's error for a lost file depends on the call that has found the loss.
    func recover(from error: SQLiteGraphError) throws(SQLiteGraphError) -> Bool {
        if isSuspended { return false }
        // Another process may have replaced a damaged file.
        if database.isLost {
            try reopenIfLost()
            return true
        }
        // SQLite's backup interface has replaced the content with content that lacks the table, or
        // has an earlier format.
        if error.isMissingDefinition(ofTypes: tables.map(\.name)) {
            hasOtherContent = true
            mustRenewIdentity = true
            try reopenIfLost()
            return true
        }
        guard error.kind == .corrupt else { return false }
        try replaceDamagedFile(because: error)
        return true
    }

    /// Continues with a new file that contains the readable rows of the damaged one.
    ///
    /// If there's no space for it, the graph continues to use the damaged file. It copies the rows
    /// again when there's more space.
    private func replaceDamagedFile(because cause: SQLiteGraphError) throws(SQLiteGraphError) {
        let space = FileIdentity.space(besideFileAt: path)
        if let failure = failedReplacement, let space, space <= failure.space {
            throw failure.error
        }
        failedReplacement = nil
        let (replacement, damage): (Database, SQLiteGraphError?)
        do throws(SQLiteGraphError) {
            (replacement, damage) = try GraphFile.replace(
                path,
                lockTimeout,
                because: cause,
                closing: database
            )
        } catch {
            if error.kind == .diskFull, let space { failedReplacement = (space, error) }
            throw error
        }
        report(damage.map { [$0] } ?? [])
        try switchTo(replacement)
    }

    /// Runs a closure that uses the file, and once more if the file is damaged or lost.
    ///
    /// Before the second time, the method continues with the file at the path. A transaction can't
    /// continue in another file. Inside one, the method throws, and the caller that began the
    /// transaction recovers.
    func recovering<Result>(
        _ body: () throws(SQLiteGraphError) -> Result
    ) throws(SQLiteGraphError) -> Result {
        do throws(SQLiteGraphError) {
            return try body()
        } catch {
            guard !database.isInTransaction, try recover(from: error) else { throw error }
            return try body()
        }
    }

    /// Continues with the file at the path, to which the next flush writes the entities in memory.
    ///
    /// First, the method imports the changes that other graphs have written to it since the loss.
    /// If the file is damaged, the method replaces it.
    func switchTo(_ database: Database) throws(SQLiteGraphError) {
        do throws(SQLiteGraphError) {
            try prepare(database)
        } catch {
            guard error.kind == .corrupt else { throw error }
            let (replacement, damage) = try GraphFile.replace(path, lockTimeout, because: error)
            report(damage.map { [$0] } ?? [])
            try prepare(replacement)
        }
        if attachment != nil { scheduleFlush() }
    }

    /// Prepares the file at the path for reads and flushes, and imports its changes.
    private func prepare(_ database: Database) throws(SQLiteGraphError) {
        self.database = database
        beginRewriting()
        hasOtherContent = false
        importedNumber = nil
        // The file at the path numbers its transactions separately.
        for index in lastChanges.indices { lastChanges[index].importedNumber = nil }
        do throws(SQLiteGraphError) {
            fileIdentity = try FileIdentity(of: database)
            try prepareTables()
            try importFileAtPath()
        } catch {
            // Writing needs the tables, so the next flush opens the file again.
            database.abandon()
            throw error
        }
    }
}
#endif
