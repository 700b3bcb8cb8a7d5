#if canImport(SQLite3) || canImport(CSQLite)
import FlatCache

// These methods read the rows that other graphs have changed.
extension DurableTable {
    func readChanges(
        _ changes: ChangesOfOthers,
        _ journal: any AnyTypeJournal
    ) throws(SQLiteGraphError) -> ReadRows? {
        // Only a load of a request knows the type of its response.
        guard !changes.isEmpty, Value.self != RequestState.self,
            let journal = journal as? TypeJournal<Value>
        else { return nil }
        forgetSizes()
        guard try isReadable() else { return nil }
        var stored: [StoredRow<Value>] = []
        // Rows from the quarantine belong to missing entities only.
        var restored: [StoredRow<Value>] = []
        var removed = changes.removed.compactMap { try? form.decode($0) }.filter(isKept)
        let ids = try changedIDs(changes, journal.typed)
        for row in try read(ids, countsAsUse: false) {
            guard let identifier = try? form.encode(row.value.id) else { continue }
            unencodable.remove(identifier)
            if changes.stored.contains(identifier)
                || changes.storesUnlisted && !changes.restored.contains(identifier)
            {
                stored.append(row)
            } else {
                restored.append(row)
            }
        }
        if changes.removesUnlisted {
            let found = Set((stored + restored).map(\.value.id))
            for id in ids where !found.contains(id) && isKept(id) {
                guard let identifier = try? form.encode(id) else { continue }
                if try wasRemoved(identifier, changes) { removed.append(id) }
            }
        }
        let values = (stored + restored).map(\.value)
        let removesMany = changes.removesAll || !changes.removedPrefixes.isEmpty
        return ReadRows(
            count: values.count + removed.count + (removesMany ? 1 : 0),
            restore: { [self] transaction in
                if removesMany {
                    let kept = Set(values.lazy.map(\.id))
                    for id in transaction.ids(of: Value.self)
                    where !kept.contains(id) && isKept(id) && isRemoved(id, changes) {
                        transaction.remove(Value.self, id: id, importing: .earlier)
                    }
                }
                for id in removed { transaction.remove(Value.self, id: id, importing: .earlier) }
                restore(restored, transaction)
                for row in stored {
                    transaction.set(
                        row.value,
                        freshness(of: row),
                        stamp: row.stamp,
                        importing: .earlier
                    )
                }
            },
            reached: journal.typed.reached(through: values) + addedAtStart(values, journal.typed)
        )
    }

    /// Returns whether all rows, or the lists with a prefix of an entity's name, were removed.
    private func isRemoved(_ id: Value.ID, _ changes: ChangesOfOthers) -> Bool {
        changes.removesAll || (try? form.encode(id)).map(changes.removesList) ?? false
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
        _ journal: any AnyTypeJournal
    ) throws(SQLiteGraphError) -> ReadRows? {
        guard let journal = journal as? TypeJournal<Value> else { return nil }
        let levels = Dictionary(
            entities.compactMap { entity in
                entity.key.id(as: Value.self).map { ($0, entity.levels) }
            },
            uniquingKeysWith: max
        )
        let rows = try read(levels.keys)
        let reached = rows.flatMap { row in
            levels[row.value.id].map { journal.typed.reached(through: row.value, $0) } ?? []
        }
        return restoring(rows, reached: reached)
    }

    /// Returns whether a transaction that doesn't list a missing row has removed it.
    ///
    /// A limit deletes rows without a record. A value that can't be encoded has no row, and a row
    /// that can't be decoded is in the quarantine. In these cases, the entity remains in memory.
    func wasRemoved(
        _ identifier: RowIdentifier,
        _ changes: ChangesOfOthers
    ) throws(SQLiteGraphError) -> Bool {
        guard !changes.stored.contains(identifier), durable.limit == .none,
            !unencodable.contains(identifier), !hasMaximumCount(identifier),
            !undecodable.contains(where: { $0.identifier == identifier })
        else { return false }
        // A row of a former version may have the identifier of another entity.
        let select = "SELECT 1 FROM flatcache_quarantine WHERE type = ? AND id = ? AND version = ?"
        return try database.number(select, name, identifier, Int64(durable.version)) == nil
    }

    func isKept(_ id: Value.ID) -> Bool { durable.state?.isKept(id) ?? true }

    /// Returns the identifiers of the rows to read: rows that may have changed and concern the
    /// cache.
    private func changedIDs(
        _ changes: ChangesOfOthers,
        _ journal: ChangeJournal<Value>
    ) throws(SQLiteGraphError) -> [Value.ID] {
        let isLoaded = durable.loading == .atStart
        let listed = changes.stored.union(changes.restored).compactMap { try? form.decode($0) }
        guard changes.storesUnlisted || changes.restoresUnlisted else {
            return isLoaded ? listed : journal.concerning(listed)
        }
        let stored =
            isLoaded
            ? try database.rows(sql.identifiers) { try? form.decode($0.identifier(0, form.column)) }
            : journal.concerning(listed)
        return Array(Set(journal.concernedIDs).union(stored))
    }
}

extension ImportedChange {
    /// A change that is earlier than all changes that aren't written yet, since the later flush
    /// wins.
    fileprivate static var earlier: ImportedChange { ImportedChange(at: nil, winsTies: false) }
}
#endif
