#if canImport(SQLite3) || canImport(CSQLite)
import FlatCache

// These methods read the rows that other graphs have changed.
extension DurableTable {
    func readChangedRows(
        _ changes: ChangesOfOthers,
        _ journal: any AnyChangeJournal
    ) throws(SQLiteGraphError) -> ReadRows? {
        guard !changes.isEmpty, !needsTypes, let journal = journal as? ChangeJournal<Value> else {
            return nil
        }
        forgetSizes()
        guard try isReadable() else { return nil }
        var removed = changes.removed.compactMap { try? form.decode($0) }.filter(isKept)
        let ids = try changedIDs(changes, journal)
        let stored = try read(ids, countsAsUse: false)
        if !unencodable.isEmpty {
            unencodable.subtract(stored.compactMap { try? form.encode($0.value.id) })
        }
        if changes.removesUnlisted {
            let found = Set(stored.map(\.value.id))
            for id in ids where !found.contains(id) && isKept(id) {
                guard let identifier = try? form.encode(id) else { continue }
                if try wasRemoved(identifier, changes) { removed.append(id) }
            }
        }
        let values = stored.map(\.value)
        let removesMany = changes.removesAll || !changes.removedPrefixes.isEmpty
        return ReadRows(
            count: values.count + removed.count + (removesMany ? 1 : 0),
            restore: { [self] transaction in
                if removesMany {
                    let kept = Set(values.lazy.map(\.id))
                    for id in transaction.ids(of: Value.self)
                    where !kept.contains(id) && isKept(id) && isRemoved(id, changes) {
                        transaction.remove(Value.self, id: id)
                    }
                }
                for id in removed { transaction.remove(Value.self, id: id) }
                for row in stored {
                    transaction.set(row.value, freshness(of: row), stamp: row.stamp)
                }
            },
            reached: journal.reached(through: values) + addedAtStart(values, journal)
        )
    }

    /// Returns whether the row of an entity was removed, also with all rows or lists.
    private func isRemoved(_ id: Value.ID, _ changes: ChangesOfOthers) -> Bool {
        changes.removesAll || (try? form.encode(id)).map(changes.removes) ?? false
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
        _ journal: any AnyChangeJournal
    ) throws(SQLiteGraphError) -> ReadRows? {
        guard let journal = journal as? ChangeJournal<Value> else { return nil }
        let levels = Dictionary(
            entities.compactMap { entity in
                entity.key.id(as: Value.self).map { ($0, entity.levels) }
            },
            uniquingKeysWith: max
        )
        let rows = try read(levels.keys)
        let reached = rows.flatMap { row in
            levels[row.value.id].map { journal.reached(through: row.value, $0) } ?? []
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
    ) throws(SQLiteGraphError) -> Set<Value.ID> {
        let isLoaded = durable.loading == .atStart
        let listed = changes.stored.compactMap { try? form.decode($0) }
        let access = journal.access
        var ids = Set(isLoaded ? listed : access.concerned(listed, of: Value.self))
        if changes.storesUnlisted {
            ids.formUnion(access.concernedIDs(of: Value.self))
            if isLoaded { ids.formUnion(try decodedIDs(sql.identifiers)) }
        }
        // Restored rows may be older than the values in memory.
        for time in changes.restored { ids.subtract(try decodedIDs(sql.restored, time)) }
        return ids
    }

    private func decodedIDs(
        _ sql: String,
        _ time: WallTime? = nil
    ) throws(SQLiteGraphError) -> [Value.ID] {
        try database.rows(sql, time?.milliseconds) {
            try? form.decode($0.identifier(0))
        }
    }
}

// These methods merge values with the rows of entities that memory lacked when they were set. Such
// a row may have parts that the value lacks, or be newer.
extension DurableTable {
    /// `true` if the type's values are merged or compared.
    var mergesRows: Bool { comparesRows || Value.self is any Mergeable.Type }

    /// `true` if versions or stamps show which one of two values is later.
    private var comparesRows: Bool {
        Value.self is any Versioned.Type || durable.stampForm != nil
    }

    func recordUnread(_ keys: [CacheKey]) {
        guard durable.state?.merge != nil else { return }
        unread.formUnion(keys.lazy.compactMap { $0.id(as: Value.self) })
    }

    /// Returns the entities whose rows may have parts that the values lack.
    private func parts(of taken: JournaledChanges<Value.ID>) -> [Value.ID] {
        taken.inserted.filter { !taken.isOverwritten($0) && (mergesRows || unread.contains($0)) }
    }

    func readBeneath(_ changes: any TypeChanges) throws(SQLiteGraphError) -> ReadRows? {
        guard mergesRows || !unread.isEmpty, let changes = changes as? EntityChanges<Value> else {
            return nil
        }
        let inserted = parts(of: changes.taken).filter { mergedRows.insert($0).inserted }
        let rows = try read(inserted)
        unread.subtract(inserted)
        if rows.isEmpty { return nil }
        return ReadRows(
            count: rows.count,
            restore: { [self, merge = durable.state?.merge] transaction in
                for row in rows {
                    transaction.mergeBeneath(row.value, freshness(of: row), stamp: row.stamp, merge)
                }
            }
        )
    }

    func mergedWithRows(
        _ changes: any TypeChanges,
        _ others: ChangesOfOthers,
        takenAt time: WallTime
    ) throws(SQLiteGraphError) -> any TypeChanges {
        guard var changes = changes as? EntityChanges<Value> else { return changes }
        changes.time = time
        guard mergesRows || !unread.isEmpty else { return changes }
        var parts = Set(parts(of: changes.taken))
        if Value.self is any Mergeable.Type, !others.isEmpty {
            for entity in changes.entities where !changes.taken.isOverwritten(entity.id) {
                let identifier = try? form.encode(entity.id)
                if others.storesUnlisted || identifier.map(others.stored.contains) ?? false {
                    parts.insert(entity.id)
                }
            }
        }
        let compared = comparesRows ? changes.entities.map(\.id) : []
        let rows = Dictionary(
            try read(parts.union(compared)).map { ($0.value.id, $0) },
            uniquingKeysWith: { $1 }
        )
        for index in changes.entities.indices {
            let id = changes.entities[index].id
            guard let row = rows[id] else { continue }
            merge(
                row,
                beneath: &changes.entities[index],
                isPart: parts.contains(id),
                &changes.taken,
                .milliseconds(now.milliseconds - time.milliseconds)
            )
        }
        return changes
    }

    /// Merges an edited list with its row, or any other entity with its row in a new cache, since
    /// the entity's cache was deallocated.
    ///
    /// Only a later row changes a value that isn't a part.
    private func merge(
        _ row: StoredRow<Value>,
        beneath entity: inout EntityChanges<Value>.Entity,
        isPart: Bool,
        _ taken: inout JournaledChanges<Value.ID>,
        _ elapsed: Duration
    ) {
        if let merge = durable.state?.merge {
            entity.value = merge(row.value, entity.value) ?? entity.value
            return
        }
        let stamp = taken.stamps[entity.id]
        let hasLaterStamp = stamp.map { isEarlier($0, than: row.stamp) } ?? false
        let version = entity.value as? any Versioned
        let isLater = hasLaterStamp || version.map { isEarlier($0, than: row.value) } ?? false
        guard isPart || isLater else { return }
        let cache = Cache()
        _ = set(row.value, row.stamp, in: cache)
        entity.value = set(entity.value, stamp, in: cache)
        if !taken.isInvalidated(entity.id) {
            entity.freshness.fillIn(freshness(of: row), elapsed)
        }
        if hasLaterStamp { taken.stamps[entity.id] = row.stamp }
    }

    private func set(
        _ value: Value,
        _ stamp: (any Comparable & Sendable)?,
        in cache: Cache
    ) -> Value {
        if let stamp { cache.set(value, modifiedAt: stamp) } else { cache.set(value) }
    }

    private func isEarlier<Stamp: Comparable>(
        _ stamp: Stamp,
        than other: (any Comparable & Sendable)?
    ) -> Bool {
        (other as? Stamp).map { stamp < $0 } ?? false
    }

    private func isEarlier<Version: Versioned>(_ value: Version, than other: Value) -> Bool {
        (other as? Version).map {
            Version.isVersion(
                value[keyPath: Version.versionKeyPath],
                olderThan: $0[keyPath: Version.versionKeyPath]
            )
        } ?? false
    }
}
#endif
