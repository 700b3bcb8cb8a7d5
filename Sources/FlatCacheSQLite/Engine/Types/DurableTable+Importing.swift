#if canImport(SQLite3) || canImport(CSQLite)
import FlatCache

// These methods read the rows that other graphs have changed.
extension DurableTable {
    func readChanges(
        _ changes: ChangesOfOthers,
        _ journal: any AnyTypeJournal,
        _ database: Database,
        at time: PresentTime,
        since number: Int64?
    ) throws(SQLiteGraphError) -> ReadRows? {
        // Only a load of a request knows the type of its response.
        guard !changes.isEmpty, Value.self != RequestState.self,
            let journal = journal as? TypeJournal<Value>
        else { return nil }
        forgetSizes()
        var errors: [SQLiteGraphError] = []
        guard try isReadable(database, &errors) else {
            return ReadRows(count: 0, restore: { _ in }, errors: errors)
        }
        // Rows without a change belong to missing entities only.
        var stored: [(row: StoredRow<Value>, change: ImportedChange?)] = []
        var removed: [(id: Value.ID, change: ImportedChange)] = []
        let change: (TransactionMark?) -> ImportedChange = { mark in
            guard let mark else { return ImportedChange(at: nil, winsTies: false) }
            return ImportedChange(
                at: time.instant(of: mark.time),
                winsTies: changes.winsTies(mark)
            )
        }
        let ids = try changedIDs(changes, journal.typed, database)
        // These entities may never have had a row, so a missing row doesn't show a later removal.
        let inserted = changes.unlistedRemoval == nil ? [] : journal.typed.insertedIDs
        for id in ids {
            guard isKept(id), let identifier = try? form.encode(id) else { continue }
            let listed = changes.stored[identifier]
            if let row = try read(id, database, countsAsUse: false, &errors) {
                unencodable.remove(identifier)
                let known = listed ?? changes.unlistedMark(writtenAt: row.written, used: row.used)
                // Without a mark, a row is as old as its value, if it contains the value's age.
                if known == nil, let age = row.freshness.age {
                    let instant = time.instant(before: age)
                    stored.append((row, ImportedChange(at: instant, winsTies: false)))
                    continue
                }
                let mark = known ?? changes.markOfUnchangedRows
                // Rows from the quarantine have the number zero. It's less than all others.
                let isBeneath =
                    mark?.time.unchangedNumber.map { $0 < max(1, number ?? 1) } ?? false
                stored.append((row, isBeneath ? nil : change(mark)))
            } else if listed == nil, try wasRemoved(identifier, changes, database) {
                removed.append((id, change(inserted.contains(id) ? nil : changes.unlistedRemoval)))
            }
        }
        for (identifier, mark) in changes.removed {
            guard let id = try? form.decode(identifier), isKept(id) else { continue }
            removed.append((id, change(mark)))
        }
        return ReadRows(
            count: stored.count + removed.count + (changes.removesMany ? 1 : 0),
            restore: { [self] transaction in
                if changes.removesMany {
                    let kept = Set(stored.lazy.map(\.row.value.id))
                    for id in transaction.ids(of: Value.self)
                    where !kept.contains(id) && isKept(id) {
                        guard let mark = markOfRemoval(of: id, changes) else { continue }
                        transaction.remove(Value.self, id: id, importing: change(mark))
                    }
                }
                for (id, change) in removed {
                    transaction.remove(Value.self, id: id, importing: change)
                }
                for (row, change) in stored {
                    guard let change else {
                        _ = restore(row, transaction)
                        continue
                    }
                    transaction.set(
                        row.value,
                        freshness(of: row),
                        stamp: row.stamp,
                        importing: change
                    )
                    agreedIDs?.insert(row.value.id)
                }
            },
            errors: errors,
            reached: journal.typed.reached(through: stored.map(\.row.value))
                + addedAtStart(stored.map(\.row.value), journal.typed)
        )
    }

    /// Returns the mark of the latest removal of all rows, or of lists with a prefix, that concerns
    /// an entity, or `nil` if there is none.
    private func markOfRemoval(of id: Value.ID, _ changes: ChangesOfOthers) -> TransactionMark? {
        if changes.removedPrefixes.isEmpty { return changes.removesAll }
        return (try? form.encode(id)).flatMap(changes.markOfRemoval)
    }

    /// Returns the entities to which states refer, and to which the states in memory don't, if
    /// they're loaded with the states at the start.
    private func addedAtStart(
        _ values: [Value],
        _ journal: ChangeJournal<Value>
    ) -> [ReachedEntity] {
        guard let state = durable.state else { return [] }
        return values.flatMap { value in
            let related = state.related(value)
            let known = related.isEmpty ? [] : Set(journal.presentKeys(of: value.id))
            return related.lazy.filter { !known.contains($0) }
                .map { ReachedEntity(key: $0, levels: 0) }
        }
    }

    func readReached(
        _ entities: [ReachedEntity],
        _ journal: any AnyTypeJournal,
        _ database: Database
    ) throws(SQLiteGraphError) -> ReadRows? {
        guard let journal = journal as? TypeJournal<Value> else { return nil }
        var errors: [SQLiteGraphError] = []
        var rows: [StoredRow<Value>] = []
        var reached: [ReachedEntity] = []
        for entity in entities {
            guard let id = entity.key.id(as: Value.self),
                let row = try read(id, database, &errors)
            else { continue }
            rows.append(row)
            reached += journal.typed.reached(through: row.value, entity.levels)
        }
        return ReadRows(
            count: rows.count,
            restore: { [self] transaction in restore(rows, transaction) },
            errors: errors,
            reached: reached
        )
    }

    /// Returns whether a transaction that doesn't list a missing row has removed it.
    ///
    /// A limit deletes rows without a record. A value that can't be encoded has no row, and a row
    /// that can't be decoded is in the quarantine. In these cases, the entity remains in memory.
    func wasRemoved(
        _ identifier: RowIdentifier,
        _ changes: ChangesOfOthers,
        _ database: Database
    ) throws(SQLiteGraphError) -> Bool {
        guard changes.removesUnlisted, durable.limit == .none, !unencodable.contains(identifier),
            !hasMaximumCount(identifier)
        else { return false }
        let select = try database.statement(
            "SELECT 1 FROM flatcache_quarantine WHERE type = ? AND id = ? AND version = ?"
        )
        defer { select.reset() }
        select.bind(name, at: 1)
        select.bind(identifier, at: 2)
        // A row of a former version may have the identifier of another entity.
        select.bind(Int64(durable.version), at: 3)
        return try !select.step()
    }

    func isKept(_ id: Value.ID) -> Bool { durable.state?.isKept(id) ?? true }

    /// Returns the identifiers of the rows to read: rows that may have changed and concern the
    /// cache.
    private func changedIDs(
        _ changes: ChangesOfOthers,
        _ journal: ChangeJournal<Value>,
        _ database: Database
    ) throws(SQLiteGraphError) -> [Value.ID] {
        let isLoaded = durable.loading == .atStart
        guard changes.storesUnlisted else {
            let ids = changes.stored.keys.compactMap { try? form.decode($0) }
            return isLoaded ? ids : journal.concerning(ids)
        }
        var ids = Set(journal.concernedIDs)
        // An earlier, unwritten removal of all rows must not delete later ones.
        if journal.removesAll { ids.formUnion(try storedIDs(database)) }
        let listed = changes.stored.keys.compactMap { try? form.decode($0) }
        ids.formUnion(isLoaded ? listed : journal.concerning(listed))
        if isLoaded { ids.formUnion(try storedIDs(database)) }
        return Array(ids)
    }

    func storedIDs(_ database: Database) throws(SQLiteGraphError) -> Set<Value.ID> {
        let select = try database.statement(sql.identifiers)
        defer { select.reset() }
        var ids: Set<Value.ID> = []
        while try select.step() {
            if let id = try? form.decode(select.identifier(0, form.column)) { ids.insert(id) }
        }
        return ids
    }
}
#endif
