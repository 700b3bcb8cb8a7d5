#if canImport(SQLite3) || canImport(CSQLite)
import FlatCache

// These methods write the entities in memory to another file at the path.
extension GraphEngine {
    /// Notes that the file at the path is another one than memory shows.
    func beginRewriting() {
        guard let attachment else { return }
        if former == nil, let number = fileIdentity.number, let importedNumber {
            former = FormerFile(number: number, imported: importedNumber)
        }
        greatestNumber = max(greatestNumber, importedNumber ?? 0)
        mustWriteAll = true
        // The cache may end before the next flush.
        attachment.recorder.setMustWriteAll(true)
        for table in tables { table.isRewriting = true }
    }

    /// Notes that the file has all entities in memory.
    func endRewriting() {
        former = nil
        mustWriteAll = false
        mustRenewIdentity = false
        attachment?.recorder.setMustWriteAll(false)
        for table in tables { table.isRewriting = false }
    }

    /// Returns the records to import while memory and the file may have different entities.
    ///
    /// A row that the file lacks may not have been written yet, so it isn't a removal. If memory
    /// shows later transactions of the former file than the graphs did that have written to this
    /// one, their entities without changes are older.
    func acceptable(
        _ records: [TransactionRecord]
    ) throws(SQLiteGraphError) -> [TransactionRecord] {
        guard mustWriteAll else { return records }
        let isLater = try former?.isLater(than: database) ?? false
        return records.compactMap { record in
            var record = record
            record.scope.remove(.removesUnlisted)
            return isLater ? record.withoutUnchanged() : record
        }
    }

    /// Writes the entities in memory that have no unwritten changes, unless the file shows them
    /// already, as a transaction of its own; returns its number.
    ///
    /// Its time is before all changes, so that it wins over none of another graph. The caller has
    /// locked the file. Otherwise, a transaction of another graph could come in between, and would
    /// seem earlier than this one.
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
        try former?.record(in: database)
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
