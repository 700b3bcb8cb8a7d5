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
                    let row = Row(
                        key: QuerySortKey(indexing: key),
                        id: value.id,
                        payload: NoPayload()
                    )
                    Row.append(row, to: &rows, from: first)
                }
                Row.removeDuplicates(from: first, of: &rows)
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
