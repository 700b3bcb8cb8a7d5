#if canImport(SQLite3) || canImport(CSQLite)
import FlatCache

// These methods merge values with the rows of entities that memory lacked when they were set. Such
// a row may have parts that the value lacks, or be newer.
extension DurableTable {
    /// `true` if the type's values are merged or compared.
    private var mergesRows: Bool { comparesRows || Value.self is any Mergeable.Type }

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
            restore: { [durable] transaction in
                for row in rows {
                    transaction.mergeBeneath(row.value, stamp: row.stamp, durable.state?.merge)
                }
            }
        )
    }

    func mergedWithRows(
        _ changes: any TypeChanges,
        _ others: ChangesOfOthers,
        after elapsed: Duration
    ) throws(SQLiteGraphError) -> any TypeChanges {
        guard var changes = changes as? EntityChanges<Value> else { return changes }
        changes.addAge(elapsed)
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
                &changes.taken
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
        _ taken: inout JournaledChanges<Value.ID>
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
