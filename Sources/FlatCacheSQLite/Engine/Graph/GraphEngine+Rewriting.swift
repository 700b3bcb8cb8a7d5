#if canImport(SQLite3) || canImport(CSQLite)
import FlatCache

// These methods write the entities in memory to the file at the path of a lost file.
extension GraphEngine {
    /// Makes the next flush write all entities in memory to the file at the path.
    func beginRewriting() {
        guard let attachment else { return }
        if lostFile == nil, let number = fileIdentity.number, let importedNumber {
            lostFile = LostFile(number: number, imported: importedNumber)
        }
        greatestNumber = max(greatestNumber, importedNumber ?? 0)
        mustWriteAll = true
        // The cache may end before the next flush.
        attachment.recorder.setMustWriteAll(true)
        for table in tables { table.isRewriting = true }
    }

    /// Makes later flushes write only changes, since the file has all entities in memory.
    func endRewriting() {
        lostFile = nil
        mustWriteAll = false
        mustRenewIdentity = false
        attachment?.recorder.setMustWriteAll(false)
        for table in tables { table.isRewriting = false }
    }

    /// Returns the records to import while memory and the file may have different entities.
    ///
    /// The file may lack rows that aren't written yet, so a missing row isn't a removal. If memory
    /// has shown later transactions of the lost file than the writers of the records, their
    /// unchanged entities are older than its own.
    func acceptable(
        _ records: [TransactionRecord]
    ) throws(SQLiteGraphError) -> [TransactionRecord] {
        guard mustWriteAll else { return records }
        let isLater = try lostFile?.isLater(than: database) ?? false
        return records.compactMap { record in
            var record = record
            record.scope.remove(.removesUnlisted)
            return isLater ? record.withoutUnchanged() : record
        }
    }

    /// Writes the entities in memory that have no unwritten changes and that the file doesn't show,
    /// with a number of their own; returns the number.
    ///
    /// Their time is before all changes, so they never replace a change. The caller has locked the
    /// file, since a transaction of another graph in between would seem earlier than this one.
    func writeUnchanged(_ attachment: Attachment) throws(SQLiteGraphError) -> Int64? {
        try reading { () throws(SQLiteGraphError) in }
        // The merged values are changes, which the caller writes next.
        var merged: [ReadRows] = []
        for (table, entities) in zip(tables, unchanged(attachment)) {
            if let rows = try table.readBeneath(entities, database) { merged.append(rows) }
        }
        store(merged, .writing, attachment)
        defer { for table in tables { table.endWriting(isCommitted: false) } }
        let outcome = try writeRows(of: unchanged(attachment), after: importedNumber)
        report(outcome?.errors ?? [])
        try lostFile?.record(in: database)
        if mustRenewIdentity {
            try FileIdentity.renew(in: database)
            fileIdentity = try FileIdentity(of: database)
        }
        guard let number = outcome?.number else { return nil }
        (importedNumber, importedWriter) = (number, writer)
        return number
    }

    private func unchanged(_ attachment: Attachment) -> [any TypeChanges] {
        attachment.access.withSnapshot(taking: []) { snapshot in
            let changes = zip(tables, attachment.journals).map { $0.unchanged($1, in: snapshot) }
            // The snapshot of a cache that has ended may lack values.
            return attachment.access.isClosed ? [] : changes
        }
    }
}
#endif
