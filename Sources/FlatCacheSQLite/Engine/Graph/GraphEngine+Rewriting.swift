#if canImport(SQLite3) || canImport(CSQLite)
import FlatCache

// These methods write the entities in memory to the file at the path of a lost file.
extension GraphEngine {
    /// Makes the next flush write all entities in memory to the file at the path.
    func beginRewriting() {
        guard let attachment else { return }
        greatestNumber = max(greatestNumber, importedNumber ?? 0)
        shownNumber = greatestNumber
        // The cache may end before the next flush.
        attachment.recorder.setMustWriteAll(true)
        for table in tables { table.isRewriting = true }
    }

    /// Makes later flushes write only changes, since the file has all entities in memory.
    func endRewriting() {
        shownNumber = nil
        mustRenewIdentity = false
        attachment?.recorder.setMustWriteAll(false)
        for table in tables { table.isRewriting = false }
    }

    var mustWriteAll: Bool { shownNumber != nil }

    /// Writes the entities in memory that have no unwritten changes and that the file doesn't show,
    /// with a separate number; returns the number.
    ///
    /// Their time is before all changes, so they never replace a change. The caller has locked the
    /// file, since a transaction of another graph in between would seem earlier than this one.
    func writeUnchanged(_ attachment: Attachment) throws(SQLiteGraphError) -> Int64? {
        try reading { () throws(SQLiteGraphError) in }
        if hasOtherContent { return nil }
        // The merged values are changes. The caller writes them next.
        var merged: [ReadRows] = []
        for (table, entities) in zip(tables, unchanged(attachment)) {
            if let rows = try table.readBeneath(entities, database) { merged.append(rows) }
        }
        store(merged, .writing, attachment)
        defer { for table in tables { table.endWriting(isCommitted: false) } }
        let outcome = try writeRows(of: unchanged(attachment), after: importedNumber)
        report(outcome?.errors ?? [])
        try renewIdentity()
        guard let number = outcome?.number else { return nil }
        (importedNumber, importedWriter) = (number, writer)
        return number
    }

    /// Runs a closure as a transaction that gives the file another random number if its content was
    /// replaced.
    func renewing<Result>(
        _ body: () throws(SQLiteGraphError) -> Result
    ) throws(SQLiteGraphError) -> Result {
        let identity = fileIdentity
        do throws(SQLiteGraphError) {
            return try database.transaction { () throws(SQLiteGraphError) in
                // The closure may check the file's random number, so the number is renewed last.
                let result = try body()
                try renewIdentity()
                return result
            }
        } catch {
            fileIdentity = identity
            throw error
        }
    }

    /// Gives the file another random number if its content was replaced, as part of a transaction.
    private func renewIdentity() throws(SQLiteGraphError) {
        guard mustRenewIdentity else { return }
        try FileIdentity.renew(in: database)
        fileIdentity = try FileIdentity(of: database)
    }

    /// Renews the file's random number if its content was replaced since the graph's former cache
    /// has shown it.
    func announceExchange() throws(SQLiteGraphError) {
        try database.read { () throws(SQLiteGraphError) in try checkContent() }
        // An earlier attempt may have found the other content and failed to write.
        guard mustRenewIdentity else { return }
        try renewing { () throws(SQLiteGraphError) in }
        hasOtherContent = false
    }

    private func unchanged(_ attachment: Attachment) -> [any TypeChanges] {
        attachment.access.withSnapshot(taking: []) { snapshot in
            let number = shownNumber ?? greatestNumber
            let changes = zip(tables, attachment.journals).map {
                $0.unchanged(since: number, $1, in: snapshot)
            }
            // The snapshot of a cache that has ended may lack values.
            return attachment.access.isClosed ? [] : changes
        }
    }
}
#endif
