// Any thread can call these methods.
extension LiveQuery {
    /// Returns the state that was kept current as of a version.
    func storedState(in core: CacheCore, at version: UInt64) -> State.Contents? {
        core.get(State.self, id: number, at: version)?.contents
    }

    /// Returns the rows that were kept current as of a version.
    func storedRows(in core: CacheCore, at version: UInt64) -> Rows? {
        storedState(in: core, at: version)?.rows
    }

    /// Computes the rows as of the version of an open snapshot.
    func scan(
        in core: CacheCore,
        at version: UInt64,
        recordsReads: Bool
    ) -> QueryScan<Element, Payload> {
        let reader = QueryReader(core, at: version, recordsReads: recordsReads)
        var rows: [Row] = []
        var dependents: [CacheKey: Set<Element.ID>] = [:]
        core.runClosures(ofQueryOf: Element.self) {
            let candidates = candidates(in: core, at: version)
            if recordsReads {
                forEachValue(of: candidates, at: version) { id, value in
                    definition.appendRows(value, reader, &rows)
                    for key in reader.takeReads() { dependents[key, default: []].insert(id) }
                }
            } else if let candidates {
                definition.scan(candidates, of: table, at: version, reader, &rows)
            } else {
                definition.steps.scan(definition, table, version, reader, &rows)
            }
        }
        return QueryScan(
            version: version,
            rows: definition.rows(rows),
            dependents: dependents,
            types: Array(reader.types.values)
        )
    }

    /// Makes the indexes that the query uses, unless they exist.
    func prepareIndexes(in core: CacheCore) {
        for condition in definition.indexConditions { condition.prepare(in: core, of: table) }
        for index in definition.readIndexes { index.prepare(in: core) }
    }

    /// Returns the identifiers of the entities that may have rows, as of a version or of the open
    /// transaction, or `nil` if all entities may.
    ///
    /// If the query has conditions on indexes, the condition that the fewest entities meet
    /// determines the identifiers.
    private func candidates(in core: CacheCore, at version: UInt64?) -> [Element.ID]? {
        definition.indexConditions
            .compactMap { $0.candidates(in: core, at: version) }
            .min { $0.count < $1.count }?
            .ids()
    }

    /// Calls a closure with the values of some entities, or of all if there are no identifiers.
    private func forEachValue(
        of ids: [Element.ID]?,
        at version: UInt64,
        _ body: (Element.ID, Element) -> Void
    ) {
        guard let ids else { return table.forEachValue(at: version, body) }
        for id in ids {
            if let value = table.value(id: id, hash: table.hash(of: id), at: version) {
                body(id, value)
            }
        }
    }

    /// Returns the rows with the writes of the open transaction, under the writers' lock.
    func writtenRows(in core: CacheCore) -> Rows {
        let reading = QueryReaders(inOpenTransactionOf: core, recordsReads: false)
        guard let stored = storedRows(in: core, at: core.writer.committedVersion) else {
            var rows: [Row] = []
            if let ids = candidates(in: core, at: nil) {
                definition.scan(ids, of: table, at: nil, reading.new, &rows)
            } else {
                table.forEachWrittenValue { definition.appendRows($1, reading.new, &rows) }
            }
            return definition.rows(rows)
        }
        let ids = idsOfRows(dependingOn: core.writer.changedKeys(at: core.writer.writeVersion))
        var changes = QueryRowChanges<Element.ID, Payload>()
        for id in ids {
            let values = (reading.old.get(id: id, in: table), table.writtenValue(id: id))
            definition.compareRows(
                of: values.0,
                values.1,
                isValueChanged: false,
                reading,
                &changes,
                &scratch
            )
        }
        var rows = stored
        changes.sort()
        rows.apply(changes)
        return rows
    }
}
