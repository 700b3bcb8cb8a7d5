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
            if recordsReads || !definition.indexConditions.isEmpty {
                forEachCandidate(in: core, at: version) { id, value in
                    definition.appendRows(value, reader, &rows)
                    for key in reader.takeReads() { dependents[key, default: []].insert(id) }
                }
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
    }

    /// Calls a closure with each value that may have rows, as of a version or of the open
    /// transaction.
    ///
    /// If the query has conditions on indexes, the condition that the fewest entities meet
    /// determines the values.
    private func forEachCandidate(
        in core: CacheCore,
        at version: UInt64?,
        _ body: (Element.ID, Element) -> Void
    ) {
        let candidates = definition.indexConditions.compactMap {
            $0.candidates(in: core, at: version)
        }
        if let candidates = candidates.min(by: { $0.count < $1.count }) {
            let reader = QueryReader(core, at: version, recordsReads: false)
            for id in candidates.ids {
                if let value = reader.get(id: id, in: table) { body(id, value) }
            }
        } else if let version {
            table.forEachValue(at: version, body)
        } else {
            table.forEachWrittenValue(body)
        }
    }

    /// Returns the rows with the writes of the open transaction, under the writers' lock.
    func writtenRows(in core: CacheCore) -> Rows {
        let reading = QueryReaders(inOpenTransactionOf: core, recordsReads: false)
        guard let stored = storedRows(in: core, at: core.writer.committedVersion) else {
            var rows: [Row] = []
            forEachCandidate(in: core, at: nil) { definition.appendRows($1, reading.new, &rows) }
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
        definition.steps.apply(&rows, &changes)
        return rows
    }
}
