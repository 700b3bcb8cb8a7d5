#if canImport(SQLite3) || canImport(CSQLite)
import FlatCache

extension GraphEngine {
    /// Writes the changes, and closes the file, even if they can't be written.
    ///
    /// The call blocks the thread while the file is locked, so that a later call of `resume()`
    /// finds the graph suspended.
    func suspend() throws(SQLiteGraphError) {
        if isSuspended { return }
        defer { closeFile() }
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
