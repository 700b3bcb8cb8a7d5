#if canImport(SQLite3) || canImport(CSQLite)
import FlatCache

// These methods merge values with the rows of entities that memory lacked when they were set. Such
// a row may have parts that the value lacks, or be newer.
extension DurableTable {
    /// `true` if the type's values are merged or compared.
    private var mergesRows: Bool {
        Value.self is any Mergeable.Type || Value.self is any Versioned.Type
            || durable.stampForm != nil
    }

    func recordUnread(_ keys: [CacheKey]) {
        guard durable.state?.merge != nil else { return }
        unread.formUnion(keys.lazy.compactMap { $0.id(as: Value.self) })
    }

    func readBeneath(
        _ changes: any TypeChanges,
        _ database: Database
    ) throws(SQLiteGraphError) -> ReadRows? {
        guard mergesRows || !unread.isEmpty, let changes = changes as? EntityChanges<Value> else {
            return nil
        }
        let inserted = changes.taken.inserted.filter {
            !changes.taken.isOverwritten($0) && (mergesRows || unread.contains($0))
                && mergedRows.insert($0).inserted
        }
        let ids = try idsOfPossibleRows(inserted, database)
        var errors: [SQLiteGraphError] = []
        let rows = try read(ids, database, &errors)
        unread.subtract(inserted)
        filter.recordMissedReads(ids.count - rows.count)
        if rows.isEmpty, errors.isEmpty { return nil }
        return ReadRows(
            count: rows.count,
            restore: { [durable] transaction in
                for row in rows {
                    transaction.mergeBeneath(row.value, stamp: row.stamp, durable.state?.merge)
                }
            },
            errors: errors
        )
    }

    /// Returns identifiers without the identifiers that surely have no row.
    private func idsOfPossibleRows(
        _ ids: [Value.ID],
        _ database: Database
    ) throws(SQLiteGraphError) -> [Value.ID] {
        guard isCurrent, !ids.isEmpty else { return ids }
        filter.check(try database.number("PRAGMA data_version") ?? 0)
        if filter.isWorthwhile(pageCount: try database.number("PRAGMA page_count") ?? 0) {
            let select = try database.statement(sql.identifiers)
            defer { select.reset() }
            var identifiers: [RowIdentifier] = []
            while try select.step() { identifiers.append(select.identifier(0, form.column)) }
            filter.set(identifiers)
        }
        guard let keys = filter.keys else { return ids }
        return ids.filter { id in (try? form.encode(id)).map(keys.mayContain) ?? true }
    }

    func mergedWithRows(
        _ changes: any TypeChanges,
        after elapsed: Duration,
        _ others: ChangesOfOthers,
        _ database: Database,
        _ errors: inout [SQLiteGraphError]
    ) throws(SQLiteGraphError) -> any TypeChanges {
        guard var changes = changes as? EntityChanges<Value> else { return changes }
        changes.addAge(elapsed)
        let isUsed = mergesRows || others.removesUnlisted || !unread.isEmpty
        let inserted = isUsed ? Set(changes.taken.inserted) : []
        let taken = changes.taken
        let later = try identifiersStoredLater(than: changes, others, database)
        changes.taken.removed = ChunkedSet(
            taken.removed.filter {
                guard let identifier = try? form.encode($0) else { return true }
                if later.contains(identifier) { return false }
                return !isLater(others.mark(of: identifier), than: taken, others)
            }
        )
        if !later.isEmpty {
            try spareFromRemoval(later, &changes.taken, database)
            try spareFromInvalidation(later, &changes.taken, database)
        }
        var entities: [EntityChanges<Value>.Entity] = []
        for row in try rows(later, removedBy: changes, database, &errors) {
            entities.append(EntityChanges<Value>.Entity(row))
            changes.taken.stamps[row.value.id] = row.stamp
        }
        for var entity in changes.entities {
            let identifier = try? form.encode(entity.id)
            let listed = others.mark(of: identifier)
            var loses = isLater(listed, than: changes.taken, others)
            let isInserted = inserted.contains(entity.id)
            let isPart =
                (mergesRows || unread.contains(entity.id)) && isInserted
                && !changes.taken.isOverwritten(entity.id)
            let isUnmarked = others.storesUnlisted && listed == nil
            let mayBeOfOthers = isUnmarked || identifier.map { others.stored[$0] != nil } ?? false
            if isPart || mayBeOfOthers, let row = try read(entity.id, database, &errors) {
                if isUnmarked, let mark = others.unlistedMark(writtenAt: row.written) {
                    loses = isLater(mark, than: changes.taken, others)
                } else if isUnmarked, let age = row.freshness.age {
                    // Without a mark, a row is as old as its value, if it contains the value's age.
                    loses = age < changes.taken.age
                }
                merge(row, with: &entity, &changes.taken, rowIsLater: loses)
            } else if loses {
                continue
            } else if isUnmarked, !isInserted, let identifier,
                isLater(others.unlistedRemoval, than: changes.taken, others),
                try wasRemoved(identifier, others, database)
            {
                continue
            }
            entities.append(entity)
        }
        changes.entities = entities
        return changes
    }

    /// Returns whether a change of another graph is later than changes.
    func isLater(
        _ mark: TransactionMark?,
        than taken: JournaledChanges<Value.ID>,
        _ others: ChangesOfOthers
    ) -> Bool {
        guard let mark else { return false }
        let age = now.age(of: mark.time.milliseconds)
        return age < taken.age || age == taken.age && others.winsTies(mark)
    }

    /// Merges an edited list with its row, or any other entity with its row in a new cache, since
    /// the entity's cache was deallocated.
    private func merge(
        _ row: StoredRow<Value>,
        with entity: inout EntityChanges<Value>.Entity,
        _ taken: inout JournaledChanges<Value.ID>,
        rowIsLater: Bool
    ) {
        if let merge = durable.state?.merge, !rowIsLater {
            entity.value = merge(row.value, entity.value) ?? entity.value
            return
        }
        let cache = Cache()
        let stamp = taken.stamps[entity.id]
        if rowIsLater {
            _ = set(entity.value, stamp, in: cache)
            entity.value = set(row.value, row.stamp, in: cache)
            entity.freshness = row.freshness
        } else {
            _ = set(row.value, row.stamp, in: cache)
            entity.value = set(entity.value, stamp, in: cache)
        }
        if let stamp, let later = row.stamp, isEarlier(stamp, than: later) {
            taken.stamps[entity.id] = later
        }
    }

    private func set(
        _ value: Value,
        _ stamp: (any Comparable & Sendable)?,
        in cache: Cache
    ) -> Value {
        if let stamp { cache.set(value, modifiedAt: stamp) } else { cache.set(value) }
    }

    private func isEarlier<Stamp: Comparable>(_ stamp: Stamp, than other: any Comparable) -> Bool {
        (other as? Stamp).map { stamp < $0 } ?? false
    }
}
#endif
