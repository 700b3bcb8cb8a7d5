#if canImport(SQLite3) || canImport(CSQLite)
import FlatCache

// These methods replace a file that was lost or is damaged.
extension GraphEngine {
    /// Opens the file again if it was deleted, moved or replaced, or has got another content.
    ///
    /// - Parameter isReported: A Boolean value that indicates whether the loss is an error.
    func reopenIfLost(isReported: Bool = true) throws(SQLiteGraphError) {
        guard database.isLost || hasOtherContent else { return }
        // The connection still reads the lost file, which may have transactions that memory lacks.
        try? database.read { () throws(SQLiteGraphError) in try importTransactions() }
        if database.isLost { mustRenewIdentity = false }
        database.abandon()
        let (database, damage) = try openPath()
        report(damage.map { [$0] } ?? [])
        try use(database)
        if isReported { report([lostFile]) }
    }

    /// Opens the file at the path after the former one was lost.
    private func openPath() throws(SQLiteGraphError) -> (Database, SQLiteGraphError?) {
        do throws(SQLiteGraphError) {
            return try GraphFile.open(path, lockTimeout: lockTimeout)
        } catch {
            guard error.kind == .failed else { throw error }
            throw SQLiteGraphError(
                .lostFile,
                file: path,
                code: error.code,
                reason: """
                    The file, or the log beside it, was deleted, moved or replaced, and the file \
                    that is there now can't be opened: \(error.reason)
                    """,
                underlyingError: error
            )
        }
    }

    var lostFile: SQLiteGraphError {
        SQLiteGraphError(
            .lostFile,
            file: path,
            reason: """
                The file was deleted, moved or replaced. The graph writes the entities in memory to \
                the file that is there now.
                """
        )
    }

    /// Continues with another file if the present one is damaged or lost; returns whether it is.
    ///
    /// SQLite's error for a lost file depends on the call that has found the loss.
    func recover(from error: SQLiteGraphError) throws(SQLiteGraphError) -> Bool {
        if isSuspended { return false }
        // Another process may have replaced a damaged file.
        if database.isLost {
            try reopenIfLost()
            return true
        }
        guard error.kind == .corrupt else { return false }
        database.abandon()
        let (database, damage) = try GraphFile.replace(
            path,
            lockTimeout,
            because: error
        )
        report(damage.map { [$0] } ?? [])
        try use(database)
        return true
    }

    /// Runs a closure that reads the file, once more if the file is damaged or lost, and was
    /// replaced.
    ///
    /// A transaction can't continue in another file, so its caller recovers.
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

    /// Continues with another file, to which the entities in memory are written.
    ///
    /// If other graphs have written to it since the former file was lost, their changes come first.
    /// If the file is damaged, the method replaces it.
    func use(_ database: Database) throws(SQLiteGraphError) {
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

    /// Prepares another file for reads and flushes, and imports its changes.
    private func prepare(_ database: Database) throws(SQLiteGraphError) {
        self.database = database
        beginRewriting()
        hasOtherContent = false
        importedNumber = nil
        // The transactions of the other file have numbers of their own.
        for index in lastChanges.indices { lastChanges[index].importedNumber = nil }
        do throws(SQLiteGraphError) {
            fileIdentity = try FileIdentity(of: database)
            try prepareTables()
            try importNewFile()
        } catch {
            // Writing needs the tables, so the next flush opens the file again.
            database.abandon()
            throw error
        }
    }
}
#endif
