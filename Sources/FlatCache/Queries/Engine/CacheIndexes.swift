/// The indexes that a cache keeps current.
struct CacheIndexes {
    /// The live queries that contain the indexes.
    var queries: [CacheIndexIdentity: any AnyObject & Sendable] = [:]
    /// The tokens that keep the indexes current.
    var tokens: [Disposable] = []
}

enum CacheIndexIdentity: Hashable, Sendable {
    /// The identity of an index that a client has named.
    case named(entityType: ObjectIdentifier, keyType: ObjectIdentifier, String)
    /// The identity of the index of a type's entities by their identifiers.
    ///
    /// That index is the table.
    case identifiers(entityType: ObjectIdentifier)
}

extension CacheIndex {
    private typealias Row = QueryRow<Entity.ID, NoPayload>

    var identity: CacheIndexIdentity {
        .named(entityType: ObjectIdentifier(Entity.self), keyType: ObjectIdentifier(Key.self), name)
    }

    /// The definition of the result that contains the index: a row for each key of an entity.
    var definition: QueryDefinition<Entity, NoPayload> {
        QueryDefinition(
            appendRows: { [forEachKey] value, _, rows in
                let first = rows.count
                forEachKey(value) { key in
                    let place = QuerySortKey(indexing: key)
                    rows.append(Row(key: place, id: value.id, payload: NoPayload()))
                }
                Row.sortAndRemoveDuplicates(from: first, of: &rows)
            },
            isUpdated: { _, _, _ in false },
            usesReader: false,
            window: QueryWindow(),
            indexConditions: [],
            readIndexes: [],
            pinsElements: false,
            combining: NoSummary(),
            steps: steps
        )
    }
}

extension CacheCore {
    /// Makes an index, unless the cache has made it.
    ///
    /// The method runs over the entities on the calling thread.
    @usableFromInline
    func makeIndex<Entity: Identifiable & Sendable, Key: Hashable & Sendable>(
        _ index: CacheIndex<Entity, Key>,
        of table: Table<Entity>
    ) where Entity.ID: Sendable {
        // Making an index is a write. Code that must not write runs its query without the index.
        if writerLock.isHeldByCurrentThread, writer.userCode != nil { return }
        if queryThreads.includesCurrentThread { return }
        let new = indexes.withLock { indexes -> LiveQuery<Entity, NoPayload>? in
            guard indexes.queries[index.identity] == nil, !isClosed else { return nil }
            let query = LiveQuery(index.definition, number: nextRegistration(), of: table)
            indexes.queries[index.identity] = query
            return query
        }
        guard let new else { return }
        let token = new.hold(in: self, "an index")
        indexes.withLock { $0.tokens.append(token) }
    }

    /// Returns the live query that contains an index, or `nil` if the cache hasn't made the index.
    func existingIndex<Entity: Identifiable & Sendable, Key: Hashable & Sendable>(
        _ index: CacheIndex<Entity, Key>
    ) -> LiveQuery<Entity, NoPayload>? where Entity.ID: Sendable {
        indexes.withLock { $0.queries[index.identity] } as? LiveQuery<Entity, NoPayload>
    }

    /// Returns the rows of an index as of a version or of the open transaction, or `nil` if the
    /// index isn't current in that state.
    func rows<Entity: Identifiable & Sendable, Key: Hashable & Sendable>(
        of index: CacheIndex<Entity, Key>,
        at version: UInt64?
    ) -> QueryRows<Entity.ID, NoPayload>? where Entity.ID: Sendable {
        guard let live = existingIndex(index) else { return nil }
        guard let version else { return live.writtenRows(in: self) }
        return live.storedRows(in: self, at: version)
    }
}
