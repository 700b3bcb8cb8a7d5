// The changes that another process has written to the participant's storage.
extension ParticipantTransaction {
    /// Stores a value that another process has written.
    ///
    /// The value replaces the stored one, which was in the storage before. If a change to the
    /// entity isn't written yet, the later of the two wins: by their stamps or versions, or else by
    /// their times. The values of a mergeable type are merged, the later one over the earlier one.
    /// Afterwards, the journal lists the entity only if memory differs from the storage.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - freshness: The value's freshness.
    ///   - stamp: The value's modification stamp.
    ///   - change: The time of the change.
    package func set<Value: Identifiable & Sendable>(
        _ value: Value,
        _ freshness: StoredFreshness = StoredFreshness(),
        stamp: (any Comparable & Sendable)? = nil,
        importing change: ImportedChange = .latest
    ) where Value.ID: Sendable {
        let table = core.tables.table(of: Value.self)
        let id = value.id
        let known = table.entryID(id: id, hash: table.hash(of: id))
        let existing = known.flatMap { table[$0].pointee.value }
        var result = value
        if let journal = table.journal, journal.isPending(id, known) {
            guard isLater(value, stamp, change, than: existing, journal) else {
                mergeBeneath(value, stamp: stamp)
                return
            }
            if let existing, let merge = table.traits.merge, !journal.isOverwritten(id) {
                result = core.writer.runUserCode("merged(with:)", of: Value.self) {
                    merge(existing, value)
                }
                core.checkMerged(result, from: id)
            }
        }
        _ = core.store(result, merging: false, in: table, core.writer)
        let isInvalidated =
            table.journal.map {
                $0.isInvalidated(id) && !$0.areEarlier(than: change)
            } ?? false
        setFreshness(freshness, isInvalidated: isInvalidated, of: id, in: table)
        if let stamp { setStamp(stamp, of: id, in: table) }
        guard let journal = table.journal,
            let entry = table.entryID(id: id, hash: table.hash(of: id))
        else { return }
        let isMerged =
            table.traits.merge != nil && !core.writer.areEqual(result, value, table.traits)
        // Changes to all entities, which aren't written yet, would change the row as well. An
        // invalidation that makes the value stale isn't in the storage yet.
        if isMerged || isInvalidated || journal.changes.removesAll || journal.changes.invalidatesAll
        {
            journal.recordStored(entry)
        } else {
            journal.unlist(id, entry)
        }
    }

    /// Removes an entity that another process has removed, with the entities that it owns, unless a
    /// later change to it isn't written yet.
    package func remove<Value: Identifiable & Sendable>(
        _ type: Value.Type,
        id: Value.ID,
        importing change: ImportedChange = .latest
    ) where Value.ID: Sendable {
        guard let table = core.tables.existingTable(of: type) else { return }
        let entry = table.entryID(id: id, hash: table.hash(of: id))
        if let journal = table.journal {
            if journal.isPending(id, entry), !journal.areEarlier(than: change) { return }
            journal.unlist(id, entry)
        }
        _ = core.remove(type, id: id)
    }

    /// The identifiers of the entities of a type that have a value.
    package func ids<Value: Identifiable & Sendable>(
        of type: Value.Type
    ) -> [Value.ID] where Value.ID: Sendable {
        guard let table = core.tables.existingTable(of: type) else { return [] }
        return table.occupiedEntries.filter(table.hasValue).map { table[$0].pointee.id }
    }

    private func isLater<Value: Identifiable & Sendable>(
        _ value: Value,
        _ stamp: (any Comparable & Sendable)?,
        _ change: ImportedChange,
        than existing: Value?,
        _ journal: ChangeJournal<Value>
    ) -> Bool where Value.ID: Sendable {
        if let existing {
            let stamped = stamp.flatMap {
                core.isLater($0, thanStampOf: value.id, in: journal.table)
            }
            if let stamped { return stamped }
            if core.isOutdated(existing, value, journal.table.traits) { return true }
            if core.isOutdated(value, existing, journal.table.traits) { return false }
        }
        return journal.areEarlier(than: change)
    }
}
