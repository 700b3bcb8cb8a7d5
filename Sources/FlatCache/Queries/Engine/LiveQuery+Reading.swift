// Any thread can call these methods.
extension LiveQuery {
    /// Returns the rows that were kept current as of a version.
    func storedRows(in core: CacheCore, at version: UInt64) -> Rows? {
        core.get(State.self, id: number, at: version)?.contents.rows
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
        func append(_ id: Element.ID, _ value: Element) {
            definition.appendRows(value, reader, &rows)
            for key in reader.takeReads() { dependents[key, default: []].insert(id) }
        }
        core.runClosures(ofQueryOf: Element.self) {
            if let ids = candidates(in: core, at: version) {
                forEachValue(of: ids, reader, append)
            } else if recordsReads {
                table.forEachValue(at: version, append)
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

    /// Calls a closure with the values of some entities, in the state that a reader shows.
    private func forEachValue(
        of ids: [Element.ID],
        _ reader: QueryReader,
        _ body: (Element.ID, Element) -> Void
    ) {
        for id in ids {
            if let value = reader.get(id: id, in: table) { body(id, value) }
        }
    }

    /// Returns the rows with the writes of the open transaction, under the writers' lock.
    func writtenRows(in core: CacheCore) -> Rows {
        let reading = QueryReaders(inOpenTransactionOf: core, recordsReads: false)
        guard let stored = storedRows(in: core, at: core.writer.committedVersion) else {
            var rows: [Row] = []
            func append(_ id: Element.ID, _ value: Element) {
                definition.appendRows(value, reading.new, &rows)
            }
            if let ids = candidates(in: core, at: nil) {
                forEachValue(of: ids, reading.new, append)
            } else {
                table.forEachWrittenValue(append)
            }
            return definition.rows(rows)
        }
        let ids = idsOfRows(dependingOn: core.writer.changedKeys(at: core.writer.writeVersion))
        let compareValue = definition.steps.compareValue
        var changes = QueryRowChanges<Element.ID, Payload>()
        for id in ids {
            let (old, new) = (reading.old.get(id: id, in: table), table.writtenValue(id: id))
            compareValue(definition, old, new, true, reading, &changes, &scratch)
        }
        var rows = stored
        changes.sort()
        rows.apply(changes)
        return rows
    }
}

/// The result of a query as of one state of a cache.
struct QueryResult<Element: Identifiable & Sendable, Payload: QueryPayload>
where Element.ID: Sendable {
    let rows: QueryRows<Element.ID, Payload>
    let shown: Range<Int>
    private let reader: QueryReader
    private let query: LiveQuery<Element, Payload>
    /// The stored state that contains the rows, if the result was kept current.
    let state: QueryState<Element, Payload>.Contents?

    init(
        _ rows: QueryRows<Element.ID, Payload>,
        of query: LiveQuery<Element, Payload>,
        _ reader: QueryReader,
        state: QueryState<Element, Payload>.Contents? = nil
    ) {
        self.rows = rows
        self.state = state
        self.query = query
        self.reader = reader
        shown = query.definition.window.positions(of: rows.count)
    }

    var ids: [Element.ID] { rows.ids(in: shown) }

    /// Returns the values of the shown rows at some positions; they may lie beyond the end.
    func elements(at positions: some RangeExpression<Int>) -> [Element] {
        let positions = shown.positions(positions)
        var elements: [Element] = []
        elements.reserveCapacity(positions.count)
        rows.forEach(in: positions) { row in
            if let value = value(of: row.id) { elements.append(value) }
        }
        return elements
    }

    func value(of id: Element.ID) -> Element? { reader.get(id: id, in: query.table) }

    /// Returns the position of an entity among the shown rows.
    func index(of id: Element.ID) -> Int? {
        guard let value = value(of: id) else { return nil }
        var places: [QueryRow<Element.ID, Payload>] = []
        reader.core.runClosures(ofQueryOf: Element.self) {
            query.definition.appendRows(value, reader, &places)
        }
        guard let place = places.first else { return nil }
        let position = rows.position(of: place)
        return shown.contains(position) ? position - shown.lowerBound : nil
    }
}

extension LiveQuery {
    /// Calls a closure with the latest visible result; returns `nil` if the cache has been
    /// deallocated.
    func read<Output>(
        in core: CacheCore,
        _ body: (QueryResult<Element, Payload>) -> Output
    ) -> Output? {
        prepareIndexes(in: core)
        let output = core.withOpenSnapshot { version in body(result(in: core, at: version)) }
        // If the cache is deallocated during the call, some of the values may be missing.
        return core.isClosed ? nil : output
    }

    /// Calls a closure with the result in a cache, a batch or a snapshot.
    func read<Output>(
        in cache: some ReadableCache,
        _ core: CacheCore,
        _ body: (QueryResult<Element, Payload>) -> Output
    ) -> Output {
        prepareIndexes(in: core)
        switch cache {
        case let snapshot as CacheSnapshot:
            snapshot.checkUsable()
            checkCore(snapshot.core, core)
            return body(result(in: core, at: snapshot.version))
        case let batch as CacheBatch:
            batch.checkUsable()
            checkCore(batch.core, core)
            return core.writer.runUserCode("a closure of a query", of: Element.self) {
                let reader = QueryReader(core, at: nil, recordsReads: false)
                return body(QueryResult(writtenRows(in: core), of: self, reader))
            }
        case let cache as Cache:
            checkCore(cache.core, core)
            return core.withOpenSnapshot { version in body(result(in: core, at: version)) }
        default:
            preconditionFailure(
                """
                A query can't read from \(type(of: cache)). Pass a Cache, a CacheBatch or a \
                CacheSnapshot.
                """
            )
        }
    }

    private func result(in core: CacheCore, at version: UInt64) -> QueryResult<Element, Payload> {
        let reader = QueryReader(core, at: version, recordsReads: false)
        let state = core.get(State.self, id: number, at: version)?.contents
        let rows = state?.rows ?? scan(in: core, at: version, recordsReads: false).rows
        return QueryResult(rows, of: self, reader, state: state)
    }

    private func checkCore(_ found: CacheCore, _ core: CacheCore) {
        precondition(
            found === core,
            "A query can't read from another cache than its own. Create a query in that cache."
        )
    }
}

extension Range<Int> {
    /// Returns the part of the range at some positions from its start; they may lie beyond its end.
    func positions(_ positions: some RangeExpression<Int>) -> Range<Int> {
        let positions = Range(positions: positions).clamped(to: 0..<count)
        return lowerBound + positions.lowerBound..<lowerBound + positions.upperBound
    }

    /// Creates a range from any range of positions; they may lie beyond the end of a result.
    private init(positions: some RangeExpression<Int>) {
        let all = Int.min..<Int.max
        switch positions {
        case let range as ClosedRange<Int> where range.upperBound == .max:
            self = range.lowerBound..<Int.max
        case let range as PartialRangeThrough<Int> where range.upperBound == .max: self = all
        default: self = positions.relative(to: all)
        }
    }
}
