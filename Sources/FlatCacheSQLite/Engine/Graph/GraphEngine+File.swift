#if canImport(SQLite3) || canImport(CSQLite)
import FlatCache

// These methods continue after the file was lost or damaged.
extension GraphEngine {
    /// Continues with the file at the path of a lost file, or whose content was replaced.
    ///
    /// - Parameter isReported: `true` if the loss is an error.
    func attachAgain(isReported: Bool = true) throws(SQLiteGraphError) {
        // The connection still reads the lost file. That file may have transactions that memory
        // lacks.
        try? database.read { () throws(SQLiteGraphError) in try importTransactions() }
        database.abandon()
        do throws(SQLiteGraphError) {
            try attachAgain(to: GraphFile.open(path, lockTimeout, onDamage: onError))
        } catch {
            if attachment != nil { scheduleRetry() }
            throw lostFileError(because: error)
        }
        if isReported { onError(lostFileError()) }
    }

    /// Continues with an open file as if the graph were attached to the cache again: the next flush
    /// writes all entities in memory, and memory gets the rows that it lacks.
    ///
    /// If the file is damaged, the method replaces it.
    func attachAgain(to database: Database) throws(SQLiteGraphError) {
        do throws(SQLiteGraphError) {
            do throws(SQLiteGraphError) {
                try prepare(database)
            } catch {
                guard error.kind == .corrupt else { throw error }
                let damaged = (database, error)
                try prepare(
                    GraphFile.open(path, lockTimeout, replacing: damaged, onDamage: onError)
                )
            }
        } catch {
            // Writing needs the tables, so the next flush opens the file again.
            self.database.abandon()
            throw error
        }
    }

    private func prepare(_ database: Database) throws(SQLiteGraphError) {
        self.database = database
        importedNumber = nil
        let identity = try FileIdentity(of: database)
        try prepareTables()
        if let attachment, !attachment.access.isClosed {
            attachment.access.recordAll(in: attachment.journals)
            defer { endReading() }
            try database.read { () throws(SQLiteGraphError) in
                try storeMissing(attachment)
                try importTransactions()
            }
        }
        // Until then, the file counts as another one, also after a suspension.
        fileIdentity = identity
    }

    /// Returns the error of a lost file, or the error that makes the file at the path unusable.
    func lostFileError(because error: SQLiteGraphError? = nil) -> SQLiteGraphError {
        // SQLite may have failed without another cause.
        if let error, error.kind != .failed { return error }
        let consequence =
            error.map { ", and the file at the path can't be used yet: \($0.reason)" }
            ?? ". The graph writes the entities in memory to the file at the path."
        return SQLiteGraphError(
            .lostFile,
            file: path,
            code: error?.code,
            reason: """
                The file, its content, or SQLite's log beside it was deleted, moved or \
                replaced\(consequence)
                """,
            underlyingError: error
        )
    }

    /// Continues with the file at the path if the open file is damaged or lost; returns whether it
    /// is.
    ///
    /// SQLite's error for a lost file depends on the call that has found the loss.
    func recover(from error: SQLiteGraphError) throws(SQLiteGraphError) -> Bool {
        if isSuspended { return false }
        // Another process may have replaced a damaged file, and SQLite's backup interface may have
        // replaced the content with content that lacks a table.
        if database.isLost || error.kind == .lostFile
            || error.isMissingDefinition(ofTypes: tables.map(\.name))
        {
            try attachAgain()
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
        let space = FileStatus.space(besideFileAt: path)
        if let failure = failedReplacement, let space, space <= failure.space {
            throw failure.error
        }
        failedReplacement = nil
        let new: Database
        do throws(SQLiteGraphError) {
            let damaged = (database, cause)
            new = try GraphFile.open(path, lockTimeout, replacing: damaged, onDamage: onError)
        } catch {
            if error.kind == .diskFull, let space { failedReplacement = (space, error) }
            throw error
        }
        try attachAgain(to: new)
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

    /// Writes the changes, and closes the file, even if they can't be written.
    ///
    /// The call blocks the thread while the file is locked, so that a later call of `resume()`
    /// finds the graph suspended.
    func suspend() throws(SQLiteGraphError) {
        if isSuspended { return }
        defer {
            releaseLease()
            closeFile()
        }
        try flush()
    }

    func closeFile() {
        monitor = nil
        isSuspended = true
        database.close()
    }

    /// Opens the file again, imports the transactions of others, and writes the changes.
    func resume() async throws(SQLiteGraphError) {
        guard isSuspended else { return }
        try openFile()
        guard attachment != nil else { return }
        do throws(SQLiteGraphError) {
            try await waitingForLock { () throws(SQLiteGraphError) in
                if !isSuspended { try flush() }
            }
        } catch {
            // The flush that was scheduled for the changes has found the graph suspended.
            scheduleRetry()
            throw error
        }
    }

    /// Opens the file of a suspended graph again, and begins to watch it if the graph is attached.
    func openFile() throws(SQLiteGraphError) {
        guard isSuspended else { return }
        let database: Database
        var isDamaged = false
        do throws(SQLiteGraphError) {
            database = try GraphFile.open(path, lockTimeout) {
                isDamaged = true
                onError($0)
            }
        } catch {
            // SQLite can't read a log whose shared memory belongs to a deleted one.
            throw error.isShortRead ? lostFileError(because: error) : error
        }
        isSuspended = false
        do throws(SQLiteGraphError) {
            if try FileIdentity(of: database) != fileIdentity {
                try attachAgain(to: database)
                if !isDamaged { onError(lostFileError()) }
            } else {
                self.database = database
                // Another process may have upgraded the rows.
                try recovering { () throws(SQLiteGraphError) in try prepareTables() }
            }
        } catch {
            self.database.close()
            isSuspended = true
            throw error
        }
        guard attachment != nil else { return }
        perturbThread()
        watchFile()
    }

    func checkNotSuspended() throws(SQLiteGraphError) {
        guard isSuspended else { return }
        throw SQLiteGraphError(
            .suspended,
            file: path,
            reason: "The graph is suspended: call resume() first."
        )
    }
}
#endif
