/// The entities that have a key in an index, as rows read and follow them.
///
/// The cache stores no such entity: rows depend on its key.
struct IndexedEntities<Entity: Identifiable & Sendable, Key: Hashable & Sendable>: Identifiable,
    Sendable
where Entity.ID: Sendable {
    struct ID: Hashable, Sendable {
        let index: String
        let key: Key
    }

    let id: ID

    static func cacheKey(_ key: Key, in index: CacheIndex<Entity, Key>) -> CacheKey {
        CacheKey(IndexedEntities.self, id: ID(index: index.name, key: key))
    }
}

/// An index that the rows of a query read.
protocol AnyReadIndex: Sendable {
    /// Makes the index, unless the cache has made it.
    func prepare(in core: CacheCore)

    func follow(with deriver: QueryDeriver)
}

extension CacheIndex: AnyReadIndex {
    func prepare(in core: CacheCore) {
        core.makeIndex(self, of: core.tables.table(of: Entity.self))
    }

    func follow(with deriver: QueryDeriver) { deriver.follow(self) }
}

protocol AnyReadIndexes: AnyObject {
    /// The types of the keys that stand for the entities with a key.
    var keyTypes: Set<ObjectIdentifier> { get }

    /// Inserts the keys that stand for the entities that have changed since a version.
    func insertKeys(
        ofChangesSince version: UInt64,
        in writer: Writer,
        into keys: inout Set<CacheKey>
    )
}

/// The indexes of one type that rows of queries read, guarded by the writers' lock.
final class ReadIndexes<Entity: Identifiable & Sendable>: AnyReadIndexes where Entity.ID: Sendable {
    private unowned let table: Table<Entity>
    /// The functions that insert the keys of a value.
    private var insertKeys: [CacheIndexIdentity: (Entity, inout Set<CacheKey>) -> Void] = [:]
    private(set) var keyTypes: Set<ObjectIdentifier> = []

    init(of table: Table<Entity>) { self.table = table }

    func insert<Key>(_ index: CacheIndex<Entity, Key>) {
        keyTypes.insert(ObjectIdentifier(IndexedEntities<Entity, Key>.self))
        insertKeys[index.identity] = { value, keys in
            index.forEachKey(value) { keys.insert(IndexedEntities.cacheKey($0, in: index)) }
        }
    }

    /// Returns the keys that stand for a value, by all indexes.
    func keys(of value: Entity) -> Set<CacheKey> {
        var keys: Set<CacheKey> = []
        for insert in insertKeys.values { insert(value, &keys) }
        return keys
    }

    func insertKeys(
        ofChangesSince version: UInt64,
        in writer: Writer,
        into keys: inout Set<CacheKey>
    ) {
        writer.runUserCode("a closure of an index", of: Entity.self) {
            table.forEachWrittenEntity(since: version) { old, new in
                if let old { keys.formUnion(self.keys(of: old)) }
                if let new { keys.formUnion(self.keys(of: new)) }
            }
        }
    }
}

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
        return search(in: index, of: table)(key).compactMap { id in
            guard let value = get(id: id, in: table) else { return nil }
            // Different keys with equal hashes have the same place in an index.
            var hasKey = false
            index.forEachKey(value) { if $0 == key { hasKey = true } }
            return hasKey ? value : nil
        }
    }

    /// Returns a function that returns the identifiers of the entities with a key in an index.
    ///
    /// The reader shows one state, so it finds the rows of the index once.
    private func search<Entity: Identifiable & Sendable, Key: Hashable & Sendable>(
        in index: CacheIndex<Entity, Key>,
        of table: Table<Entity>
    ) -> (Key) -> [Entity.ID] where Entity.ID: Sendable {
        if let known = searches[index.identity] as? (Key) -> [Entity.ID] { return known }
        let search = newSearch(in: index, of: table)
        searches[index.identity] = search
        return search
    }

    private func newSearch<Entity: Identifiable & Sendable, Key: Hashable & Sendable>(
        in index: CacheIndex<Entity, Key>,
        of table: Table<Entity>
    ) -> (Key) -> [Entity.ID] where Entity.ID: Sendable {
        if let rows = core.rows(of: index, at: version) {
            return { key in rows.ids(in: rows.positions(ofKey: QuerySortKey(indexing: key))) }
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
        return { Array(ids[$0] ?? []) }
    }
}
