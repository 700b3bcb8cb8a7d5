extension QueryReader {
    /// Returns the values that have a key in an index.
    ///
    /// - Complexity: O(*k* + log *n*) for *k* values with the key, of *n* in the index.
    func values<Entity: Identifiable & Sendable, Key: Hashable & Sendable>(
        of index: CacheIndex<Entity, Key>,
        for key: Key
    ) -> [Entity] where Entity.ID: Sendable {
        let table = core.tables.table(of: Entity.self)
        if recordsReads { reads.append(IndexedEntities.cacheKey(key, in: index)) }
        return ids(of: key, in: index, of: table).compactMap { id in
            guard let value = get(id: id, in: table) else { return nil }
            // Different keys with equal hashes have the same place in an index.
            var hasKey = false
            index.forEachKey(value) { if $0 == key { hasKey = true } }
            return hasKey ? value : nil
        }
    }

    /// Returns the identifiers of the entities with a key in an index.
    ///
    /// The reader shows one state, so it finds the rows of the index once.
    private func ids<Entity: Identifiable & Sendable, Key: Hashable & Sendable>(
        of key: Key,
        in index: CacheIndex<Entity, Key>,
        of table: Table<Entity>
    ) -> [Entity.ID] where Entity.ID: Sendable {
        if let search = searches[index.identity] as? IndexSearch<Entity.ID, Key> {
            return search.ids(key)
        }
        let search = search(in: index, of: table)
        searches[index.identity] = search
        return search.ids(key)
    }

    private func search<Entity: Identifiable & Sendable, Key: Hashable & Sendable>(
        in index: CacheIndex<Entity, Key>,
        of table: Table<Entity>
    ) -> IndexSearch<Entity.ID, Key> where Entity.ID: Sendable {
        if let rows = core.rows(of: index, at: version) {
            return IndexSearch { key in
                rows.ids(in: rows.positions(ofKey: QuerySortKey(indexing: key)))
            }
        }
        // The index isn't current in this state, for example in an older snapshot.
        var ids: [Key: Set<Entity.ID>] = [:]
        let insert = { (id: Entity.ID, value: Entity) in
            index.forEachKey(value) { ids[$0, default: []].insert(id) }
        }
        if let version {
            table.forEachValue(at: version, insert)
        } else {
            table.forEachWrittenValue(insert)
        }
        return IndexSearch { Array(ids[$0] ?? []) }
    }
}

/// A search for the entities with a key, in one state of an index.
private struct IndexSearch<ID, Key> {
    let ids: (Key) -> [ID]
}
