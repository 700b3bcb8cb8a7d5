#if canImport(SQLite3) || canImport(CSQLite)
import FlatCache

// These methods write the entities in memory to the file at the path of a lost file.
extension DurableTable {
    var isRewriting: Bool {
        get { agreedIDs != nil }
        set { agreedIDs = newValue ? [] : nil }
    }

    func unchanged(
        since number: Int64,
        _ journal: any AnyTypeJournal,
        in snapshot: CacheSnapshot
    ) -> any TypeChanges {
        var taken = JournaledChanges<Value.ID>()
        guard let journal = journal as? TypeJournal<Value> else {
            return EntityChanges<Value>(taken, in: snapshot)
        }
        let agreed = agreedIDs ?? []
        taken.stored = ChunkedArray(journal.typed.writtenIDs.lazy.filter { !agreed.contains($0) })
        // Rows that the file already has are merged beneath the entities.
        taken.inserted = taken.stored
        taken.stamps = journal.typed.stamps(of: taken.stored)
        var changes = journal.read(taken, snapshot)
        changes.unchangedSince = number
        return changes
    }
}
#endif
